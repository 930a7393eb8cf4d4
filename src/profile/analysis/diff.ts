import { NONE } from '../../base/brand.ts';
import { PairInterner } from '../../base/pair-interner.ts';
import { eachSlice, SLICE_ITEMS, type Slices } from '../../base/slices.ts';
import { type CallTree, sumSubtrees } from './call-tree.ts';
import type { ShareInterval } from './share-steps.ts';

/** A function's part of one recording. */
export type SharedRow = {
  /** The same in both recordings (`matchFunctions`). */
  readonly id: number;
  readonly name: string;
  readonly dso: string;
  /** Self, 0…1. */
  readonly selfShare: number;
  /** 95 %; absent where the model gives none. */
  readonly selfInterval?: ShareInterval;
};

/** How much more of one recording a function has than of another. */
export type ShareChange = {
  readonly name: string;
  readonly dso: string;
  /** In the recording looked at, and in the one that it is compared with. */
  readonly share: number;
  readonly otherShare: number;
  /** `share` − `otherShare`. */
  readonly delta: number;
  /** 95 % interval of `delta` in these two runs; null where either share has none. */
  readonly interval: ShareInterval | null;
  /**
   * The two runs differ in this function: sure to 95 % for all functions together that are marked so
   * (Holm 1979). How far runs of one program differ from each other, two runs can't tell.
   */
  readonly isCertain: boolean;
};

/**
 * The functions of two recordings, largest change first. Shares are compared, so the recordings may be
 * of different length.
 *
 * `nothing` is the interval of a share of 0, for functions that only one of the two has.
 *
 * The interval of a difference of independent shares p₁ − p₂ is Newcombe's (1998, method 10), from
 * Wilson's of each, which are what the period model gives:
 *
 *     low  = p₁ − p₂ − √((p₁ − l₁)² + (u₂ − p₂)²)
 *     high = p₁ − p₂ + √((u₁ − p₁)² + (p₂ − l₂)²)
 */
export function* compareShares(
  rows: readonly SharedRow[],
  otherRows: readonly SharedRow[],
  nothing: ShareInterval | null,
  otherNothing: ShareInterval | null,
): Slices<ShareChange[]> {
  const mine = byId(rows);
  yield;
  const others = byId(otherRows);
  yield;
  const changes: ShareChange[] = [];
  for (const key of new Set([...mine.keys(), ...others.keys()])) {
    const row = mine.get(key);
    const other = others.get(key);
    const { name, dso } = (row ?? other) as SharedRow;
    const share = row?.selfShare ?? 0;
    const otherShare = other?.selfShare ?? 0;
    const interval = differenceInterval(
      share,
      row === undefined ? nothing : (row.selfInterval ?? null),
      otherShare,
      other === undefined ? otherNothing : (other.selfInterval ?? null),
    );
    const delta = share - otherShare;
    changes.push({ name, dso, share, otherShare, delta, interval, isCertain: false });
    if (changes.length % SLICE_ITEMS === 0) yield;
  }
  yield;
  return markCertain(changes).sort(
    (a, b) => Math.abs(b.delta) - Math.abs(a.delta) || (a.name < b.name ? -1 : 1),
  );
}

/** Of as many tests as there are rows, the chance that any of those marked is wrong. */
const ALPHA = 0.05;
/** Standard deviations that an end of an interval is away. */
const Z = 1.959964;

/**
 * Holm's correction: the change that is surest has to hold against all rows, the next against one
 * less, and so on up to the first that does not.
 */
function markCertain(changes: ShareChange[]): ShareChange[] {
  const chances = changes.map(chanceOf);
  const order = changes.map((_, row) => row).sort((a, b) => chances[a] - chances[b]);
  const certain = new Set<number>();
  for (const [rank, row] of order.entries()) {
    if (chances[row] > ALPHA / (changes.length - rank)) break;
    certain.add(row);
  }
  return changes.map((change, row) => ({ ...change, isCertain: certain.has(row) }));
}

/** How likely so great a change is where there is none, from its interval: 0…1. */
function chanceOf({ delta, interval }: ShareChange): number {
  if (interval === null || delta === 0) return 1;
  const toZero = delta > 0 ? delta - interval.low : interval.high - delta;
  return toZero > 0 ? bothTails((Z * Math.abs(delta)) / toZero) : 0;
}

/** Chance that a normal variable is more than `z` standard deviations away, by Laplace's fraction. */
function bothTails(z: number): number {
  if (z < 1) return 1;
  let fraction = z;
  for (let k = 100; k > 0; k--) fraction = z + k / fraction;
  return (2 * Math.exp((-z * z) / 2)) / (Math.sqrt(2 * Math.PI) * fraction);
}

/** Functions that are the same are one row: their shares add up, and so do their errors at most. */
function byId(rows: readonly SharedRow[]): Map<number, SharedRow> {
  const found = new Map<number, SharedRow>();
  for (const row of rows) {
    const before = found.get(row.id);
    found.set(row.id, before === undefined ? row : joined(before, row));
  }
  return found;
}

function joined(a: SharedRow, b: SharedRow): SharedRow {
  const selfShare = a.selfShare + b.selfShare;
  if (a.selfInterval === undefined || b.selfInterval === undefined) {
    return { id: a.id, name: a.name, dso: a.dso, selfShare };
  }
  const low = a.selfInterval.low + b.selfInterval.low;
  const high = Math.min(1, a.selfInterval.high + b.selfInterval.high);
  return { ...a, selfShare, selfInterval: { low, high } };
}

function differenceInterval(
  share: number,
  interval: ShareInterval | null,
  otherShare: number,
  otherInterval: ShareInterval | null,
): ShareInterval | null {
  if (interval === null || otherInterval === null) return null;
  const down = Math.hypot(share - interval.low, otherInterval.high - otherShare);
  const up = Math.hypot(interval.high - share, otherShare - otherInterval.low);
  const delta = share - otherShare;
  return { low: Math.max(-1, delta - down), high: Math.min(1, delta + up) };
}

/** Two trees laid over each other. Its weights are shares: the mean of the two recordings' shares. */
export type DiffTree = {
  readonly tree: CallTree;
  /** Per row of `tree`: share of this recording less that of the other. */
  readonly delta: Float64Array;
  readonly otherShare: Float64Array;
};

/**
 * Lays `other` over `tree`. Its groups become those of `tree` by `otherGroupToGroup`. Width by the
 * mean share, so that functions that only one of them has are seen too. Neither has root rows.
 */
export function* diffTrees(
  tree: CallTree,
  other: CallTree,
  otherGroupToGroup: Int32Array,
): Slices<DiffTree> {
  const pairs = new PairInterner();
  const rowToJoined = yield* addRows(pairs, tree, null);
  const otherToJoined = yield* addRows(pairs, other, otherGroupToGroup);
  const { length } = pairs;
  const prefix = pairs.first.finish();
  const own = sharesOf(tree, rowToJoined, length);
  yield;
  const others = sharesOf(other, otherToJoined, length);
  yield;
  const selfSamples = new Int32Array(length);
  for (let row = 0; row < tree.length; row++) {
    selfSamples[rowToJoined[row]] += tree.selfSamples[row];
  }
  for (let row = 0; row < other.length; row++) {
    selfSamples[otherToJoined[row]] += other.selfSamples[row];
  }
  const share = sumSubtrees(prefix, own);
  const otherShare = sumSubtrees(prefix, others);
  yield;
  const self = own.map((value, row) => (value + others[row]) / 2);
  return {
    tree: {
      length,
      prefix,
      group: pairs.second.finish(),
      root: new Int32Array(length).fill(NONE),
      self,
      total: sumSubtrees(prefix, self),
      selfSamples,
      weight: 1,
      lost: 0,
      samples: tree.samples + other.samples,
      withoutStack: (portion(tree) + portion(other)) / 2,
    },
    delta: share.map((value, row) => value - otherShare[row]),
    otherShare,
  };
}

function portion({ withoutStack, weight }: CallTree): number {
  return weight > 0 ? withoutStack / weight : 0;
}

// Hot: once per row.
function* addRows(
  pairs: PairInterner,
  { prefix, group, length }: CallTree,
  groupToGroup: Int32Array | null,
): Slices<Int32Array> {
  const joined = new Int32Array(length);
  yield* eachSlice(length, (first, end) => {
    for (let row = first; row < end; row++) {
      const caller = prefix[row];
      const own = group[row];
      joined[row] = pairs.intern(
        caller === NONE ? NONE : joined[caller],
        groupToGroup === null ? own : groupToGroup[own],
      );
    }
  });
  return joined;
}

function sharesOf(tree: CallTree, rowToJoined: Int32Array, length: number): Float64Array {
  const shares = new Float64Array(length);
  if (!(tree.weight > 0)) return shares;
  for (let row = 0; row < tree.length; row++) {
    const at = rowToJoined[row];
    shares[at] = shares[at] + tree.self[row] / tree.weight;
  }
  return shares;
}
