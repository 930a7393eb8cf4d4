/**
 * Names that are the same everywhere, for the editor to offer; every other name of perf's works
 * too.
 */
export type CommonEvent =
  | 'cycles'
  | 'instructions'
  | 'cache-references'
  | 'cache-misses'
  | 'branches'
  | 'branch-misses'
  | 'bus-cycles'
  | 'stalled-cycles-frontend'
  | 'stalled-cycles-backend'
  | 'ref-cycles'
  | 'cpu-clock'
  | 'task-clock'
  | 'page-faults'
  | 'minor-faults'
  | 'major-faults'
  | 'context-switches'
  | 'cpu-migrations'
  | 'msr/tsc/';

/** An event in perf's syntax: `cycles:u`, `cpu/event=0x3c/`, `sched:sched_switch`, `r003c`. */
export type EventText = CommonEvent | (string & Record<never, never>);

/** One event or more, each the key of its own count. */
export type EventNames = readonly [EventText, ...EventText[]];

/**
 * `Names` where no two are equal; otherwise a type that names the one that is, so that the call
 * does not compile. Names that are only known as `string` are compared when they run.
 */
export type Distinct<Names extends readonly string[]> =
  FirstRepeated<Names> extends infer Name
    ? [Name] extends [never]
      ? Names
      : readonly [{ readonly 'this event is asked for twice': Name }]
    : never;

type FirstRepeated<Names extends readonly string[]> = Names extends readonly [
  infer First extends string,
  ...infer Rest extends readonly string[],
]
  ? string extends First
    ? FirstRepeated<Rest>
    : First extends Rest[number]
      ? First
      : FirstRepeated<Rest>
  : never;

/** Events under keys of one's own; `{}` does not compile. */
export type EventTable = { readonly [key: string]: EventText };
export type NotEmpty<Table extends EventTable> = keyof Table extends never
  ? { readonly 'at least one event': never }
  : Table;
