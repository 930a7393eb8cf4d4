/** `PERF_TXN_*`, in the order of the bits, in perf's words. */
const FLAGS = ['EL', 'TX', 'SYNC', 'ASYNC', 'RETRY', 'CON', 'CAP-WRITE', 'CAP-READ'];
const SYNC_OR_ASYNC = (1 << 2) | (1 << 3);

/**
 * Why a hardware transaction ended: the flags, `NEITHER` where the aborting instruction is not known
 * to be the sampled one or another, and the program's own abort code in hex.
 */
export function formatTransaction(flags: number, abortCode: number): string {
  const words = FLAGS.filter((_, bit) => flags & (1 << bit));
  if (flags !== 0 && (flags & SYNC_OR_ASYNC) === 0) words.push('NEITHER');
  if (abortCode !== 0) words.push(`:${abortCode.toString(16)}`);
  return words.join(' ');
}
