import { AbortError, FailedError, UsageError } from '../../base/errors.ts';
import { signalStatus } from '../../base/exit-status.ts';
import { printable } from '../../base/printable.ts';
import { doubtsOfEvents, type Finding, isPrintedOnReading } from '../../findings/finding.ts';
import type { AskedOf } from '../../options/option.ts';
import { type QUERY, USUAL_ANSWERS } from '../../options/query.ts';
import {
  answerChanges,
  changesOfFiles,
  changesOfSums,
  withSensitivity,
} from '../../query/changes.ts';
import { ClickHouseEngine } from '../../query/clickhouse.ts';
import { parseClickHouse } from '../../query/clickhouse-place.ts';
import type { QueryAnswer, QueryEngine } from '../../query/engine.ts';
import { type AnsweredVerb, answerByName, isAnswered } from '../../query/named-answers.ts';
import {
  isParquetFolder,
  numbered,
  openRecordings,
  type QueriedRecording,
} from '../../query/open-recordings.ts';
import {
  explainNoRows,
  QUERY_VERBS,
  type QueryVerb,
  type VerbOptions,
  verbSql,
} from '../../query/verbs.ts';
import type { AnalysedProfile } from '../../read/outputs/analysed-profile.ts';
import { findingTexts } from '../../read/outputs/compare-recordings.ts';
import { findingsOf } from '../../read/outputs/findings-of.ts';
import { recordingNumber, recordingTables } from '../../read/outputs/recording-tables.ts';
import { notify } from '../shared/failure.ts';
import { loadForCommand } from '../shared/load.ts';
import { printJson, writeOut, writeText } from '../shared/stdout.ts';
import { answerCsv, answerLines, answerMarkdown, answerObjects } from './answer-formats.ts';

export type QueryFlags = AskedOf<typeof QUERY>;

const SIGINT = 2;
/** Functions of two builds that are judged together. */
const MOST_FUNCTIONS = 1_000_000;
/** Questions about many recordings. */
const OF_SERVICES: ReadonlySet<string | undefined> = new Set([
  'share',
  'compare',
  'rarest',
  'newest',
]);
/** Questions that tables answer by sums: a recording's samples answer them with intervals. */
const SUMMED_IN_SQL: ReadonlySet<QueryVerb> = new Set(['callers', 'callees', 'lines', 'timeline']);
const SUMMED =
  'summed in SQL, of tables: without intervals, what recurs counts for each of its callers, and a wait is in the ' +
  'second of its sample; the recording itself is answered as perf-ts report counts';

/** `perf-ts query WHAT [FILE…]`: WHAT is a verb or SQL. */
export async function runQuery(
  what: string,
  words: readonly string[],
  flags: QueryFlags,
): Promise<void> {
  if ([flags.json, flags.csv, flags.md].filter(Boolean).length > 1) {
    throw new UsageError('--json, --csv and --md exclude each other');
  }
  const verb = QUERY_VERBS.find((name) => name === what);
  if (verb === undefined && !/\s/.test(what.trim())) {
    throw new UsageError(`${what}: neither SQL nor one of ${QUERY_VERBS.join(', ')}`, [
      "perf-ts query 'select * from top_self limit 10' perf.data",
    ]);
  }
  const { maxRows, timeout } = flags;
  const limits = { maxRows, timeoutSeconds: timeout / 1000 };
  const builds = verb === 'compare' ? words.slice(0, 2) : [];
  const files = words.slice(builds.length);
  if (flags.service !== undefined && !flags.insert && !OF_SERVICES.has(verb)) {
    throw new UsageError(`--service: only ${[...OF_SERVICES].join(', ')} are by service`, [
      "in SQL: recordings where service = 'NAME'",
    ]);
  }
  const asked = recordingsOf(verb, files, flags);
  const areFiles = flags.on === undefined && !flags.insert;
  if (
    (verb === 'diff' || isAnswered(verb)) &&
    areFiles &&
    !asked.some(({ file }) => isParquetFolder(file))
  ) {
    await printAnswer(verb, asked, flags, limits);
    return;
  }
  let noRows = '';
  const sqlFor = (recordings: readonly QueriedRecording[]) => {
    if (verb === undefined) return what;
    const options = optionsOf(verb, recordings, builds, flags);
    noRows = explainNoRows(verb, options);
    return verbSql(verb, options);
  };
  const judged: Judged = new Map();
  const texts: string[] = [];
  const open = opener(flags, { judged, texts }, () => true);
  const { engine, recordings, sql } = await openEngine(verb, files, sqlFor, open, flags);
  const stopped = new AbortController();
  const stop = (): void => stopped.abort();
  process.once('SIGINT', stop);
  try {
    const isJudged = verb === 'diff' || verb === 'compare';
    const most = isJudged ? MOST_FUNCTIONS : maxRows;
    const found = await engine.run(sql, { ...limits, maxRows: most, signal: stopped.signal });
    const rows = verb === 'share' ? withSensitivity(found) : found;
    const answer = isJudged
      ? answerChanges(changesOfSums(found), optionsOf(verb, recordings, builds, flags), maxRows)
      : rows;
    for (const text of texts) notify(`perf-ts: ${text}`);
    print(sql, answer, recordings, judged, flags);
    if (verb !== undefined && SUMMED_IN_SQL.has(verb)) notify(`perf-ts: ${SUMMED}`);
    if (answer.rows.length === 0 && noRows !== '') notify(`perf-ts: ${printable(noRows)}`);
  } catch (error) {
    if (!(error instanceof AbortError)) throw error;
    throw new FailedError('the query was interrupted', [], signalStatus(SIGINT));
  } finally {
    process.removeListener('SIGINT', stop);
    engine.close();
  }
}

/** The files of a question, those that `--baseline` names first. */
function recordingsOf(
  verb: QueryVerb | undefined,
  files: readonly string[],
  flags: QueryFlags,
): QueriedRecording[] {
  const all = [...(flags.baseline ?? []), ...files];
  const defaults = verb === 'diff' ? ['perf.data.old', 'perf.data'] : ['perf.data'];
  return numbered(all.length === 0 ? defaults : all);
}

/** Prints what a question by name is answered without an engine. */
async function printAnswer(
  verb: AnsweredVerb | 'diff',
  recordings: readonly QueriedRecording[],
  flags: QueryFlags,
  { maxRows }: { readonly maxRows: number },
): Promise<void> {
  const options = optionsOf(verb, recordings, [], flags);
  const { weight, event } = flags;
  const asked = { ...options, maxRows, ...(weight !== undefined && { weight }) };
  const judged: Judged = new Map();
  const texts: string[] = [];
  const open = opener(flags, { judged, texts }, (name, row) =>
    event === undefined ? row === 0 || verb === 'ledger' || verb === 'periods' : name === event,
  );
  const { notes, ...answer } =
    verb === 'diff'
      ? {
          ...answerChanges(await changesOfFiles(recordings, open, asked), options, maxRows),
          notes: [],
        }
      : await answerByName(verb, recordings, open, asked);
  for (const text of texts) notify(`perf-ts: ${text}`);
  for (const note of notes) notify(`perf-ts: ${note}`);
  print(null, answer, recordings, judged, flags);
  if (flags.sql) {
    notify(
      'perf-ts: no SQL was run: the question is answered from the samples. In SQL, which sums without intervals and counts recursion at each call:',
    );
    notify(verbSql(verb, options));
  }
  if (answer.rows.length === 0) notify(`perf-ts: ${printable(explainNoRows(verb, options))}`);
}

/** The findings about each recording that was opened. */
type Judged = Map<string, readonly Finding[]>;

/** Opens files, and collects what is found about each; in `texts` the doubts of those events that are shown, unless a document has them itself. */
function opener(
  flags: QueryFlags,
  { judged, texts }: { readonly judged: Judged; readonly texts: string[] },
  isShown: (event: string, row: number) => boolean,
): (file: string) => Promise<AnalysedProfile> {
  return async (file) => {
    const opened = await loadForCommand(file, flags, { lines: true });
    const findings = findingsOf(opened);
    const rows = opened.profile.events.flatMap(({ name }, row) =>
      isShown(name, row) ? [row] : [],
    );
    const doubts = doubtsOfEvents(findings, rows).filter(({ code }) => !isPrintedOnReading(code));
    if (!flags.json && !judged.has(file))
      texts.push(...findingTexts({ path: file, opened }, doubts));
    judged.set(file, findings);
    return opened;
  };
}

/** A question, the recordings it is about, and the engine. */
type OpenedQuery = {
  readonly engine: QueryEngine;
  readonly recordings: readonly QueriedRecording[];
  readonly sql: string;
};

async function openEngine(
  verb: QueryVerb | undefined,
  files: readonly string[],
  sqlFor: (recordings: readonly QueriedRecording[]) => string,
  open: (file: string) => Promise<AnalysedProfile>,
  flags: QueryFlags,
): Promise<OpenedQuery> {
  const options = {
    ...(flags.weight !== undefined && { weight: flags.weight }),
    // These are questions by name, which their text need not tell.
    ...(verb !== undefined && { totals: verb === 'top' && flags.by === 'total' }),
  };
  if (flags.on === undefined) {
    if (flags.insert) throw new UsageError('--insert: into which server? --on clickhouse://HOST');
    const recordings = recordingsOf(verb, files, flags);
    const sql = sqlFor(recordings);
    return { engine: await openRecordings(recordings, open, sql, options), recordings, sql };
  }
  const engine = new ClickHouseEngine(parseClickHouse(flags.on));
  const recordings = await insertInto(engine, files, open, flags);
  return { engine, recordings, sql: sqlFor(recordings) };
}

/** Adds the recordings to the server, where that is asked for. */
async function insertInto(
  engine: ClickHouseEngine,
  files: readonly string[],
  open: (file: string) => Promise<AnalysedProfile>,
  flags: QueryFlags,
): Promise<QueriedRecording[]> {
  if (files.length > 0 && !flags.insert) {
    throw new UsageError(`${files[0]}: with --on the server's recordings are asked`, [
      'add it to the server first: --insert',
    ]);
  }
  const options = flags.weight === undefined ? {} : { weight: flags.weight };
  const labels = {
    ...(flags.service !== undefined && { service: flags.service }),
    ...(flags.build !== undefined && { build: flags.build }),
  };
  const recordings: QueriedRecording[] = [];
  for (const file of files) {
    const opened = await open(file);
    const recording = recordingNumber(opened);
    await engine.insert(recording, recordingTables(opened, { name: file, ...labels }, options));
    notify(`perf-ts: ${file} is recording ${recording} on the server`);
    recordings.push({ recording, file });
  }
  return recordings;
}

function optionsOf(
  verb: QueryVerb,
  recordings: readonly QueriedRecording[],
  builds: readonly string[],
  flags: QueryFlags,
): VerbOptions {
  const { func, event, by, service } = flags;
  const numbers = recordings.map(({ recording }) => recording);
  const old = flags.baseline?.length ?? 1;
  if (verb === 'diff' && numbers.length < old + 1) {
    throw new UsageError('diff needs a recording on either side', ['perf-ts query diff OLD NEW']);
  }
  if (verb === 'diff' && flags.baseline === undefined && numbers.length > 2) {
    throw new UsageError(`${numbers.length} recordings: which of them are older is not clear`, [
      'perf-ts query diff --baseline OLD1 --baseline OLD2 NEW1 NEW2',
    ]);
  }
  return {
    limit: flags.limit ?? USUAL_ANSWERS,
    ...(func !== undefined && { func }),
    ...(event !== undefined && { event }),
    ...(by !== undefined && { by }),
    ...(service !== undefined && !flags.insert && { service }),
    ...(verb === 'diff' && { sides: { old: numbers.slice(0, old), new: numbers.slice(old) } }),
    ...(builds.length === 2 && { builds: [builds[0], builds[1]] as const }),
  };
}

function print(
  /** The text that the engine was asked; null where none was. */
  sql: string | null,
  answer: QueryAnswer,
  asked: readonly QueriedRecording[],
  judged: Judged,
  flags: QueryFlags,
): void {
  if (flags.json) {
    const { isCut } = answer;
    const recordings = asked.map((each) => ({ ...each, findings: judged.get(each.file) ?? null }));
    printJson({ schema: 'perf-ts/query@1', recordings, sql, rows: answerObjects(answer), isCut });
    return;
  }
  if (flags.csv) {
    if (flags.sql && sql !== null) notify(sql);
    if (answer.isCut) notify(`perf-ts: more than these ${answer.rows.length} rows (--max-rows)`);
    writeOut(answerCsv(answer));
    return;
  }
  const lines = flags.md ? answerMarkdown(answer) : answerLines(answer);
  if (flags.sql && sql !== null)
    lines.unshift(...(flags.md ? ['```sql', sql, '```', ''] : [sql, '']));
  writeText(`${lines.join('\n')}\n`);
}
