import { rmSync } from 'node:fs';
import { SELFTEST } from '../../options/arguments.ts';
import { checkOptions } from '../../options/check.ts';
import type { PeriodRule } from '../../period/types.ts';
import { makeOwnFolder } from '../../system/files/own-folder.ts';
import { packageVersion } from '../../system/version.ts';
import { readMachineFacts } from './machine-facts.ts';
import { runCase, tryOpening, unavailableCase } from './run-case.ts';
import type { CaseReport, CaseSetup, FindingState, SelftestReport } from './types.ts';

/**
 * Hardware, the same with less skid (PEBS, IBS), software, tracepoint and clock: each kind has
 * drivers and rules of its own.
 */
const SELFTEST_EVENTS = [
  'cycles',
  'cycles:p',
  'instructions',
  'page-faults',
  'raw_syscalls:sys_enter',
  'cpu-clock',
] as const;

/** Samples that a recording in period mode aims for. */
const PERIOD_MODE_SAMPLES = 2000;
const RATES_HZ = [10_000, 1000] as const;

/** Events and size of a self-test. */
export type SelftestOptions = {
  /** Events in perf's syntax; default: one of each kind. */
  readonly events?: readonly string[];
  /** One rate, with counts, and period mode: a third of the recordings. */
  readonly quick?: boolean;
  /** Told of each recording before it is made. */
  readonly onBegin?: (setup: CaseSetup) => void;
  /** Told of each recording when it is done. */
  readonly onCase?: (report: CaseReport) => void;
};

/**
 * Checks on this machine what perf-ts claims of the kernel: which interval a period belongs to, that
 * weights add up to the counter, that the phases of a known program get their shares, that period
 * mode is exact, that the kernel's algorithm is the one we replay. It records a workload of its own
 * over and over, less than a minute in all.
 *
 * The report holds nothing of whose machine it is: no host, user or file names.
 *
 * @example
 * ```ts
 * import { type SelftestOptions, selftest } from 'perf-ts';
 *
 * const options: SelftestOptions = { events: ['page-faults'], quick: true };
 * const { ok, differs, notAvailable } = await selftest(options);
 * console.log(ok, differs, notAvailable);
 * ```
 */
export async function selftest(options: SelftestOptions = {}): Promise<SelftestReport> {
  checkOptions(SELFTEST, options, 'selftest');
  const machine = readMachineFacts();
  const folder = makeOwnFolder('selftest');
  const cases: CaseReport[] = [];
  const rules: Record<string, PeriodRule> = {};
  try {
    for (const event of options.events ?? SELFTEST_EVENTS) {
      const found = await testEvent(event, folder, options);
      cases.push(...found.cases);
      if (found.rule !== null) rules[event] = found.rule;
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const count = (state: FindingState) =>
    cases.flatMap(({ findings }) => findings).filter((finding) => finding.state === state).length;
  return {
    schema: 'perf-ts/selftest@1',
    recorder: packageVersion(),
    machine,
    cases,
    rules,
    ok: count('ok'),
    differs: count('differs'),
    notAvailable: count('not-available'),
  };
}

/** Every case of one event: with counts first, so that the others can be held against them. */
async function testEvent(
  event: string,
  folder: string,
  options: SelftestOptions,
): Promise<{ cases: CaseReport[]; rule: PeriodRule | null }> {
  const cases: CaseReport[] = [];
  const add = (report: CaseReport) => {
    cases.push(report);
    options.onCase?.(report);
  };
  const openable = tryOpening(event);
  if (openable.kind === 'refused') {
    add(unavailableCase(frequencyCases(event, true)[0], openable.why));
    return { cases, rule: null };
  }
  let rule: PeriodRule | null = null;
  let counted: number | null = null;
  const run = (setup: CaseSetup): Promise<CaseReport> => {
    options.onBegin?.(setup);
    return runCase(setup, folder, rule);
  };
  for (const setup of frequencyCases(event, options.quick === true)) {
    const report = await run(setup);
    add(report);
    const { numbers } = report;
    if (numbers === null) continue;
    counted ??= numbers.counted;
    if (numbers.rule.from === 'counts' && numbers.rule.rule !== 'unknown')
      rule ??= numbers.rule.rule;
  }
  if (counted !== null && counted > 0) {
    const count = Math.max(1, Math.round(counted / PERIOD_MODE_SAMPLES));
    for (const counts of options.quick === true ? [true] : [true, false]) {
      add(await run({ event, rate: { count }, counts, oneThread: false }));
    }
  }
  return { cases, rule };
}

/** Records the main thread alone at the low rate, where tails are long: its tails are known exactly. */
function frequencyCases(event: string, isQuick: boolean): [CaseSetup, ...CaseSetup[]] {
  const [fast, slow] = RATES_HZ;
  const first = { event, rate: { freq: fast }, counts: true, oneThread: false };
  if (isQuick) return [first];
  return [
    first,
    { event, rate: { freq: slow }, counts: true, oneThread: true },
    { event, rate: { freq: fast }, counts: false, oneThread: false },
    { event, rate: { freq: slow }, counts: false, oneThread: false },
  ];
}
