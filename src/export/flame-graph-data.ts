import { NONE } from '../base/brand.ts';
import { printable } from '../base/printable.ts';
import { computeCallNodes } from '../profile/call-nodes.ts';
import {
  type CallTree,
  computeCallTree,
  sumSubtrees,
  type TreeRoots,
} from '../profile/call-tree.ts';
import { groupSamples, type SampleSelection, selectSamples } from '../profile/filter.ts';
import { funcLabel } from '../profile/func-label.ts';
import { invertCallTree } from '../profile/invert-call-tree.ts';
import { lostFunc, lostSamplesOf } from '../profile/losses.ts';
import {
  type ShareEstimator,
  type ShareInterval,
  type StepSums,
  sumStepsByTreeRow,
} from '../profile/share-steps.ts';
import type { DsoKind, EventIndex, Profile, Weights } from '../profile/types.ts';
import { type ExportProvenance, printableProvenance } from './provenance.ts';
import { weightTitle, withUnitOf } from './weight-title.ts';

/**
 * What the flame graph page draws, as JSON. Numbers are ready to show: the page adds nothing up
 * but what a search matches.
 */
export type FlameGraphData = {
  readonly schema: 'perf-ts/flame-graph@1';
  /** Program that made the page. */
  readonly exporter: string;
  readonly weightKind: Weights['kind'];
  readonly recording: {
    /** The recorder's command line, '' if unknown. */
    readonly command: string;
    readonly hostname: string | null;
    readonly kernel: string | null;
    readonly arch: string | null;
    /** From the first to the last sample. */
    readonly durationNs: number;
    /** What was substituted or guessed, one sentence each. */
    readonly notes: readonly string[];
  };
  /** Where the weights come from; null where the caller did not say. */
  readonly provenance: ExportProvenance | null;
  readonly labels: FlameLabels;
  readonly events: readonly FlameEvent[];
};

export type FlameLabelKind = DsoKind | 'comm' | 'lost' | 'pruned';

/** What the frames are called: parallel arrays, one entry per distinct frame. */
export type FlameLabels = {
  readonly name: readonly string[];
  /** Path of the DSO, '' where there is none. */
  readonly dso: readonly string[];
  readonly kind: readonly FlameLabelKind[];
};

export type FlameEvent = {
  readonly name: string;
  /** `4000 Hz`, `every 1000 events` … */
  readonly sampling: string;
  /** What its weights are, short and in words. */
  readonly unit: Weights['unit'];
  readonly weightTitle: string;
  /** Samples known to be missing: the larger of the two figures of `EventLoss`. */
  readonly lostSamples: number;
  /** Where its weights come from and what they leave out, in sentences. */
  readonly provenance: readonly string[];
  /** All threads first, then single threads, heaviest first. */
  readonly views: readonly FlameView[];
  /** Threads with samples that got no view of their own. */
  readonly threadsWithoutView: number;
};

export type FlameView = {
  readonly title: string;
  readonly samples: number;
  readonly weight: number;
  /** From the outermost frame inwards. The view of all threads has comms at its roots. */
  readonly callees: FlameTree;
  /** From where the weight was spent outwards. */
  readonly callers: FlameTree;
};

/**
 * A tree as parallel arrays, parents before children. Rows below the least share are left out;
 * what they weighed together under one parent is a row of kind `pruned` if that itself is large
 * enough to draw.
 */
export type FlameTree = {
  /** Parent's row, −1 at the outermost. */
  readonly prefix: readonly number[];
  /** Index into `labels`. */
  readonly label: readonly number[];
  readonly total: readonly number[];
  readonly self: readonly number[];
  /** Samples behind `total`. */
  readonly samples: readonly number[];
  /**
   * Ends of the 95 % interval of total / the view's weight, null in `pruned` rows and that of
   * what was lost. Absent where it
   * was not estimated: in the views of single threads.
   */
  readonly low?: readonly (number | null)[];
  readonly high?: readonly (number | null)[];
  readonly prunedRows: number;
  /** Self weight of the rows left out. */
  readonly prunedWeight: number;
};

export type FlameGraphOptions = {
  /** Which samples; all events unless it names one. */
  readonly select?: SampleSelection;
  /** Rows below this share of their view's weight are pruned. */
  readonly minShare?: number;
  /** Threads with a view of their own, per event. */
  readonly maxThreads?: number;
  readonly exporter?: string;
  readonly provenance?: ExportProvenance;
  /** How well shares are known, of one event and all its samples; null: nobody knows. */
  readonly estimate?: (event: EventIndex) => ShareEstimator | null;
};

/** A fifth of a pixel on a wide screen; bounds a level at 5000 rows, whatever was recorded. */
const DEFAULT_MIN_SHARE = 0.0002;
const DEFAULT_MAX_THREADS = 16;

export function computeFlameGraphData(
  profile: Profile,
  weights: Weights,
  options: FlameGraphOptions = {},
): FlameGraphData {
  const minShare = options.minShare ?? DEFAULT_MIN_SHARE;
  const maxThreads = options.maxThreads ?? DEFAULT_MAX_THREADS;
  const labels = new LabelTable(profile);
  const callNodes = computeCallNodes(profile);
  const { samples, threads, meta } = profile;
  const comms: TreeRoots = { rootOfSample: samples.comm, count: profile.strings.length };

  const viewOf = (title: string, selected: Int32Array): FlameView => {
    const tree = computeCallTree(profile, callNodes, weights, selected);
    const least = tree.weight * minShare;
    return {
      title,
      samples: tree.samples,
      weight: tree.weight,
      callees: pruneTree(tree, least, labels, null),
      callers: pruneTree(invertCallTree(tree, least), least, labels, null),
    };
  };
  const viewOfAll = (selected: Int32Array, estimator: ShareEstimator | null): FlameView => {
    const rowOfSample = new Int32Array(samples.length);
    const intervalsOf = (tree: CallTree): TreeIntervals | null =>
      estimator && {
        estimator,
        weight: tree.weight,
        lost: tree.lost,
        sums: sumStepsByTreeRow(estimator.steps, rowOfSample, tree.prefix),
      };
    const callees = computeCallTree(profile, callNodes, weights, selected, comms, rowOfSample);
    const least = callees.weight * minShare;
    const prunedCallees = pruneTree(callees, least, labels, intervalsOf(callees));

    const tree = computeCallTree(profile, callNodes, weights, selected, undefined, rowOfSample);
    const rowToInverted = new Int32Array(tree.length);
    const callers = invertCallTree(tree, least, rowToInverted);
    for (let sample = 0; sample < rowOfSample.length; sample++) {
      const row = rowOfSample[sample] as number;
      if (row !== NONE) rowOfSample[sample] = rowToInverted[row] as number;
    }
    return {
      title: 'all threads',
      samples: tree.samples,
      weight: tree.weight,
      callees: prunedCallees,
      callers: pruneTree(callers, least, labels, intervalsOf(callers)),
    };
  };

  const events: FlameEvent[] = [];
  for (const [index, event] of profile.events.entries()) {
    if ((options.select?.event ?? index) !== index) continue;
    const selected = selectSamples(profile, { ...options.select, event: index });
    const groups = groupSamples(selected, samples.thread, threads.length);
    const samplesOf = (thread: number) =>
      groups.samples.subarray(groups.starts[thread], groups.starts[thread + 1]);
    const heaviest = threads
      .map((_, thread) => ({ thread, weight: sumWeights(weights, samplesOf(thread)) }))
      .filter(({ thread }) => samplesOf(thread).length > 0)
      .sort((a, b) => b.weight - a.weight || a.thread - b.thread);

    const isWhole = Object.keys(options.select ?? {}).every((key) => key === 'event');
    const estimator =
      isWhole && selected.length > 0 ? options.estimate?.(index as EventIndex) : null;
    const views = [viewOfAll(selected, estimator ?? null)];
    if (heaviest.length > 1) {
      for (const { thread } of heaviest.slice(0, maxThreads)) {
        const { comm, tid } = threads[thread]!;
        views.push(viewOf(printable(`${comm} (tid ${tid})`), samplesOf(thread)));
      }
    }
    const { unit } = withUnitOf(event, weights);
    events.push({
      name: printable(event.name),
      sampling: samplingTitle(event),
      unit,
      weightTitle: weightTitle({ ...weights, unit }),
      lostSamples: lostSamplesOf(profile, index),
      provenance: (options.provenance?.events ?? [])
        .filter((described) => described.event === event.name)
        .flatMap(({ said }) => said.map(printable)),
      views,
      threadsWithoutView: heaviest.length > 1 ? Math.max(0, heaviest.length - maxThreads) : 0,
    });
  }

  const last = samples.length - 1;
  return {
    schema: 'perf-ts/flame-graph@1',
    exporter: options.exporter ?? 'perf-ts',
    weightKind: weights.kind,
    recording: {
      command: printable(meta.commandLine.join(' ')),
      hostname: meta.hostname === null ? null : printable(meta.hostname),
      kernel: meta.kernel === null ? null : printable(meta.kernel),
      arch: meta.arch,
      durationNs: last < 0 ? 0 : (samples.timeNs[last] as number) - (samples.timeNs[0] as number),
      notes: meta.notes.map(printable),
    },
    provenance: options.provenance === undefined ? null : printableProvenance(options.provenance),
    labels: labels.finish(),
    // Events without a sample have nothing to draw, but what they lost must be seen.
    events: events.filter((event) => event.views[0]!.samples > 0 || event.lostSamples > 0),
  };
}

function samplingTitle(event: Profile['events'][number]): string {
  if (event.frequencyHz !== null) return `${event.frequencyHz} Hz`;
  if (event.fixedPeriod !== null) return `every ${event.fixedPeriod} ${event.unit}`;
  return '';
}

function sumWeights(weights: Weights, samples: Int32Array): number {
  let sum = 0;
  for (let i = 0; i < samples.length; i++) sum += weights.values[samples[i] as number] as number;
  return sum;
}

/** The labels in use, each once, in the order in which the trees need them. */
class LabelTable {
  readonly #profile: Profile;
  readonly #name: string[] = ['(pruned)'];
  readonly #dso: string[] = [''];
  readonly #kind: FlameLabelKind[] = ['pruned'];
  readonly #funcToLabel: Int32Array;
  readonly #commToLabel: Int32Array;
  static readonly PRUNED = 0;

  constructor(profile: Profile) {
    this.#profile = profile;
    this.#funcToLabel = new Int32Array(profile.funcs.length).fill(NONE);
    this.#commToLabel = new Int32Array(profile.strings.length).fill(NONE);
  }

  ofRow(tree: CallTree, row: number): number {
    const comm = tree.root[row] as number;
    return comm === NONE ? this.#ofFunc(tree.group[row] as number) : this.#ofComm(comm);
  }

  #ofFunc(func: number): number {
    if (this.#funcToLabel[func] === NONE) {
      const { dsos, funcs } = this.#profile;
      const dso = dsos[funcs.dso[func] as number];
      const name = funcLabel(this.#profile, func);
      this.#funcToLabel[func] = this.#add(name, dso?.path ?? '', this.#kindOf(func));
    }
    return this.#funcToLabel[func] as number;
  }

  #kindOf(func: number): FlameLabelKind {
    const { dsos, funcs } = this.#profile;
    if (func === lostFunc(this.#profile)) return 'lost';
    return dsos[funcs.dso[func] as number]?.kind ?? 'unknown';
  }

  #ofComm(comm: number): number {
    if (this.#commToLabel[comm] === NONE) {
      this.#commToLabel[comm] = this.#add(this.#profile.strings[comm] as string, '', 'comm');
    }
    return this.#commToLabel[comm] as number;
  }

  #add(name: string, dso: string, kind: FlameLabelKind): number {
    this.#name.push(printable(name));
    this.#dso.push(printable(dso));
    this.#kind.push(kind);
    return this.#name.length - 1;
  }

  finish(): FlameLabels {
    return { name: this.#name, dso: this.#dso, kind: this.#kind };
  }
}

/** What the intervals of a tree's rows are estimated from. */
type TreeIntervals = {
  readonly estimator: ShareEstimator;
  readonly sums: StepSums;
  readonly weight: number;
  /** Part of `weight` that no sample shows. */
  readonly lost: number;
};

/** Null for what was lost, which no sample shows. Of that, any part may be any other row's. */
function intervalOfRow(
  { estimator, sums, weight, lost }: TreeIntervals,
  tree: CallTree,
  row: number,
  samples: number,
): ShareInterval | null {
  const arrived = weight - lost;
  if (samples === 0 || arrived <= 0) return null;
  const share = (tree.total[row] as number) / arrived;
  const { low, high } = estimator.intervalOf(share, sums, row);
  return { low: (low * arrived) / weight, high: (high * arrived + lost) / weight };
}

/** A hundredth of a per mille: finer than any interval is known. */
const roundShare = (share: number): number => Math.round(share * 1e5) / 1e5;

/** Parents weigh no less than their children, so what is kept is a tree again. */
function pruneTree(
  tree: CallTree,
  least: number,
  labels: LabelTable,
  intervals: TreeIntervals | null,
): FlameTree {
  const samplesBelow = sumSubtrees(tree.prefix, Float64Array.from(tree.selfSamples));
  const prefix: number[] = [];
  const label: number[] = [];
  const total: number[] = [];
  const self: number[] = [];
  const samples: number[] = [];
  const low: (number | null)[] = [];
  const high: (number | null)[] = [];
  const rowToKept = new Int32Array(tree.length).fill(NONE);
  // What was pruned directly below each kept row; the outermost rows' is at the end.
  const prunedTotal = new Float64Array(tree.length + 1);
  const prunedSamples = new Float64Array(tree.length + 1);
  let prunedRows = 0;
  let prunedWeight = 0;

  for (let row = 0; row < tree.length; row++) {
    const caller = tree.prefix[row] as number;
    const keptCaller = caller === NONE ? NONE : (rowToKept[caller] as number);
    if ((tree.total[row] as number) >= least) {
      rowToKept[row] = prefix.length;
      prefix.push(keptCaller);
      label.push(labels.ofRow(tree, row));
      total.push(tree.total[row] as number);
      self.push(tree.self[row] as number);
      samples.push(samplesBelow[row] as number);
      if (intervals !== null) {
        const interval = intervalOfRow(intervals, tree, row, samplesBelow[row] as number);
        low.push(interval && roundShare(interval.low));
        high.push(interval && roundShare(interval.high));
      }
      continue;
    }
    prunedRows++;
    prunedWeight += tree.self[row] as number;
    if (caller !== NONE && keptCaller === NONE) continue;
    const slot = caller === NONE ? tree.length : keptCaller;
    prunedTotal[slot] = (prunedTotal[slot] as number) + (tree.total[row] as number);
    prunedSamples[slot] = (prunedSamples[slot] as number) + (samplesBelow[row] as number);
  }

  const keptRows = prefix.length;
  for (let slot = 0; slot <= tree.length; slot++) {
    const weight = prunedTotal[slot] as number;
    if (weight === 0 || weight < least) continue;
    prefix.push(slot < keptRows ? slot : NONE);
    label.push(LabelTable.PRUNED);
    total.push(weight);
    self.push(weight);
    samples.push(prunedSamples[slot] as number);
    low.push(null);
    high.push(null);
  }
  const known = intervals === null ? {} : { low, high };
  return { prefix, label, total, self, samples, ...known, prunedRows, prunedWeight };
}
