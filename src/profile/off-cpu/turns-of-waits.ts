import { NONE } from '../../base/brand.ts';
import { Spans } from '../../base/spans.ts';
import { isJitCode } from '../jit-dso.ts';
import { stacksWith } from '../stacks-with.ts';
import type { TurnTable } from '../turn-table.ts';
import { type LoopWaits, turnsBetween } from '../turns-between.ts';
import type { Profile } from '../types.ts';
import { isWaitEvent } from '../wait-event.ts';

/** Functions of the kernel and of C libraries in which a thread waits for events, and that call nothing else. */
const WAITS_FOR_EVENTS = /^(ep_poll|do_epoll_wait|epoll_p?wait2?|__epoll_p?wait2?)$/;

/** Code of V8 that is in its own file: who waits below it waits within a turn, as `execFileSync` does by a loop of its own. */
const BUILTIN = /^Builtins_/;

/**
 * Turns by the waits off the CPU in epoll that are not below JavaScript, of threads that are not `known` by another way. A
 * thread that has waited still waits for a CPU; its turn begins when it has one.
 */
export function turnsOfWaits(profile: Profile, known: ReadonlySet<number>): TurnTable | null {
  const { events, samples, stacks, frames, funcs, dsos, strings, threads } = profile;
  if (!events.some(isWaitEvent)) return null;
  const isWait = Uint8Array.from(events, (event) => (isWaitEvent(event) ? 1 : 0));
  const isMeant = Uint8Array.from(funcs.name, (name) =>
    WAITS_FOR_EVENTS.test(strings[name].replace(/@.*/, '')) ? 1 : 0,
  );
  const isScript = Uint8Array.from(funcs.name, (name, func) => {
    const dso = funcs.dso[func];
    return (dso !== NONE && isJitCode(dsos[dso])) || BUILTIN.test(strings[name]) ? 1 : 0;
  });
  const isInScript = stacksWith(profile, (func) => isScript[func] === 1);
  const isLoopWait = new Uint8Array(stacks.length);
  for (let row = 0; row < stacks.length; row++) {
    const above = stacks.prefix[row];
    const func = frames.func[stacks.frame[row]];
    const isBelow = above !== NONE && isLoopWait[above] === 1;
    isLoopWait[row] = isBelow || (isMeant[func] === 1 && isInScript[row] === 0) ? 1 : 0;
  }
  const loops = new Map<number, LoopWaits>();
  const lastNs = new Float64Array(threads.length);
  for (let row = 0; row < samples.length; row++) {
    const thread = samples.thread[row];
    const from = samples.timeNs[row];
    lastNs[thread] = from;
    const stack = samples.stack[row];
    if (isWait[samples.event[row]] === 0 || stack === NONE || isLoopWait[stack] === 0) continue;
    const { pid, tid } = threads[thread];
    if (known.has(tid) || !(samples.periodEvents[row] > 0)) continue;
    const loop = { thread, pid, tid, source: 'waits' } as const;
    const own = loops.get(thread) ?? { loop, waits: new Spans(), lastNs: 0 };
    loops.set(thread, own);
    // Waiting, and then waiting for a CPU, is one wait.
    own.waits.add(from, from + samples.periodEvents[row]);
  }
  // A thread that has waited once has no loop that is known.
  return turnsBetween(
    [...loops]
      .filter(([, { waits }]) => waits.length > 1)
      .map(([thread, own]) => ({ ...own, lastNs: lastNs[thread] })),
  );
}
