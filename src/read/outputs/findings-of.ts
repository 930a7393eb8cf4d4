import { NONE } from '../../base/brand.ts';
import { getOrMake } from '../../base/group-by.ts';
import { lostSamplesOf } from '../../base/lost-samples.ts';
import { memoize } from '../../base/memoize.ts';
import { chooseLevel } from '../../code/levels/levels-of.ts';
import { type Finding, sortFindings } from '../../findings/finding.ts';
import { judgeFile } from '../../findings/judge-file.ts';
import {
  type EventEvidence,
  judgeSampling,
  type MostCut,
  type SamplingEvidence,
} from '../../findings/judge-sampling.ts';
import { checkArguments } from '../../options/arguments.ts';
import { MATTERS, mattersText } from '../../period/report/advice.ts';
import type { EventReport } from '../../period/report/event-report.ts';
import { areIntervalsSure, inStepOption, inStepText } from '../../period/report/in-step-words.ts';
import type { PeriodsReport } from '../../period/report/report.ts';
import { innermostFuncOfStacks } from '../../profile/analysis/trees/call-nodes.ts';
import { isKindOfCode } from '../../profile/frame-level.ts';
import { isUnnamed } from '../../profile/func-table.ts';
import { unsampledWithin } from '../../profile/sampled-time.ts';
import type { EventIndex, Profile } from '../../profile/types.ts';
import { isMeasuredEvent } from '../../profile/wait-event.ts';
import { adviceForCut, placeOfCut } from '../unwind/cut-advice.ts';
import type { AnalysedProfile } from './analysed-profile.ts';
import { comparedProfile } from './compared-profile.ts';

/**
 * Every finding about a recording, the worst first: the one list from which everybody prints. Frames are not folded
 * for it, so that it is the same at each level. `periods`: a report on all events of `opened` with the weights
 * compared, where there is one already.
 *
 * @example
 * ```ts
 * import { findingsOf, openProfile } from 'perf-ts';
 *
 * const findings = findingsOf(await openProfile('perf.data'));
 * console.log(findings.map(({ code, severity, sentence }) => `${severity} ${code}: ${sentence}`));
 * ```
 */
export function findingsOf(opened: AnalysedProfile, periods?: PeriodsReport): readonly Finding[] {
  checkArguments({ opened });
  const profile = opened.profileAt('all');
  return getOrMake(known, profile, () => {
    const whole = opened.atLevel('all');
    const compared = whole === opened && periods !== undefined ? periods : comparedPeriods(whole);
    const sampling = judgeSampling(samplingEvidence(whole, compared));
    return sortFindings([...fileFindingsOf(whole), ...sampling]);
  });
}

const known = new WeakMap<Profile, readonly Finding[]>();

/** The findings that are there without a look at the samples: what is wrong with the file, and with names. */
export function fileFindingsOf(opened: AnalysedProfile): Finding[] {
  const { truncatedAt, facts, profile, diagnostics } = opened;
  const { skippedBytes, dataBytes } = facts;
  const { meta } = profile;
  const shares = memoize((unnamed: boolean) => sharesOfFiles(opened.profileAt('all'), unnamed));
  return judgeFile({
    ...{ truncatedAt, skippedBytes, dataBytes, lostSideband: meta.lostSideband ?? 0 },
    rings: meta.rings,
    diagnostics: diagnostics.entries(),
    shareOf: (file, unnamed) => shares(unnamed).get(file) ?? 0,
  });
}

/** Share of the samples whose innermost frame lies in each file, by its path; with `unnamed` in a function without a name. */
function sharesOfFiles(profile: Profile, unnamed: boolean): Map<string, number> {
  const { funcs, dsos, strings } = profile;
  const innermost = innermostCounts(profile);
  const samples = new Float64Array(dsos.length);
  for (const [func, count] of innermost.entries()) {
    const isCounted = !unnamed || isUnnamed(strings[funcs.name[func]]);
    if (isCounted && funcs.dso[func] >= 0) samples[funcs.dso[func]] += count;
  }
  const all = sum(innermost);
  const shares = new Map<string, number>();
  for (const [row, { path }] of dsos.entries()) {
    shares.set(path, (shares.get(path) ?? 0) + samples[row] / all);
  }
  return shares;
}

/** Weights of a fixed period are those of the samples: they need no comparison. */
function comparedPeriods(opened: AnalysedProfile): PeriodsReport | null {
  const isAdaptive = opened.profile.events.some(({ mode }) => mode === 'frequency');
  return isAdaptive ? opened.periods({ compared: comparedProfile(opened) }) : null;
}

function samplingEvidence(
  opened: AnalysedProfile,
  periods: PeriodsReport | null,
): SamplingEvidence {
  const { profile, facts, completeness } = opened;
  const { events, meta } = profile;
  const reported = opened.reportedEvents();
  const lastNs = Math.max(0, opened.recordedTime().lastNs || 0);
  return {
    events: events.map((_, event) =>
      eventEvidence(
        opened,
        event as EventIndex,
        periods?.events[reported.indexOf(event as EventIndex)] ?? null,
      ),
    ),
    isText: facts.imported !== null,
    rings: meta.rings,
    notes: meta.notes,
    completeness,
    withoutJavaScript: shareWithoutJavaScript(opened),
    mostCut: mostCutOf(opened),
    ...unnamedCode(profile),
    off: unsampledWithin(meta.sampled, { fromNs: 0, toNs: lastNs }),
    lengthNs: lastNs,
  };
}

function mostCutOf({ completeness, profile }: AnalysedProfile): MostCut | null {
  const [most] = completeness?.cut ?? [];
  if (most === undefined) return null;
  const { reason, samples } = most;
  const place = placeOfCut(profile, most);
  return { place, reason, samples, advice: adviceForCut(most, profile) };
}

/** Share of the samples whose innermost function stands for native code, where no stacks tell who called it. */
function shareWithoutJavaScript(opened: AnalysedProfile): number {
  if (opened.hasStacks || chooseLevel(opened.profileAt('all')) !== 'javascript') return 0;
  const profile = opened.profileAt('javascript');
  const { funcs, strings } = profile;
  const innermost = innermostCounts(profile);
  const native = innermost.filter((_, func) =>
    isKindOfCode(strings[funcs.name[func]], funcs.dso[func]),
  );
  return sum(native) / (sum(innermost) || 1);
}

function eventEvidence(
  opened: AnalysedProfile,
  event: EventIndex,
  report: EventReport | null,
): EventEvidence {
  const { profile, facts } = opened;
  const described = profile.events[event];
  const { leader, mode, fixedPeriod, frequencyHz } = described;
  const rows = opened.samplesOf(event);
  const lost = lostSamplesOf(profile.losses, event);
  const { values, tails } = opened.weights('events', event);
  const sums = sumRows(rows, values, tails);
  const counted = opened.eventsCounted(event);
  // The counter of a clock is another clock than its timer, so that the two do not add up; waits are no events. Where
  // samples were lost, it is them that the rest belongs to.
  const isLedger = mode !== 'clock' && !isMeasuredEvent(described) && lost === 0;
  const of = isLedger ? (counted ?? 0) : 0;
  const inStep = opened.inStep(event);
  const option = inStep === null ? null : inStepOption(inStep, { fixedPeriod, frequencyHz });
  const areAll = fixedPeriod === 1 || isMeasuredEvent(described);
  return {
    name: described.name,
    samples: rows.length,
    readBy: leader === undefined ? null : profile.events[leader].name,
    lost: { part: lost, of: lost + rows.length },
    effective: areAll ? null : sums.weight ** 2 / sums.squares || 0,
    uncovered: { part: Math.max(0, of - sums.weight), of },
    uncoveredBecause:
      inStep?.kind === 'tasks'
        ? 'lie where no sample of any task shows the function'
        : 'came after the last samples',
    uncounted: uncounted(opened, event, sums.weight),
    tails: { part: sums.tails, of },
    pauses: facts.throttles
      .filter((mark) => mark.event === event)
      .map(({ startNs, endNs }) => ({ fromNs: startNs, toNs: endNs })),
    targetHz: frequencyHz,
    inStep:
      inStep === null
        ? null
        : {
            sentence: inStepText(inStep),
            share: null,
            command: option === null ? null : `perf-ts record ${option} -- COMMAND`,
            areIntervalsSure: areIntervalsSure(inStep),
          },
    doubtfulWeights: doubtfulWeights(opened, event),
    disagreement: report === null ? null : disagreement(report),
  };
}

/** The events that no final count tells of: half of what the next interval of each counter was to be. */
function uncounted(
  opened: AnalysedProfile,
  event: EventIndex,
  of: number,
): EventEvidence['uncounted'] {
  const { events, samples } = opened.profile;
  const { mode, fixedPeriod } = events[event];
  const isAdapted = mode === 'frequency';
  const last = new Map<number, number>();
  const isSampled = isAdapted || (mode === 'period' && (fixedPeriod ?? 1) > 1);
  if (isSampled && opened.eventsCounted(event) === null) {
    const { values } = opened.weights('events', event);
    // The last row of a stream stays.
    for (const row of opened.samplesOf(event)) {
      const stream = samples.stream[row];
      const next = isAdapted ? values[row] : (fixedPeriod ?? 0);
      last.set(stream === NONE ? NONE - 1 - samples.thread[row] : stream, next);
    }
  }
  const part = [...last.values()].reduce((sum, value) => sum + value, 0) / 2;
  return { part, of, counters: last.size };
}

function sumRows(
  rows: Int32Array,
  values: Float64Array,
  tails: Float64Array | undefined,
): { weight: number; squares: number; tails: number } {
  const sums = { weight: 0, squares: 0, tails: 0 };
  for (let i = 0; i < rows.length; i++) {
    const value = values[rows[i]];
    sums.weight += value;
    sums.squares += value * value;
    if (tails !== undefined) sums.tails += tails[rows[i]];
  }
  return sums;
}

function doubtfulWeights(
  opened: AnalysedProfile,
  event: EventIndex,
): EventEvidence['doubtfulWeights'] {
  const sentence = opened.weightDoubt(event);
  if (sentence === null) return null;
  const isRead = opened.profile.events[event].leader !== undefined;
  return {
    sentence,
    share: opened.ruleDoubt(event)?.moved ?? null,
    command: isRead ? null : 'perf-ts record --counts -- COMMAND',
  };
}

function disagreement(report: EventReport): EventEvidence['disagreement'] {
  const { samples, period } = report.weights?.distance ?? { samples: 0, period: 0 };
  const share = Math.max(samples ?? 0, period ?? 0);
  if (share < MATTERS) return null;
  const sentence = `does the weight matter? ${mattersText(report)}`;
  return { sentence, share, command: 'perf-ts periods' };
}

/** Share of the samples with a stack whose innermost function has no name, and where most of these lie. */
function unnamedCode(profile: Profile): Pick<SamplingEvidence, 'unnamedShare' | 'unnamedFile'> {
  const { funcs, strings, dsos } = profile;
  const innermost = innermostCounts(profile);
  const nameless = innermost.map((count, func) =>
    isUnnamed(strings[funcs.name[func]]) ? count : 0,
  );
  const samples = new Float64Array(dsos.length);
  for (const [func, count] of nameless.entries()) {
    if (funcs.dso[func] >= 0) samples[funcs.dso[func]] += count;
  }
  const most = dsos.find((_, dso) => 2 * samples[dso] > sum(nameless));
  const unnamedShare = sum(nameless) / (sum(innermost) || 1);
  return { unnamedShare, unnamedFile: most?.name ?? null };
}

/** Counts the samples of which each function is the innermost. */
// Hot: once per sample.
function innermostCounts(profile: Profile): Float64Array {
  const { stack, length } = profile.samples;
  const counts = new Float64Array(profile.funcs.length);
  const ofStacks = innermostFuncOfStacks(profile);
  for (let sample = 0; sample < length; sample++) {
    const row = stack[sample];
    if (row !== NONE) counts[ofStacks[row]]++;
  }
  return counts;
}

function sum(values: Float64Array): number {
  return values.reduce((all, value) => all + value, 0);
}
