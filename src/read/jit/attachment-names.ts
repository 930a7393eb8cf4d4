/** Name of the attachment with the perf map of a process, without its pid. */
export const PERF_MAP_ATTACHMENT = 'perf-map/';

/** Name of the attachment with what V8 announced to the recorder, without its pid. */
export const CODE_EVENTS_ATTACHMENT = 'code-events/';

/** Name of the attachment with the turns of the event loops of a process, without its pid. */
export const LOOP_TURNS_ATTACHMENT = 'loop-turns/';

/** Name of the attachment with the notes of a process, without its pid. */
export const NODE_NOTES_ATTACHMENT = 'node-notes/';
