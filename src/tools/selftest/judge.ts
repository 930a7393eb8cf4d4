import type { PeriodRule } from '../../period/types.ts';
import type { CaseNumbers, CaseSetup, Finding, FindingName, PhaseShare } from './types.ts';

/** Deviation allowed to a phase's share, as a part of it, besides its slack. */
const SHARE_TOLERANCE = 0.03;
/** Slack, as a part of the share, above which nothing was measured. */
const MAX_SLACK = 0.25;
/** Part of all events by which weights that are periods may exceed the counter. */
const SUM_TOLERANCE = 0.01;
/**
 * Part of all events that may be left where finals of single instances are not known. A thread's instance
 * starts with the period that its parent's had come to, so it may end before its first sample.
 */
const UNDIVIDED_TOLERANCE = 0.05;
/** Threads of Node that may have counted and taken no sample. */
const IDLE_THREADS = 16;
/** Share of the timers that may be skipped before it is said. */
const TIMER_TOLERANCE = 0.05;
const UNSEEN = ': without counts it is unknown what an instance counted before its first sample';
/** Rate below which ticks have a hand in most steps, and where they fell is only inferred. */
const MIN_JUDGED_HZ = 5000;
/** Fewer replayed steps are mostly the first ramp and say little of the algorithm. */
const MIN_COMPARED = 200;
const MIN_WITHIN_1_PERCENT = 0.9;

/**
 * Holds one recording against what we claim. `rule` is what counts said of the same event in
 * another recording, null where that is not known.
 */
export function judgeCase(
  setup: CaseSetup,
  numbers: CaseNumbers,
  ruleByCounts: PeriodRule | null,
): Finding[] {
  const samples = judgeSamples(numbers);
  if (numbers.samples === 0) return [samples];
  return [
    samples,
    judgeOrder(numbers),
    ...(numbers.fit === null ? [] : [judgeRule(numbers, ruleByCounts)]),
    judgeLedger(setup, numbers),
    ...('count' in setup.rate ? [judgePeriodMode(setup.rate.count, numbers)] : []),
    ...(numbers.fit === null ? [] : [judgeModel(setup, numbers)]),
    judgePhases(numbers),
    judgeIntervals(numbers),
    judgeThrottling(numbers),
  ];
}

function judgeSamples({ samples, lostSamples, counted }: CaseNumbers): Finding {
  if (samples > 0) return ok('samples', `${samples} arrived, ${lostSamples} lost`);
  if (counted === 0) return notAvailable('samples', 'the event did not happen');
  return differs(
    'samples',
    `none arrived, though the counter reached ${counted ?? 'no one knows'}`,
  );
}

function judgeOrder({ samples, outOfOrder }: CaseNumbers): Finding {
  return outOfOrder === 0
    ? ok('order', `${samples} samples in order of time`)
    : differs('order', `${outOfOrder} of ${samples} samples are earlier than the one before`);
}

/** Each independent source that says anything must say the same. */
function judgeRule({ rule, probed, fit }: CaseNumbers, ruleByCounts: PeriodRule | null): Finding {
  const readings: [string, PeriodRule][] = [[`by ${rule.from}`, rule.rule]];
  if (probed !== null && rule.from !== 'probe') readings.push(['by the probe', probed.rule]);
  if (fit !== null && rule.from !== 'fit') readings.push(['by fit', fit.rule]);
  if (rule.from !== 'counts' && ruleByCounts !== null) {
    readings.push(['by counts of another recording', ruleByCounts]);
  }
  const text = readings.map(([how, what]) => `${what} ${how}`).join(', ');
  const known = new Set(readings.map(([, what]) => what).filter((what) => what !== 'unknown'));
  if (known.size === 0) return notAvailable('rule', `${text}: the periods do not tell`);
  return known.size === 1 ? ok('rule', text) : differs('rule', text);
}

/** Σ weights + gaps + tails + instances without a sample = what the counter counted. */
function judgeLedger(setup: CaseSetup, numbers: CaseNumbers): Finding {
  const { counted, lostSamples, ledger } = numbers;
  if (counted === null || ledger === null) {
    return notAvailable('ledger', 'the counter was not read at the end');
  }
  const text = describeLedger(numbers, ledger);
  if (!setup.counts && lostSamples > 0) {
    return notAvailable('ledger', `${text}: without counts it is unknown what was lost`);
  }
  const { tail, undivided, unaccounted } = ledger;
  const isExact = setup.counts && !numbers.isClock;
  if (isExact ? unaccounted !== 0 : unaccounted < -SUM_TOLERANCE * counted) {
    return differs('ledger', text);
  }
  const left = tail + undivided + Math.max(0, unaccounted);
  // Where nothing is left undivided, only tails are, and their bound is exact.
  const tolerance = isExact && undivided === 0 ? 0 : UNDIVIDED_TOLERANCE * counted;
  if (left <= Math.max(tolerance, tailBound(setup, numbers))) {
    return ok('ledger', text);
  }
  if (numbers.isClock) return notAvailable('ledger', text + whyShort(numbers));
  if (!setup.counts) return notAvailable('ledger', text + UNSEEN);
  return differs('ledger', `${text}: more than the last intervals explain`);
}

function describeLedger(
  { weighed, counted }: CaseNumbers,
  { gaps, tail, unsampled, undivided, unaccounted }: NonNullable<CaseNumbers['ledger']>,
): string {
  const parts = [
    `weights ${round(weighed)}`,
    `tail ${round(tail)}`,
    ...(gaps === 0 ? [] : [`gaps ${round(gaps)}`]),
    ...(unsampled === 0 ? [] : [`instances without a sample ${round(unsampled)}`]),
    ...(undivided === 0 ? [] : [`not told apart ${round(undivided)}`]),
  ];
  return `${parts.join(' + ')} = ${counted}, unaccounted ${round(unaccounted)}`;
}

/**
 * Events that may be left after the last sample of each instance. By the rule 'next' that is less than the
 * period that the sample reports; else the next period is not known, and near the last. In period
 * mode an instance may also end before its first sample.
 */
function tailBound(setup: CaseSetup, { lastPeriods, rule }: CaseNumbers): number {
  if ('count' in setup.rate) return lastPeriods + IDLE_THREADS * setup.rate.count;
  return rule.rule === 'next' ? lastPeriods : 2 * lastPeriods;
}

/** One sample every `period` events: floor(counted / period) for every instance. */
function judgePeriodMode(period: number, numbers: CaseNumbers): Finding {
  const { samples, lostSamples, streams, streamsOffCount, counted, throttles } = numbers;
  if (throttles > 0) return notAvailable('period-mode', 'the kernel throttled the event');
  if (numbers.isClock) return judgeTimer(period, numbers);
  if (streamsOffCount !== null && lostSamples === 0) {
    return streamsOffCount === 0
      ? ok('period-mode', `floor(counter / ${period}) samples in each of ${streams} instances`)
      : differs(
          'period-mode',
          `${streamsOffCount} of ${streams} instances are off floor(counter / ${period})`,
        );
  }
  if (counted === null) return notAvailable('period-mode', 'the counter was not read at the end');
  const taken = samples + lostSamples;
  const most = Math.floor(counted / period);
  // Each instance keeps a remainder.
  const least = most - (streams + IDLE_THREADS);
  const text = `${taken} taken of floor(${counted} / ${period}) = ${most}`;
  return taken <= most && taken >= least
    ? ok('period-mode', text)
    : differs('period-mode', `${text}, ${streams} instances`);
}

/** A timer that comes late is set to the next whole period: none is taken twice, some are skipped. */
function judgeTimer(period: number, numbers: CaseNumbers): Finding {
  const { samples, lostSamples, counted } = numbers;
  if (counted === null) return notAvailable('period-mode', 'the counter was not read at the end');
  const taken = samples + lostSamples;
  const most = Math.floor(counted / period);
  const text = `${taken} timers of ${most} that fit the time`;
  if (taken > most) return differs('period-mode', text);
  if (taken < most * (1 - TIMER_TOLERANCE))
    return notAvailable('period-mode', text + whyShort(numbers));
  return ok('period-mode', text);
}

/** The reason why a clock took fewer samples than fit the time. */
function whyShort({ isUserOnly }: CaseNumbers): string {
  return isUserOnly
    ? ': the clock runs on in the kernel, where this event takes no samples'
    : ': timers were skipped, as happens where others take the CPU away';
}

function judgeModel({ rate }: CaseSetup, { model, lostSamples }: CaseNumbers): Finding {
  if (model === null) return notAvailable('model', 'the algorithm was not replayed');
  const { compared, exact, within1Percent, tickDriven } = model;
  const text =
    `${percent(exact / Math.max(1, compared))} exact, ` +
    `${percent(within1Percent / Math.max(1, compared))} within 1% of ${compared}` +
    `${tickDriven ? ', driven by ticks' : ''}`;
  if (compared < MIN_COMPARED) return notAvailable('model', `${text}: too few`);
  if ('freq' in rate && rate.freq < MIN_JUDGED_HZ) {
    return notAvailable('model', `${text}: reported, not judged, below ${MIN_JUDGED_HZ} Hz`);
  }
  if (lostSamples > 0) return notAvailable('model', `${text}, with samples lost`);
  return within1Percent >= MIN_WITHIN_1_PERCENT * compared
    ? ok('model', text)
    : differs('model', text);
}

/** The weights in each phase against the workload's own account of it. */
function judgePhases({ phases, lostSamples }: CaseNumbers): Finding {
  if (phases.length === 0) return notAvailable('phases', 'the workload has no account of it');
  const text = phases.map(describePhase).join('; ');
  if (lostSamples > 0) return notAvailable('phases', `${text}, with samples lost`);
  const isDecisive = phases.every(({ slack, trueShare }) => slack <= MAX_SLACK * trueShare);
  if (!isDecisive) return notAvailable('phases', `${text}: intervals too long to tell`);
  return phases.every(isNear) ? ok('phases', text) : differs('phases', text);
}

/**
 * Whether the shares' intervals hold what the workload counted. One of twenty need not, so one that does
 * not is no finding.
 */
function judgeIntervals({ phases, lostSamples }: CaseNumbers): Finding {
  const known = phases.filter(({ interval }) => interval !== null);
  if (known.length === 0) return notAvailable('intervals', 'no share with a truth has one');
  const held = known.filter(isHeld).length;
  const text = `${held} of ${known.length} hold the true share: ${known.map(describeInterval).join('; ')}`;
  if (lostSamples > 0) return notAvailable('intervals', `${text}, with samples lost`);
  return held >= known.length - 1 ? ok('intervals', text) : differs('intervals', text);
}

/** The account is of the whole phase, its borders included, so it may be off by a little itself. */
function isHeld({ interval, trueShare }: PhaseShare): boolean {
  if (interval === null) return false;
  const tolerance = SHARE_TOLERANCE * trueShare;
  return trueShare >= interval.low - tolerance && trueShare <= interval.high + tolerance;
}

function describeInterval({ phase, interval, trueShare }: PhaseShare): string {
  const ends = interval === null ? '' : `${percent(interval.low)} to ${percent(interval.high)}`;
  return `${phase} ${ends} (true ${percent(trueShare)})`;
}

function isNear({ share, trueShare, slack }: PhaseShare): boolean {
  return Math.abs(share - trueShare) <= SHARE_TOLERANCE * trueShare + slack;
}

function describePhase({ phase, share, trueShare }: PhaseShare): string {
  return `${phase} ${percent(share)} (true ${percent(trueShare)})`;
}

/** Nothing is claimed of it: a fact for the reader. */
function judgeThrottling(numbers: CaseNumbers): Finding {
  const { throttles, throttledNs, maxSampleRate, maxSampleRateAfter } = numbers;
  const limit =
    maxSampleRate === null || maxSampleRateAfter === null || maxSampleRate === maxSampleRateAfter
      ? ''
      : `; the kernel lowered its rate limit from ${maxSampleRate} to ${maxSampleRateAfter} Hz`;
  if (throttles === 0) return ok('throttling', `not seen${limit}`);
  return ok('throttling', `${throttles} times, ${round(throttledNs / 1e6)} ms${limit}`);
}

function ok(name: FindingName, sentence: string): Finding {
  return { name, state: 'ok', sentence };
}

function differs(name: FindingName, sentence: string): Finding {
  return { name, state: 'differs', sentence };
}

function notAvailable(name: FindingName, sentence: string): Finding {
  return { name, state: 'not-available', sentence };
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)}%`;
}

function round(value: number): string {
  return String(Math.round(value * 100) / 100);
}
