/** Reasons for which threads wait off the CPU, in the order of a legend. */
export const WAIT_KINDS = ['cpu', 'lock', 'disk', 'network', 'idle', 'other'] as const;
export type WaitKind = (typeof WAIT_KINDS)[number];

/** Functions of the kernel that wait, by what they wait for; the first that fits counts. */
const WAITERS: readonly (readonly [WaitKind, RegExp])[] = [
  ['lock', /futex|mutex|rwsem|percpu_down|semaphore|^_*down(?:_|$)/],
  [
    'disk',
    /folio|page|buffer|bit_wait_io|completion_io|io_schedule|blk|bio_|rq_qos|dirty|writeback|fsync|jbd2|ext4|xfs|btrfs|nfs/,
  ],
  ['network', /tcp|udp|inet|sock|sk_|skb|unix_|pipe|wait_for_connect/],
  ['idle', /poll|select|nanosleep|nsleep|sigtimedwait|sigsuspend|pause$/],
];

/**
 * Finds the reason of a wait by the frame on top of its stack, `[S sleeping in do_epoll_wait]` or `[woken by server/1234]`
 * (`wait-reasons.ts`), or the one that stands for the waits of a runtime with nothing to do; null: that is no such frame.
 */
export function waitKindOf(frame: string): WaitKind | null {
  if (/^\[(?:R\+? |woken by )/.test(frame)) return 'cpu';
  if (frame.startsWith('(idle')) return 'idle';
  const label = /^\[[A-Za-z?] [\w ]+?(?: in (.+))?\]$/.exec(frame);
  if (label === null) return null;
  const [, waiter = ''] = label;
  return WAITERS.find(([, functions]) => functions.test(waiter))?.[0] ?? 'other';
}
