import { UsageError } from '../base/errors.ts';
import { Z95 } from '../base/normal.ts';
import { T95_TERMS, t95 } from '../base/student.ts';
import { commandOnly } from '../base/words.ts';

/** Questions that have a name, as SQL that DuckDB and ClickHouse take alike. */
export const QUERY_VERBS = [
  'top',
  'callers',
  'callees',
  'lines',
  'timeline',
  'threads',
  'periods',
  'ledger',
  'diff',
  'share',
  'compare',
  'rarest',
  'newest',
] as const;
export type QueryVerb = (typeof QUERY_VERBS)[number];

export type VerbOptions = {
  /** A function: its name, or what stands in front of its arguments or place; `*` is anything. */
  readonly func?: string;
  /** Event by name; default: the first of each recording. */
  readonly event?: string;
  /** `top`: by what the function did itself, or with all that it called. */
  readonly by?: 'self' | 'total';
  readonly limit: number;
  readonly service?: string;
  /** `diff`: the numbers of the recordings on either side. */
  readonly sides?: { readonly old: readonly number[]; readonly new: readonly number[] };
  /** `compare`: two builds. */
  readonly builds?: readonly [old: string, now: string];
};

/** The SQL of a verb. Throws `UsageError` where an option is missing. */
export function verbSql(verb: QueryVerb, options: VerbOptions): string {
  switch (verb) {
    case 'top':
      return topSql(options);
    case 'callers':
    case 'callees':
      return edgesSql(verb, options);
    case 'lines':
      return linesSql(options);
    case 'timeline':
      return timelineSql(options);
    case 'threads':
      return threadsSql(options);
    case 'periods':
      return `select p.recording as recording, p.event as event, p.stream_id as stream_id, p.verdict as verdict,
  p.samples as samples, p.settle_samples as settle_samples, p.median_period as median_period, p.hz as hz
from periods p
where ${and(eventIs('p', options))}
order by recording, event, samples desc, stream_id
limit ${options.limit}`;
    case 'ledger':
      return `select l.recording as recording, l.event as event, l.unit as unit, l.weight as weight, l.lost as lost,
  l.lost_low as lost_low, l.lost_high as lost_high, l.samples as samples, l.lost_samples as lost_samples,
  l.coverage as coverage, l.throttles as throttles
from ledger l
where ${and(eventIs('l', options))}
order by recording, event
limit ${options.limit}`;
    case 'diff': {
      const { sides } = options;
      if (sides === undefined) throw new UsageError('diff needs recordings on both sides');
      const among = (numbers: readonly number[]) => `r.recording in (${numbers.join(', ')})`;
      return changesSql(among(sides.old), among(sides.new), options);
    }
    case 'compare': {
      const [old, now] = options.builds ?? [];
      if (old === undefined || now === undefined) {
        throw new UsageError('compare needs two builds', ['perf-ts query compare OLD NEW']);
      }
      if (old === now) throw new UsageError(`compare needs two builds, and ${old} is one`);
      return changesSql(`r.build = ${literal(old)}`, `r.build = ${literal(now)}`, options);
    }
    case 'share':
      return shareSql(options);
    case 'rarest':
      return seenSql('share, recordings, func', options);
    case 'newest':
      return seenSql('first_seen desc, share desc, func', options);
  }
}

function topSql(options: VerbOptions): string {
  const view = options.by === 'total' ? 'top_total' : 'top_self';
  return `select t.recording as recording, t.event as event, t.weight as weight, t.unit as unit, t.share as share,
  t.low as low, t.high as high, t.dso as dso, t.func as func
from ${view} t
where ${and(eventIs('t', options), named('t.func', options.func))}
order by recording, weight desc, func, dso
limit ${options.limit}`;
}

function edgesSql(verb: 'callers' | 'callees', options: VerbOptions): string {
  const other = verb === 'callers' ? 'caller' : 'callee';
  return `select t.recording as recording, t.event as event, t.func as func, t.${other} as ${other},
  t.${other}_dso as ${other}_dso, t.weight as weight, t.unit as unit, t.share as share,
  t.samples as samples
from ${verb} t
where ${and(eventIs('t', options), named('t.func', needed(verb, options.func)))}
order by recording, weight desc, ${other}, ${other}_dso, func
limit ${options.limit}`;
}

function linesSql(options: VerbOptions): string {
  return `select t.recording as recording, t.event as event, t.func as func, t.file as file, t.line as line,
  t.self as self, t.total as total, t.unit as unit, t.share as share
from lines t
where ${and(eventIs('t', options), named('t.func', needed('lines', options.func)))}
order by recording, total desc, self desc, func, line
limit ${options.limit}`;
}

function timelineSql(options: VerbOptions): string {
  return `select t.recording as recording, t.event as event, t.second as second, t.weight as weight, t.unit as unit,
  t.share as share, t.func as func
from timeline t
where ${and(eventIs('t', options), named('t.func', options.func))}
order by recording, second, weight desc, func
limit ${options.limit}`;
}

function threadsSql(options: VerbOptions): string {
  return `select g.recording as recording, e.name as event, g.weight as weight, e.unit as unit,
  g.weight / e.weight as share, g.samples as samples, g.comm as comm,
  g.pid as pid, g.tid as tid
from (
  select s.recording as recording, s.event as event, t.comm as comm, t.pid as pid, t.tid as tid,
    sum(s.weight) as weight, count(*) as samples
  from samples s join threads t on t.recording = s.recording and t.thread = s.thread
  group by s.recording, s.event, t.comm, t.pid, t.tid
) g
join events e on e.recording = g.recording and e.event = g.event
where ${firstEvent('e', options)}
order by recording, weight desc, pid, tid, comm
limit ${options.limit}`;
}

/** Per cent of a function, by version and host, over their recordings; those without it count as 0. */
function shareSql(options: VerbOptions): string {
  const { mean, low, high } = meanSql('m');
  return `with cells as (
  select c.recording as recording, sum(c.share) as share, sum(c.low) as low,
    case when count(*) = 1 then max(c.nothing) else sum(c.high) end as high
  from (
    select f.recording as recording, f.self_share as share, coalesce(f.self_low, f.self_share) as low,
      coalesce(f.self_high, f.self_share) as high, 0.0 as nothing
    from functions f join events e on e.recording = f.recording and e.event = f.event
    where ${and(firstEvent('e', options), named('f.func', needed('share', options.func)))}
    union all
    select e.recording as recording, 0.0 as share, 0.0 as low, 0.0 as high,
      coalesce(e.nothing_high, 0.0) as nothing
    from events e where ${firstEvent('e', options)}
  ) c
  group by c.recording
), means as (
  select r.service as service, r.build as build, r.host as host, count(*) as recordings,
    sum(c.share) as share, sum(c.share * c.share) as squares,
    sum((c.high - c.low) * (c.high - c.low)) as open, min(c.low) as least, max(c.high) as most
  from cells c join recordings r on r.recording = c.recording${whereService(options)}
  group by r.service, r.build, r.host
)
select m.service as service, m.build as build, m.host as host, m.recordings as recordings, ${mean} as share,
  ${low} as low, ${high} as high
from means m
order by service, build, host
limit ${options.limit}`;
}

/** Functions by how rare they are, or by when they were first seen; of JavaScript by name and file, as lines move. */
function seenSql(order: string, options: VerbOptions): string {
  return `with seen as (
  select ${WITHOUT_LINE} as func, f.recording as recording, sum(f.self_share) as share,
    max(f.self_high) as high
  from functions f join events e on e.recording = f.recording and e.event = f.event
  where ${and(firstEvent('e', options), 'f.self > 0', named('f.func', options.func))}
  group by ${WITHOUT_LINE}, f.recording
)
select s.func as func, count(*) as recordings, count(distinct r.build) as builds,
  count(distinct r.host) as hosts, min(r.started_ns) as first_seen, avg(s.share) as share,
  max(s.high) as high
from seen s join recordings r on r.recording = s.recording
where ${and('1 = 1', service(options))}
group by s.func
order by ${order}
limit ${options.limit}`;
}

/** `parse src/a.ts:12` without the line, which another build has elsewhere; names of code that is not JavaScript as they are. */
const WITHOUT_LINE = `case when f.kind in ('user code', 'dependency', 'node internal')
      and position(':' in f.func) > 0 then trim(trailing ':0123456789' from f.func) else f.func end`;

/**
 * The SQL of the sums of each function's shares on either side, `s0` and `s1`, with what their interval follows from:
 * numbers of recordings, squares, squared widths and ends. A recording without a sample of it adds the interval
 * of nothing. A function of JavaScript whose line has moved is the same where only one on either side is called so.
 */
function changesSql(isOld: string, isNew: string, options: VerbOptions): string {
  return `with sides as (
  select r.recording as recording, case when ${isNew} then 1 else 0 end as side,
    coalesce(e.nothing_high, 0.0) as nothing
  from recordings r join events e on e.recording = r.recording
  where ((${isOld}) or (${isNew})) and ${firstEvent('e', options)}${service(options) && ` and ${service(options)}`}
), sizes as (
  select sum(1 - s.side) as n0, sum(s.side) as n1, sum((1 - s.side) * s.nothing) as h0,
    sum(s.side * s.nothing) as h1, sum((1 - s.side) * s.nothing * s.nothing) as o0,
    sum(s.side * s.nothing * s.nothing) as o1
  from sides s
), cells as (
  select f.func as func, s.side as side, f.recording as recording, sum(f.self_share) as share,
    min(${WITHOUT_LINE}) as name, max(f.dso) as dso, max(case when f.self_low is null then 1 else 0 end) as vague,
    sum(coalesce(f.self_low, f.self_share)) as low, sum(coalesce(f.self_high, f.self_share)) as high,
    max(s.nothing) as nothing
  from functions f join sides s on s.recording = f.recording
  join events e on e.recording = f.recording and e.event = f.event
  where ${firstEvent('e', options)}
  group by f.func, s.side, f.recording
), names as (
  select n.name as name, max(n.funcs) as funcs
  from (
    select c.name as name, c.side as side, count(distinct c.func) as funcs
    from cells c group by c.name, c.side
  ) n
  group by n.name
), sums as (
  select case when max(c.side) = 1 then max(case when c.side = 1 then c.func else '' end)
    else max(c.func) end as func, max(c.dso) as dso, max(c.vague) as vague,
    sum((1 - c.side) * c.share) as s0, sum(c.side * c.share) as s1,
    sum((1 - c.side) * c.share * c.share) as q0, sum(c.side * c.share * c.share) as q1,
    sum((1 - c.side) * ((c.high - c.low) * (c.high - c.low) - c.nothing * c.nothing)) as o0,
    sum(c.side * ((c.high - c.low) * (c.high - c.low) - c.nothing * c.nothing)) as o1,
    sum((1 - c.side) * c.low) as l0, sum(c.side * c.low) as l1,
    sum((1 - c.side) * (c.high - c.nothing)) as h0, sum(c.side * (c.high - c.nothing)) as h1
  from cells c join names a on a.name = c.name
  group by case when a.funcs = 1 then c.name else c.func end
)
select m.func as func, m.dso as dso, m.vague as vague, z.n0 as n0, z.n1 as n1, m.s0 as s0, m.s1 as s1,
  m.q0 as q0, m.q1 as q1, m.o0 + z.o0 as o0, m.o1 + z.o1 as o1, m.l0 as l0, m.l1 as l1,
  m.h0 + z.h0 as h0, m.h1 + z.h1 as h1
from sums m cross join sizes z
where z.n0 > 0 and z.n1 > 0
order by func, dso`;
}

/** Mean and its interval over `recordings` values; of one its own. */
function meanSql(m: string): { mean: string; low: string; high: string } {
  const mean = `${m}.share / ${m}.recordings`;
  const spread = `(${m}.squares - ${m}.share * ${m}.share / ${m}.recordings) / greatest(1, ${m}.recordings - 1)`;
  const open = `${m}.open / ${m}.recordings / ${4 * Z95 ** 2}`;
  const half = `${t95Sql(`(${m}.recordings - 1)`)} * sqrt(greatest(${spread}, ${open}) / ${m}.recordings)`;
  return {
    mean,
    low: `case when ${m}.recordings = 1 then ${m}.least else greatest(0.0, ${mean} - ${half}) end`,
    high: `case when ${m}.recordings = 1 then ${m}.most else least(1.0, ${mean} + ${half}) end`,
  };
}

/** Student's 95 % quantile: of few degrees by table, else by Cornish and Fisher's expansion (to 0.01 %). */
function t95Sql(degrees: string): string {
  const few = [1, 2, 3, 4].map(
    (count) => `when ${degrees} = ${count} then ${t95(count).toFixed(4)}`,
  );
  const d = `greatest(1, ${degrees})`;
  const [first, second, third] = T95_TERMS.map((term) => term.toFixed(6));
  return `(case ${few.join(' ')} else ${Z95} + ${first} / ${d} + ${second} / ${d} / ${d} + ${third} / ${d} / ${d} / ${d} end)`;
}

/** Why a question by name has no rows. */
export function explainNoRows(verb: QueryVerb, { func, event, builds }: VerbOptions): string {
  const asked = [
    ...(builds === undefined ? [] : [`a recording of each of ${builds.join(' and ')}`]),
    ...(func === undefined ? [] : [`a function ${func}`]),
    ...(event === undefined ? [] : [`an event ${event}`]),
  ];
  return `${verb}: no rows${asked.length === 0 ? '' : `: needs ${asked.join(', and ')}`}`;
}

function and(...conditions: readonly string[]): string {
  return conditions.filter((condition) => condition !== '').join(' and ') || '1 = 1';
}

function eventIs(alias: string, { event }: VerbOptions): string {
  return event === undefined ? '' : `${alias}.event = ${literal(event)}`;
}

/** Shares of several events must not be mixed. */
function firstEvent(alias: string, { event }: VerbOptions): string {
  return event === undefined ? `${alias}.event = 0` : `${alias}.name = ${literal(event)}`;
}

function service({ service: name }: VerbOptions): string {
  return name === undefined ? '' : `r.service = ${literal(name)}`;
}

function whereService(options: VerbOptions): string {
  const condition = service(options);
  return condition === '' ? '' : `\n  where ${condition}`;
}

function needed(verb: string, func: string | undefined): string {
  if (func !== undefined) return func;
  throw new UsageError(`${verb}: of which function?`, [
    commandOnly(`perf-ts query ${verb} --func NAME`),
  ]);
}

/** A function by its whole name, or by what stands in front of `(` or of its place: `handle`. */
function named(column: string, func: string | undefined): string {
  if (func === undefined) return '';
  if (func.includes('*')) return `${column} like ${literal(func.replaceAll('*', '%'))}`;
  const begins = (end: string) => `position(${literal(func + end)} in ${column}) = 1`;
  return `(${column} = ${literal(func)} or ${begins(' ')} or ${begins('(')} or ${begins('<')})`;
}

/**
 * A string of SQL. Backslashes begin an escape in ClickHouse and none in DuckDB: such names can be
 * asked for with `*`.
 */
function literal(text: string): string {
  return `'${text.replaceAll('\\', '_').replaceAll("'", "''")}'`;
}
