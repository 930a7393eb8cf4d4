/** What the conditions under which tests are skipped come to in words. */
const MEANINGS: readonly (readonly [condition: RegExp, meaning: string])[] = [
  [/hasCorpora/, 'the corpora are absent (PERF_TS_CORPORA)'],
  [/canR(un|ecord)AsNobody/, 'nobody (the user) cannot run perf-ts here'],
  [/findPerf|[hH]asPerf|perfIsThere|\bperf === null|isReference/, 'perf is not installed'],
  [/canBuild32/, 'gcc -m32 does not build here (gcc-multilib)'],
  [/\bDWP\b/, 'dwp and llvm-dwp are not installed'],
  [/isRoot|gete?uid/, 'root only'],
  [/hasClickHouseServer/, 'clickhouse-server is not installed'],
  [/hasCollector/, "OpenTelemetry's Collector is not built (test/rigs/README.md)"],
  [
    /hasClickHouse/,
    "ClickHouse's engine is not installed (npm install chdb, its folder in PERF_TS_CHDB)",
  ],
];

/**
 * Why the test or group that begins in this line (counted from 1) of a test file is skipped: the
 * argument of its `skipIf` or `runIf`, in words where they are known.
 */
export function skipCondition(source: string, line: number): string {
  const lines = source.split('\n');
  const from = lines.slice(0, line - 1).join('\n').length;
  const called = /^\s*([\w.]+)/.exec(lines[line - 1] ?? '')?.[1] ?? '';
  // const itAsRoot = it.skipIf(!isRoot);  itAsRoot('…', …)
  const definition = source.search(new RegExp(`\\b${called} = \\w+\\.(skipIf|runIf)\\(`));
  const condition = conditionAfter(source, definition >= 0 ? definition : from);
  if (condition === undefined) return `skipped by ${called}`;
  return MEANINGS.find(([pattern]) => pattern.test(condition))?.[1] ?? `where ${condition}`;
}

/** In how many characters behind its begin a call names `skipIf`. */
const CALL_BEGIN = 120;

/** The argument of the `skipIf` or `runIf` of the call that begins at `from`. */
function conditionAfter(source: string, from: number): string | undefined {
  const call = /\.(skipIf|runIf)\(/g;
  call.lastIndex = from;
  const match = call.exec(source);
  if (match === null || match.index > from + CALL_BEGIN) return undefined;
  let depth = 1;
  let end = call.lastIndex;
  while (end < source.length && depth > 0) {
    if (source[end] === '(') depth++;
    if (source[end] === ')') depth--;
    end++;
  }
  const argument = source.slice(call.lastIndex, end - 1).trim();
  return match[1] === 'runIf' ? `not (${argument})` : argument;
}
