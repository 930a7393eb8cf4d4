/** Name of the attachment with the perf map of a process, without its pid. */
export const PERF_MAP_ATTACHMENT = 'perf-map/';

/** Name of the attachment with what V8 announced to the recorder, without its pid. */
export const CODE_EVENTS_ATTACHMENT = 'code-events/';

/** Name of the attachment with the turns of the event loops of a process, without its pid. */
export const LOOP_TURNS_ATTACHMENT = 'loop-turns/';

/** Name of the attachment with the work that samples of libuv's pool were taken in. */
export const POOL_WORK_ATTACHMENT = 'pool-work';

/** Name of the attachment with the notes of a process, without its pid. */
export const NODE_NOTES_ATTACHMENT = 'node-notes/';

/** The pid in the name of an attachment of one of these kinds; null for others. */
export function pidOfAttachment(name: string, ...kinds: readonly string[]): number | null {
  const kind = kinds.find((start) => name.startsWith(start));
  const pid = kind === undefined ? Number.NaN : Number(name.slice(kind.length));
  return Number.isSafeInteger(pid) ? pid : null;
}
