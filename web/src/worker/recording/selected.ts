import { NONE } from '../../../../src/base/brand.ts';
import { mapInts } from '../../../../src/base/int-column.ts';
import { ComputedOnce, eachSlice, type Slices } from '../../../../src/base/slices.ts';
import { KIND_GROUPS, type KindGroup } from '../../../../src/formats/export/kind-group.ts';
import {
  comparedEvents,
  type EventRatio,
  isOfGroup,
  type RatioSource,
  type SampledEvent,
} from '../../../../src/profile/analysis/shares/ratios.ts';
import type { ShareEstimator } from '../../../../src/profile/analysis/shares/share-steps.ts';
import {
  type EditedStacks,
  editStacks,
} from '../../../../src/profile/analysis/stacks/edit-stacks.ts';
import {
  type CallNodeTable,
  computeCallNodesByInlining,
} from '../../../../src/profile/analysis/trees/call-nodes.ts';
import {
  type CallTree,
  computeCallTreeWithRows,
  sumSubtrees,
  type TreeRoots,
} from '../../../../src/profile/analysis/trees/call-tree.ts';
import { computeChainTree } from '../../../../src/profile/analysis/trees/chain-tree.ts';
import { computeDominantTiers } from '../../../../src/profile/analysis/trees/dominant-tiers.ts';
import { invertCallTree } from '../../../../src/profile/analysis/trees/invert-call-tree.ts';
import { prepareOpening } from '../../../../src/profile/analysis/trees/open-chains.ts';
import { stacksWith } from '../../../../src/profile/stacks-with.ts';
import type { EventIndex, Profile, Weights } from '../../../../src/profile/types.ts';
import type { Asked } from '../../../../src/questions/shares-by-key.ts';
import type { FrameKey, TreeParams } from '../messages/messages.ts';
import { type Selection, selectionKey } from '../messages/selection.ts';
import { alignmentOf } from './alignment-of.ts';
import { Recent } from './recent.ts';
import type { LoadedRecording } from './recording.ts';
import type { ShownChains, ShownTree } from './shown-tree.ts';

/** The rows that a tree may have above the outermost functions. */
export type Roots = Exclude<TreeParams['roots'], 'none'>;

/** Bytes of columns that a row of a `ShownTree` has in the end, and a sample. */
const ROW_BYTES = 100;
const SAMPLE_BYTES = 4;
/** Bytes of a sample of an estimator: two steps. */
const ESTIMATED_SAMPLE_BYTES = 32;
/** Bytes that the trees of one selection may take, and all but the last selection. */
const TREES_BUDGET = 100e6;
const SELECTED_BUDGET = 300e6;

function bytesOfTree({ tree, rowOfSample }: ShownTree): number {
  return tree.length * ROW_BYTES + rowOfSample.length * SAMPLE_BYTES;
}

/** Bytes of a row of `ShownChains`. */
const CHAIN_BYTES = 76;

function bytesOfChains({ openable, chainOfSample }: ShownChains): number {
  return openable.tree.length * CHAIN_BYTES + chainOfSample.length * SAMPLE_BYTES;
}

/** Callers below this part of the (zoomed) weight are not told apart in the tree of callers. */
const LEAST_CALLER = 1 / 20_000;

/** The samples of one `Selection`, and the trees of them that were asked for. */
export class Selected {
  readonly recording: LoadedRecording;
  /** The profile with the stacks as edited. */
  readonly profile: Profile;
  readonly samples: Int32Array;
  readonly weights: Weights;
  readonly callNodes: CallNodeTable;
  readonly #selection: Selection;
  readonly #isLeftOut: EditedStacks['isLeftOut'];
  readonly #isWhole: boolean;
  readonly #event: EventIndex;
  readonly #trees = new Recent<ShownTree>(4, TREES_BUDGET, bytesOfTree);
  readonly #chains = new Recent<ShownChains>(3, TREES_BUDGET, bytesOfChains);
  readonly #nodeTiers = new ComputedOnce(() =>
    this.#dominantTiers(this.callNodes.stackToCallNode, this.callNodes.length),
  );
  readonly #groupTiers = new ComputedOnce(() => this.#tiersOfGroups());
  readonly #estimator = new ComputedOnce(() =>
    this.recording.estimator(this.weights, this.#event, this.samples, this.#isWhole),
  );

  /** `admitted`: samples of the event that the selection's filters admit. */
  constructor(
    recording: LoadedRecording,
    selection: Selection,
    edited: EditedStacks,
    callNodes: CallNodeTable,
    admitted: Int32Array,
  ) {
    this.recording = recording;
    this.profile = edited.profile;
    this.callNodes = callNodes;
    this.weights = recording.weightsWithin(selection.weight, selection.event, selection);
    const { isLeftOut } = edited;
    this.#selection = selection;
    this.#isLeftOut = isLeftOut;
    this.samples = this.#keptOf(admitted);
    this.#event = selection.event as EventIndex;
    const { threads, pid, cpu, inTurnsOver, fromNs, toNs, group } = selection;
    this.#isWhole =
      isLeftOut === null &&
      threads.length === 0 &&
      [pid, cpu, inTurnsOver, fromNs, toNs, group].every((part) => part === null);
  }

  /** The admitted samples that edits and the chosen kind of code leave. */
  #keptOf(admitted: Int32Array): Int32Array {
    const { group } = this.#selection;
    const kept = this.#isLeftOut === null ? admitted : without(admitted, this.#isLeftOut);
    return group === null ? kept : innermostIn(this.recording, kept, group);
  }

  /** Whether its events can be compared: they are counted, and nothing between their samples is missing. */
  get countsEvents(): boolean {
    return this.weights.kind === 'events' && !this.recording.page.isPart;
  }

  /** Inputs of the ratios of events: the same selection of each event's samples. */
  *ratioSource(ratios: readonly EventRatio[]): Slices<RatioSource> {
    const { recording, profile } = this;
    const aligned = yield* alignmentOf(recording.page).get();
    const areSampled = ratios.some((ratio) => !isOfGroup(profile, ratio));
    const known = new Map<EventIndex, SampledEvent>();
    for (const event of comparedEvents(profile, ratios)) {
      const rows = this.#keptOf(yield* recording.samplesOf(event, this.#selection));
      const weights = recording.weights('events', event);
      const estimator = areSampled
        ? yield* recording.estimator(weights, event, rows, this.#isWhole)
        : null;
      known.set(event, { weights, rows, estimator });
    }
    return { profile, aligned, eventOf: (event) => known.get(event) as SampledEvent };
  }

  /** About as many as it takes with all that it may come to hold. */
  get bytes(): number {
    const { samples, profile } = this;
    return samples.length * SAMPLE_BYTES + profile.samples.length * ESTIMATED_SAMPLE_BYTES;
  }

  /**
   * The final value of the event's counter; null where it is not known, or this is a part of it. A clock of
   * a CPU counts on where nothing runs, and is not sampled there.
   */
  get counted(): number | null {
    const { page } = this.recording;
    const isClock = this.profile.events[this.#event]?.mode === 'clock';
    if (isClock || !this.#isWhole || page.isPart) return null;
    return page.periodInput.eventTotals?.[this.#event] ?? null;
  }

  /** The selection as questions take it, without intervals. */
  get asked(): Asked {
    const { profile, samples: rows, weights } = this;
    return { profile, rows, weights, estimator: null };
  }

  /** Weight of the samples. */
  get weight(): number {
    return this.samples.reduce((sum, sample) => sum + this.weights.values[sample], 0);
  }

  /** Flags of one function, by FuncIndex. */
  flagsOf(func: number): Uint8Array {
    const isMeant = new Uint8Array(this.profile.funcs.length);
    isMeant[func] = 1;
    return isMeant;
  }

  /** The samples with a function on their stacks. */
  *samplesWith(func: number): Slices<Int32Array> {
    const isWith = stacksWith(this.profile, (other) => other === func);
    yield;
    const { stack } = this.profile.samples;
    return this.samples.filter((sample) => stack[sample] !== NONE && isWith[stack[sample]] === 1);
  }

  /** Null where the model gives no intervals. */
  estimator(): Slices<ShareEstimator | null> {
    return this.#estimator.get();
  }

  /** The tree from the outermost functions inwards. */
  callees(): Slices<ShownTree> {
    return this.#trees.getInSlices('callees', () => this.#computeCallees());
  }

  *#computeCallees(): Slices<ShownTree> {
    const { profile, callNodes, weights, samples } = this;
    const made = yield* computeCallTreeWithRows(profile, callNodes, weights, samples);
    const { tree, rowOfSample, callNode } = made;
    const tiers = yield* this.#nodeTiers.get();
    return this.#describe(tree, rowOfSample, (row) => tiers[callNode[row]] ?? 0);
  }

  /** The tree below roots of its own. */
  chains(roots: Roots): Slices<ShownChains> {
    return this.#chains.getInSlices(roots, () => this.#computeChains(roots));
  }

  *#computeChains(roots: Roots): Slices<ShownChains> {
    const { profile, callNodes, weights, samples } = this;
    const treeRoots = this.#rootsOf(roots);
    yield;
    const made = yield* computeChainTree(profile, callNodes, weights, samples, treeRoots);
    const { tree, chainOfSample } = made;
    const tiers = yield* this.#nodeTiers.get();
    const openable = yield* prepareOpening(tree, callNodes);
    const ofChain = sumSubtrees(tree.prefix, new Float64Array(tree.selfSamples));
    yield;
    return {
      openable,
      chainOfSample,
      samples: ofChain,
      rootKey: 2 * profile.funcs.length,
      tierOfCallNode: (node) => tiers[node] ?? 0,
      drawn: new Recent(3),
    };
  }

  /** The tree of callers; only the paths that begin with `zoom`, the others stay totals. */
  callers(zoom: readonly FrameKey[]): Slices<ShownTree> {
    return this.#trees.getInSlices(`callers ${zoom.join()}`, () => this.#computeCallers(zoom));
  }

  *#computeCallers(zoom: readonly FrameKey[]): Slices<ShownTree> {
    const upright = yield* this.callees();
    const source = zoom.length === 0 ? upright.tree : pathsFrom(upright.tree, zoom);
    let weight = 0;
    for (let row = 0; row < source.length; row++) weight += source.self[row];
    yield;
    const rowToInverted = new Int32Array(source.length).fill(NONE);
    const tree = yield* invertCallTree(source, weight * LEAST_CALLER, rowToInverted);
    const { rowOfSample } = upright;
    const invertedOfSample = new Int32Array(rowOfSample.length).fill(NONE);
    yield* eachSlice(rowOfSample.length, (first, end) => {
      for (let sample = first; sample < end; sample++) {
        const row = rowOfSample[sample];
        if (row !== NONE) invertedOfSample[sample] = rowToInverted[row];
      }
    });
    const tiers = yield* this.#groupTiers.get();
    return this.#describe(tree, invertedOfSample, (row) => tiers[tree.group[row]] ?? 0);
  }

  /** The first of the samples behind each row, as an index of `samples`. */
  firstSamples(shown: ShownTree): Int32Array {
    shown.first ??= findFirst(shown.tree.prefix, shown.rowOfSample, this.samples);
    return shown.first;
  }

  /** The first of the samples behind each chain, as an index of `samples`. */
  firstSamplesOfChains(chains: ShownChains): Int32Array {
    const { prefix } = chains.openable.tree;
    chains.first ??= findFirst(prefix, chains.chainOfSample, this.samples);
    return chains.first;
  }

  *#tiersOfGroups(): Slices<Uint8Array> {
    const { stackToCallNode, group } = this.callNodes;
    const stackToGroup = stackToCallNode.map((node) => group[node]);
    yield;
    return yield* this.#dominantTiers(stackToGroup, 2 * this.profile.funcs.length);
  }

  /** Empty where there is no JavaScript. */
  *#dominantTiers(stackToGroup: Int32Array, groupCount: number): Slices<Uint8Array> {
    const { profile, weights, samples } = this;
    return (
      (yield* computeDominantTiers(profile, weights, samples, stackToGroup, groupCount)) ??
      new Uint8Array(0)
    );
  }

  #describe(tree: CallTree, rowOfSample: Int32Array, tierOf: (row: number) => number): ShownTree {
    const samples = sumSubtrees(tree.prefix, new Float64Array(tree.selfSamples));
    return { tree, key: tree.group, samples, rowOfSample, tierOf };
  }

  #rootsOf(roots: Roots): TreeRoots {
    const { samples, threads, strings } = this.profile;
    const { firstComm } = this.recording.programs;
    switch (roots) {
      case 'comm':
        return {
          rootOfSample: mapInts(samples.comm, (comm) => firstComm[comm]),
          count: strings.length,
        };
      case 'thread':
        return { rootOfSample: samples.thread, count: threads.length };
      case 'process': {
        const firstOfPid = new Map<number, number>();
        const processOfThread = threads.map(({ pid }, index) => {
          if (!firstOfPid.has(pid)) firstOfPid.set(pid, index);
          return firstOfPid.get(pid) as number;
        });
        const rootOfSample = mapInts(samples.thread, (thread) => processOfThread[thread]);
        return { rootOfSample, count: threads.length };
      }
      case 'cpu': {
        const rootOfSample = mapInts(samples.cpu, (cpu) => cpu + 1);
        const count = rootOfSample.reduce((most, root) => Math.max(most, root), 0) + 1;
        return { rootOfSample, count };
      }
    }
  }
}

// Hot: once per sample, then once per row.
function findFirst(prefix: Int32Array, rowOfSample: Int32Array, samples: Int32Array): Int32Array {
  const { length } = prefix;
  const first = new Int32Array(length).fill(2 ** 31 - 1);
  for (let i = samples.length - 1; i >= 0; i--) {
    const row = rowOfSample[samples[i]];
    if (row !== NONE) first[row] = i;
  }
  for (let row = length - 1; row >= 0; row--) {
    const above = prefix[row];
    if (above !== NONE && first[row] < first[above]) {
      first[above] = first[row];
    }
  }
  return first;
}

// Hot: once per sample.
function without(samples: Int32Array, isLeftOut: Uint8Array): Int32Array {
  const kept = new Int32Array(samples.length);
  let count = 0;
  for (let i = 0; i < samples.length; i++) {
    const sample = samples[i];
    if (isLeftOut[sample] === 0) kept[count++] = sample;
  }
  return kept.slice(0, count);
}

/** The samples that ran code of `group`. */
// Hot: once per sample.
function innermostIn(
  recording: LoadedRecording,
  samples: Int32Array,
  group: KindGroup,
): Int32Array {
  const {
    stacks,
    frames,
    samples: { stack },
  } = recording.profileOfOwners();
  const wanted = KIND_GROUPS.indexOf(group);
  const unknown = KIND_GROUPS.indexOf('unknown');
  const { groups } = recording;
  return samples.filter((sample) => {
    const row = stack[sample];
    return (row === NONE ? unknown : groups[frames.func[stacks.frame[row]]]) === wanted;
  });
}

/** `tree` with only those self weights whose path, innermost first, begins with `path`. */
function pathsFrom(tree: CallTree, path: readonly FrameKey[]): CallTree {
  const self = new Float64Array(tree.length);
  const selfSamples = new Int32Array(tree.length);
  for (let row = 0; row < tree.length; row++) {
    let at = row;
    let depth = 0;
    while (at !== NONE && depth < path.length && tree.group[at] === path[depth]) {
      at = tree.prefix[at];
      depth++;
    }
    if (depth < path.length) continue;
    self[row] = tree.self[row];
    selfSamples[row] = tree.selfSamples[row];
  }
  return { ...tree, self, selfSamples };
}

/** The selections made lately, so that zooming and searching need not begin from the samples. */
export class SelectedCache {
  readonly #recording: LoadedRecording;
  readonly #edited = new Recent<{ stacks: EditedStacks; callNodes: CallNodeTable }>(2);
  readonly #selected = new Recent<Selected>(3, SELECTED_BUDGET, ({ bytes }) => bytes);

  constructor(recording: LoadedRecording) {
    this.#recording = recording;
  }

  get(selection: Selection): Slices<Selected> {
    const { level, edits } = selection;
    const editsKey = JSON.stringify([level, edits]);
    const key = selectionKey(selection);
    return this.#selected.getInSlices(key, () => this.#select(selection, editsKey));
  }

  *#select(selection: Selection, editsKey: string): Slices<Selected> {
    const recording = this.#recording;
    const { stacks, callNodes } = yield* this.#edited.getInSlices(editsKey, function* () {
      const stacks = yield* editStacks(recording.profileAt(selection.level), selection.edits);
      return { stacks, callNodes: yield* computeCallNodesByInlining(stacks.profile) };
    });
    const admitted = yield* recording.samplesOf(selection.event, selection);
    return new Selected(recording, selection, stacks, callNodes, admitted);
  }
}
