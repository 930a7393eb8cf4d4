/**
 * The tables that a recording is as rows: what `perf-ts query` asks, what `export --format parquet`
 * writes and what a fleet stores. Every table begins with `recording`, a number that tells the
 * recordings of a database apart. docs/schema.md describes each column; a test holds it to this file.
 *
 * Names and types are alike in DuckDB, ClickHouse and Parquet. Stacks are long, one row a frame, since
 * arrays have a syntax of their own in each engine.
 */

/** Goes up where a column changes its meaning or is dropped; columns are added without. */
export const TABLES_VERSION = 1;

/** `int64` columns hold numbers below 2^53. */
export type ColumnType = 'int32' | 'int64' | 'double' | 'text';

export type SchemaColumn = {
  readonly name: string;
  readonly type: ColumnType;
  /** Null where it is not known. */
  readonly isNullable: boolean;
};

/** `name type`, with `?` behind the type where the column may be null. */
const DEFINITIONS = {
  recordings: `
    name text, version int32, host text?, service text?, build text?, started_ns int64?, seconds double?,
    kernel text?, arch text?, command text, recorder text?, weight_kind text, frames text,
    lost_sideband int32, cut_at int64?, notes text, labels text?`,
  events: `
    event int32, name text, unit text, mode text, frequency_hz double?, fixed_period double?,
    samples int32, weight double, arrived double, lost double, lost_low double, lost_high double,
    effective_samples double?, nothing_high double?, in_step text?, rule_doubt text?`,
  samples: `
    sample int32, time_ns int64, event int32, thread int32, pid int32, tid int32, cpu int32,
    stack int32, stream int32, weight double, period double, counted double, lost_before double`,
  stacks: 'stack int32, depth int32, frame int32, caller int32',
  frames: `
    frame int32, func text, file text?, line int32, dso text, kind text, tier text, inlined int32`,
  functions: `
    event int32, func text, dso text, kind text, file text?, line int32, samples int32,
    self double, self_share double, self_low double?, self_high double?,
    total double, total_share double, total_low double?, total_high double?`,
  ratios: `
    metric text, event text, per_event text, per double, func text, dso text, kind text, file text?,
    line int32, self double?, self_low double?, self_high double?, self_unknown text?,
    total double?, total_low double?, total_high double?, total_unknown text?`,
  threads: 'thread int32, pid int32, tid int32, generation int32, comm text',
  streams: `
    stream int32, event int32, stream_id text, verdict text?, samples int32, settle_samples int32?,
    settle_ns double?, median_period double?, hz double?, effective_samples double?`,
  marks: `
    kind text, event int32, cpu int32, start_ns int64, end_ns int64?, amount double?, what text,
    pid int32?, tid int32?, status int32?, cpu_ns double?, gc_ns double?, waits_ns double?,
    others_ns double?, loop_ns double?, untold_ns double?`,
  turns: `
    pid int32, tid int32, from_ns int64, length_ns int64, events_ns int64, waited_ns int64, is_first int32,
    is_open int32`,
  awaits: `
    event int32, func text, dso text, kind text, file text?, line int32, awaited_by text?, samples int32,
    weight double, share double, low double?, high double?`,
  losses: `
    event int32, samples int32, lost_samples int32, coverage double?, events_counted double?,
    arrived_events double, event_coverage double?, gap_events double, tail_events double?,
    unsampled_events double?, undivided_events double?, unaccounted double?, throttles int32,
    throttled_ns double`,
} as const;

export type SchemaTable = keyof typeof DEFINITIONS;
export const TABLE_NAMES = Object.keys(DEFINITIONS) as SchemaTable[];

/** The columns of a table, `recording` first. */
export function tableColumns(table: SchemaTable): SchemaColumn[] {
  return `recording int64, ${DEFINITIONS[table]}`.split(',').map((part) => {
    const [name, type] = part.trim().split(' ');
    const isNullable = type.endsWith('?');
    return { name, type: type.replace('?', '') as ColumnType, isNullable };
  });
}

/** Frame of what called the outermost function; its name is `[root]`, or `[not recorded]` without stacks. */
export const ROOT_FRAME = -1;
/** Frame of a sample without a stack, whose stack is −1; its name is `[no stack]`. */
export const NO_STACK_FRAME = -2;

/** One column's values; in columns of text and in short ones null is "not known". */
export type ColumnData =
  | Int32Array
  | Float64Array
  | readonly (number | null)[]
  | readonly (string | null)[];

/** The rows of one table, without `recording`, as columns in the schema's order. */
export type TableRows = { readonly length: number; readonly columns: readonly ColumnData[] };

/** One recording. */
export type RecordingTables = Readonly<Record<SchemaTable, TableRows>>;
