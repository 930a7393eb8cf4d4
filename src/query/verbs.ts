import { UsageError } from '../base/errors.ts';
import { Z95 } from '../base/normal.ts';
import { T95_TERMS, t95 } from '../base/student.ts';
import { commandOnly } from '../base/words.ts';
import { LEAST_SPREAD } from '../profile/analysis/change.ts';

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
      return changesSql(among(sides.old), among(sides.new), options, EACH_RECORDING);
    }
    case 'compare': {
      const [old, now] = options.builds ?? [];
      if (old === undefined || now === undefined) {
        throw new UsageError('compare needs two builds', ['perf-ts query compare OLD NEW']);
      }
      if (old === now) throw new UsageError(`compare needs two builds, and ${old} is one`);
      return changesSql(
        `r.build = ${literal(old)}`,
        `r.build = ${literal(now)}`,
        options,
        OF_A_FLEET,
      );
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

/** Parts of the time of a group of recordings, whose shares differ by what the load did: each is one value. */
const PARTS = 16;
/** Number of hosts from which on each is a value: they differ by more than one does from part to part. */
const MANY_HOSTS = 8;

const PART_OF_TIME = `floor((r.started_ns - g.first) * ${PARTS}.0 / (g.last - g.first + 1))`;

/**
 * Which of the values of a group a recording `r` belongs to, as two columns: `place`, and a part of the time of that place,
 * or the recording where it has none. `g` has the group's `first` and `last` start and its number of `hosts`.
 */
const UNIT_SQL = {
  place: "coalesce(r.host, '')",
  part: `case when g.hosts >= ${MANY_HOSTS} then 0.0 when r.started_ns is null then r.recording * 1.0 else ${PART_OF_TIME} end`,
};

/**
 * The share of a function in all that its recordings weigh, by version and host, and over all hosts (`*`) where there are
 * several. The interval is that of a ratio of sums (Cochran 1977, 6.3) over what varies: parts of the time, or hosts, of
 * which there are so many `parts`.
 */
function shareSql(options: VerbOptions): string {
  const { place, part } = UNIT_SQL;
  const group = "coalesce(r.service, '') as service, coalesce(r.build, '') as build";
  const host = "case when a.pooled = 1 then '*' else coalesce(r.host, '') end";
  const all = 'cross join (select 0 as pooled union all select 1 as pooled) a';
  const { mean, low, high } = ratioSql('m');
  return `with cells as (
  select c.recording as recording, sum(c.share) as share, sum(c.low) as low,
    case when count(*) = 1 then max(c.nothing) else sum(c.high) end as high, max(c.weight) as weight
  from (
    select f.recording as recording, f.self_share as share, coalesce(f.self_low, f.self_share) as low,
      coalesce(f.self_high, f.self_share) as high, 0.0 as nothing, 0.0 as weight
    from functions f join events e on e.recording = f.recording and e.event = f.event
    where ${and(firstEvent('e', options), named('f.func', needed('share', options.func)))}
    union all
    select e.recording as recording, 0.0 as share, 0.0 as low, 0.0 as high,
      coalesce(e.nothing_high, 0.0) as nothing, e.weight as weight
    from events e where ${firstEvent('e', options)}
  ) c
  group by c.recording
), spans as (
  select ${group}, ${host} as host, min(r.started_ns) as first, max(r.started_ns) as last,
    count(distinct r.host) as hosts
  from recordings r ${all}${whereService(options)}
  group by coalesce(r.service, ''), coalesce(r.build, ''), ${host}
), units as (
  select g.service as service, g.build as build, g.host as host, ${place} as place, ${part} as part,
    count(*) as recordings, sum(c.weight) as w, sum(c.share * c.weight) as s,
    sum(c.low * c.weight) as l, sum(c.high * c.weight) as h,
    sum((c.high - c.low) * (c.high - c.low) * c.weight * c.weight) as o
  from cells c join recordings r on r.recording = c.recording
  join spans g on g.service = coalesce(r.service, '') and g.build = coalesce(r.build, '')
  where g.host = coalesce(r.host, '') or (g.host = '*' and g.hosts > 1)
  group by g.service, g.build, g.host, ${place}, ${part}
), sums as (
  select u.service as service, u.build as build, u.host as host, sum(u.recordings) as recordings,
    count(*) * 1.0 as n, sum(u.w) as w, sum(u.s) as s, sum(u.l) as l, sum(u.h) as h, sum(u.o) as o,
    sum(u.s * u.s) as q, sum(u.s * u.w) as p, sum(u.w * u.w) as v
  from units u
  group by u.service, u.build, u.host
)
select nullif(m.service, '') as service, nullif(m.build, '') as build, nullif(m.host, '') as host,
  m.recordings as recordings, ${mean} as share, ${low} as low, ${high} as high, m.n as parts
from sums m
where m.w > 0
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

/** The way in which recordings of a side are taken together: what each weighs, and which of them are one value. */
type Together = { readonly weight: string; readonly place: string; readonly part: string };
/** Runs of one program: each is a value. */
const EACH_RECORDING: Together = { weight: '1.0', place: "''", part: 'r.recording * 1.0' };
/** Windows of many machines: a share is that of their sums. */
const OF_A_FLEET: Together = { weight: 'e.weight', ...UNIT_SQL };

/**
 * The SQL of the sums of each function's weights on either side, `s0` and `s1`, with what their interval follows from: numbers
 * of values, weights, squares and products of both, squared widths and ends. A recording without a sample of it adds the
 * interval of nothing. A function of JavaScript whose line has moved is the same where only one on either side is called so.
 */
function changesSql(
  isOld: string,
  isNew: string,
  options: VerbOptions,
  { weight, place, part }: Together,
): string {
  const isNewer = `case when ${isNew} then 1 else 0 end`;
  const among = `((${isOld}) or (${isNew}))${service(options) && ` and ${service(options)}`}`;
  return `with spans as (
  select ${isNewer} as side, min(r.started_ns) as first, max(r.started_ns) as last,
    count(distinct r.host) as hosts
  from recordings r
  where ${among}
  group by ${isNewer}
), sides as (
  select r.recording as recording, g.side as side, coalesce(e.nothing_high, 0.0) as nothing,
    ${weight} as w, ${place} as place, ${part} as part
  from recordings r join events e on e.recording = r.recording join spans g on g.side = ${isNewer}
  where ${among} and ${firstEvent('e', options)}
), units as (
  select s.side as side, s.place as place, s.part as part, sum(s.w) as w,
    sum(s.nothing * s.w) as h, sum(s.nothing * s.nothing * s.w * s.w) as o
  from sides s
  group by s.side, s.place, s.part
), sizes as (
  select sum(1 - u.side) as n0, sum(u.side) as n1, sum((1 - u.side) * u.w) as w0,
    sum(u.side * u.w) as w1, sum((1 - u.side) * u.w * u.w) as v0, sum(u.side * u.w * u.w) as v1,
    sum((1 - u.side) * u.h) as h0, sum(u.side * u.h) as h1, sum((1 - u.side) * u.o) as o0,
    sum(u.side * u.o) as o1
  from units u
), cells as (
  select f.func as func, s.side as side, f.recording as recording, sum(f.self_share) as share,
    min(${WITHOUT_LINE}) as name, max(f.dso) as dso, max(case when f.self_low is null then 1 else 0 end) as vague,
    sum(coalesce(f.self_low, f.self_share)) as low, sum(coalesce(f.self_high, f.self_share)) as high,
    max(s.nothing) as nothing, max(s.w) as w, max(s.place) as place, max(s.part) as part
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
), parts as (
  select case when a.funcs = 1 then c.name else c.func end as name, c.side as side, c.place as place,
    c.part as part, max(c.func) as func, max(c.dso) as dso, max(c.vague) as vague,
    sum(c.share * c.w) as s, sum(c.low * c.w) as l, sum((c.high - c.nothing) * c.w) as h,
    sum(((c.high - c.low) * (c.high - c.low) - c.nothing * c.nothing) * c.w * c.w) as o
  from cells c join names a on a.name = c.name
  group by case when a.funcs = 1 then c.name else c.func end, c.side, c.place, c.part
), sums as (
  select case when max(t.side) = 1 then max(case when t.side = 1 then t.func else '' end)
    else max(t.func) end as func, max(t.dso) as dso, max(t.vague) as vague,
    sum((1 - t.side) * t.s) as s0, sum(t.side * t.s) as s1,
    sum((1 - t.side) * t.s * t.s) as q0, sum(t.side * t.s * t.s) as q1,
    sum((1 - t.side) * t.s * u.w) as p0, sum(t.side * t.s * u.w) as p1,
    sum((1 - t.side) * t.o) as o0, sum(t.side * t.o) as o1,
    sum((1 - t.side) * t.l) as l0, sum(t.side * t.l) as l1,
    sum((1 - t.side) * t.h) as h0, sum(t.side * t.h) as h1
  from parts t join units u on u.side = t.side and u.place = t.place and u.part = t.part
  group by t.name
)
select m.func as func, m.dso as dso, m.vague as vague, z.n0 as n0, z.n1 as n1, z.w0 as w0, z.w1 as w1,
  m.s0 as s0, m.s1 as s1, m.q0 as q0, m.q1 as q1, m.p0 as p0, m.p1 as p1, z.v0 as v0, z.v1 as v1,
  m.o0 + z.o0 as o0, m.o1 + z.o1 as o1, m.l0 as l0, m.l1 as l1, m.h0 + z.h0 as h0, m.h1 + z.h1 as h1
from sums m cross join sizes z
where z.w0 > 0 and z.w1 > 0
order by func, dso`;
}

/**
 * A ratio of the sums `s` and `w` of `n` values, and its interval from their squares `q`, their products `p` and the squares
 * `v` of the weights; of one value its own. As in `changeOfSides`, it is at least a third of what the recordings leave open.
 */
function ratioSql(m: string): { mean: string; low: string; high: string } {
  const mean = `${m}.s / ${m}.w`;
  const spread = `(${m}.q - 2 * ${mean} * ${m}.p + ${mean} * ${mean} * ${m}.v) * ${m}.n / greatest(1.0, ${m}.n - 1)`;
  const open = `${m}.o * ${LEAST_SPREAD ** 2 / (2 * Z95) ** 2}`;
  const half = `${t95Sql(`(${m}.n - 1)`)} * sqrt(greatest(${spread}, ${open})) / ${m}.w`;
  return {
    mean,
    low: `case when ${m}.n = 1 then ${m}.l / ${m}.w else greatest(0.0, ${mean} - ${half}) end`,
    high: `case when ${m}.n = 1 then ${m}.h / ${m}.w else least(1.0, ${mean} + ${half}) end`,
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
export function explainNoRows(
  verb: QueryVerb,
  { func, event, builds, service: of }: VerbOptions,
): string {
  const asked = [
    ...(builds === undefined ? [] : [`a recording of each of ${builds.join(' and ')}`]),
    ...(func === undefined ? [] : [`a function ${func}`]),
    ...(event === undefined ? [] : [`an event ${event}`]),
    ...(of === undefined ? [] : [`a service ${of}`]),
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
