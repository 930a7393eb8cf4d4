/**
 * Questions that carry weights and the row `[lost]`, as views over the tables of `schema.ts`. DuckDB and ClickHouse
 * take the same text but for one expression, that of a path. So:
 *
 * - joins only, no arrays; every column is qualified, since ClickHouse puts an alias in the place of
 *   a column of its name;
 * - no outer joins: ClickHouse fills them with 0 and ''; and no functions of nulls, which differ.
 *
 * `top_self` and `top_total` have the intervals of `perf-ts report`, which the table `functions` holds. Other views have
 * none: an interval follows from the order of the samples, which sums do not have. The questions by name have them
 * (`src/questions`).
 */

export type SqlDialect = 'duckdb' | 'clickhouse';

/** Functions of a stack, outermost first. */
const PATH: Record<SqlDialect, string> = {
  duckdb: "string_agg(f.func, ';' order by k.depth desc)",
  clickhouse:
    "arrayStringConcat(arrayMap(x -> x.2, arraySort(x -> -x.1, groupArray((k.depth, f.func)))), ';')",
};

/** Each call of a stack: `f` the frame of a row of `stacks`, `c` that of its caller. */
const CALLS = `from stacks k
    join frames f on f.recording = k.recording and f.frame = k.frame
    join frames c on c.recording = k.recording and c.frame = k.caller`;

/** Whole seconds since the start, of a sample `s`. */
const WHOLE_SECOND = 'floor(s.time_ns / 1000000000)';

/**
 * Columns that several views have: `weight` and `self` are sums of estimated weights in `unit`, `share` is that part of the event's weight,
 * lost ones included, 0 … 1; `low` and `high` are the ends of its 95 % interval; `samples` counts samples. A test compares
 * the columns with docs/schema.md.
 */
const VIEWS = {
  /** A row a function and event: what it did itself. `[lost]` is a function. */
  top_self: `
    select f.recording as recording, e.name as event, f.func as func, f.dso as dso, f.kind as kind,
      f.self as weight, e.unit as unit, f.self_share as share, f.self_low as low, f.self_high as high,
      f.samples as samples
    from functions f join events e on e.recording = f.recording and e.event = f.event
    where f.self > 0`,

  /** A row a function and event: what it did with all that it called; a sample counts once. */
  top_total: `
    select f.recording as recording, e.name as event, f.func as func, f.dso as dso, f.kind as kind,
      f.total as weight, e.unit as unit, f.total_share as share, f.total_low as low,
      f.total_high as high
    from functions f join events e on e.recording = f.recording and e.event = f.event
    where f.total > 0`,

  /** A row a stack and event; `lost`: what was lost before its samples. */
  stack_weights: `
    select s.recording as recording, s.event as event, s.stack as stack, sum(s.weight) as weight,
      sum(s.lost_before) as lost, count(*) as samples
    from samples s
    group by s.recording, s.event, s.stack`,

  /** A row a stack, event and second that has samples of it. */
  stack_seconds: `
    select s.recording as recording, s.event as event, s.stack as stack,
      ${WHOLE_SECOND} as second, sum(s.weight) as weight, count(*) as samples
    from samples s
    group by s.recording, s.event, s.stack, ${WHOLE_SECOND}`,

  /** A row an event and second that has samples; `lost`: what was lost before them. */
  seconds: `
    select s.recording as recording, s.event as event, ${WHOLE_SECOND} as second,
      sum(s.weight) as weight, sum(s.lost_before) as lost, count(*) as samples
    from samples s
    group by s.recording, s.event, ${WHOLE_SECOND}`,

  /** A row a function and what called it: `[root]` is nobody, `[not recorded]` is where there are no stacks. A sample counts once for each. */
  callers: edges(
    'caller',
    `select distinct k.recording as recording, k.stack as stack, f.func as func, f.dso as dso,
      c.func as caller, c.dso as caller_dso
    ${CALLS}`,
  ),

  /** A row a function and what it called; `[self]` is itself. */
  callees: edges(
    'callee',
    `select distinct k.recording as recording, k.stack as stack, c.func as func, c.dso as dso,
      f.func as callee, f.dso as callee_dso
    ${CALLS}
    where c.frame >= 0
    union all
    select o.recording as recording, o.stack as stack, x.func as func, x.dso as dso,
      '[self]' as callee, x.dso as callee_dso
    from stacks o
    join frames x on x.recording = o.recording and x.frame = o.frame
    where o.depth = 0`,
  ),

  /** A row a source line of a function; `share` is that of `self`. */
  lines: `
    select g.recording as recording, e.name as event, g.func as func, g.dso as dso, g.file as file,
      g.line as line, g.self as self, g.total as total, e.unit as unit,
      g.self / e.weight as share, g.samples as samples
    from (
      select d.recording as recording, w.event as event, d.func as func, d.dso as dso,
        d.file as file, d.line as line,
        sum(case when d.depth = 0 then w.weight else 0 end) as self, sum(w.weight) as total,
        sum(case when d.depth = 0 then w.samples else 0 end) as samples
      from (
        select k.recording as recording, k.stack as stack, f.func as func, f.dso as dso,
          f.file as file, f.line as line, min(k.depth) as depth
        from stacks k join frames f on f.recording = k.recording and f.frame = k.frame
        group by k.recording, k.stack, f.func, f.dso, f.file, f.line
      ) d
      join stack_weights w on w.recording = d.recording and w.stack = d.stack
      group by d.recording, w.event, d.func, d.dso, d.file, d.line
    ) g
    join events e on e.recording = g.recording and e.event = g.event`,

  /** A row a stack; `path`: its functions, the outermost first, with `;` between. `[lost]` is one. */
  folded: `
    select w.recording as recording, e.name as event, p.path as path, w.weight as weight,
      e.unit as unit, w.samples as samples
    from stack_weights w
    join (
      select k.recording as recording, k.stack as stack, $PATH as path
      from stacks k join frames f on f.recording = k.recording and f.frame = k.frame
      group by k.recording, k.stack
    ) p on p.recording = w.recording and p.stack = w.stack
    join events e on e.recording = w.recording and e.event = w.event
    union all
    select l.recording as recording, l.name as event, '[lost]' as path, l.lost as weight,
      l.unit as unit, 0 as samples
    from events l where l.lost > 0`,

  /** A row a function and second; `share` is of the second's weight, what was lost in it included. */
  timeline: `
    select g.recording as recording, e.name as event, g.second as second, g.func as func,
      g.dso as dso, g.weight as weight, e.unit as unit, g.weight / (t.weight + t.lost) as share,
      g.samples as samples
    from (
      select b.recording as recording, b.event as event, b.second as second, f.func as func,
        f.dso as dso, sum(b.weight) as weight, sum(b.samples) as samples
      from stack_seconds b
      join stacks k on k.recording = b.recording and k.stack = b.stack and k.depth = 0
      join frames f on f.recording = k.recording and f.frame = k.frame
      group by b.recording, b.event, b.second, f.func, f.dso
    ) g
    join seconds t on t.recording = g.recording and t.event = g.event and t.second = g.second
    join events e on e.recording = g.recording and e.event = g.event
    union all
    select n.recording as recording, v.name as event, n.second as second, '[lost]' as func,
      '' as dso, n.lost as weight, v.unit as unit, n.lost / (n.weight + n.lost) as share,
      0 as samples
    from seconds n join events v on v.recording = n.recording and v.event = n.event
    where n.lost > 0 and v.lost > 0`,

  /** A row a stream: how its period behaved (docs/period.md). */
  periods: `
    select t.recording as recording, e.name as event, e.mode as mode, e.unit as unit,
      e.frequency_hz as frequency_hz, e.fixed_period as fixed_period, t.stream_id as stream_id,
      t.verdict as verdict, t.samples as samples, t.settle_samples as settle_samples,
      t.settle_ns as settle_ns, t.median_period as median_period, t.hz as hz,
      t.effective_samples as effective_samples
    from streams t join events e on e.recording = t.recording and e.event = t.event`,

  /** A row an event: what arrived, and what did not. */
  ledger: `
    select l.recording as recording, e.name as event, e.unit as unit, e.weight as weight,
      e.lost as lost, e.lost_low as lost_low, e.lost_high as lost_high, l.samples as samples,
      l.lost_samples as lost_samples, l.coverage as coverage, l.events_counted as events_counted,
      l.arrived_events as arrived_events, l.gap_events as gap_events, l.tail_events as tail_events,
      l.unsampled_events as unsampled_events, l.undivided_events as undivided_events,
      l.unaccounted as unaccounted, l.throttles as throttles, l.throttled_ns as throttled_ns,
      e.in_step as in_step
    from losses l join events e on e.recording = l.recording and e.event = l.event`,
} as const;

export type ViewName = keyof typeof VIEWS;
/** Views in the order in which they are created. */
export const VIEW_NAMES = Object.keys(VIEWS) as ViewName[];

/** The query that a view is, without indentation. */
export function viewText(view: ViewName, dialect: SqlDialect): string {
  return VIEWS[view].replace('$PATH', PATH[dialect]).replace(/\s+/g, ' ').trim();
}

/** The weight of calls by function and what is on their `other` end; `calls`: those of each stack, each once. */
function edges(other: 'caller' | 'callee', calls: string): string {
  return `
    select g.recording as recording, e.name as event, g.func as func, g.dso as dso,
      g.${other} as ${other}, g.${other}_dso as ${other}_dso, g.weight as weight, e.unit as unit,
      g.weight / e.weight as share, g.samples as samples
    from (
      select d.recording as recording, w.event as event, d.func as func, d.dso as dso,
        d.${other} as ${other}, d.${other}_dso as ${other}_dso, sum(w.weight) as weight,
        sum(w.samples) as samples
      from ( ${calls} ) d
      join stack_weights w on w.recording = d.recording and w.stack = d.stack
      group by d.recording, w.event, d.func, d.dso, d.${other}, d.${other}_dso
    ) g
    join events e on e.recording = g.recording and e.event = g.event`;
}
