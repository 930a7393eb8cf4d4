import { NONE } from '../base/brand.ts';
import { PairInterner } from '../base/pair-interner.ts';
import { eachSlice, finish, SLICE_ITEMS, type Slices } from '../base/slices.ts';
import { type CallTree, sumSubtrees } from './call-tree.ts';
import type { ShareInterval } from './share-steps.ts';

/** A function's part of one recording. */
export type SharedRow = {
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
  /** 95 % interval of `delta`; null where either share has none. */
  readonly interval: ShareInterval | null;
  /** The interval does not hold 0. Of 20 functions that did not change, one will be so by chance. */
  readonly isCertain: boolean;
};

/**
 * The functions of two recordings, by name and DSO, largest change first. Shares are compared, so
 * the recordings may be of different length.
 *
 * `nothing` is the interval of a share of 0, for functions that only one of the two has.
 *
 * The interval of a difference of independent shares p₁ − p₂ is Newcombe's (1998, method 10), from
 * Wilson's of each, which are what the period model gives:
 *
 *     low  = p₁ − p₂ − √((p₁ − l₁)² + (u₂ − p₂)²)
 *     high = p₁ − p₂ + √((u₁ − p₁)² + (p₂ − l₂)²)
 */
export function compareShares(
  rows: readonly SharedRow[],
  otherRows: readonly SharedRow[],
  nothing: ShareInterval | null,
  otherNothing: ShareInterval | null,
): ShareChange[] {
  return finish(compareSharesInSlices(rows, otherRows, nothing, otherNothing));
}

export function* compareSharesInSlices(
  rows: readonly SharedRow[],
  otherRows: readonly SharedRow[],
  nothing: ShareInterval | null,
  otherNothing: ShareInterval | null,
): Slices<ShareChange[]> {
  const mine = byName(rows);
  yield;
  const others = byName(otherRows);
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
    const isCertain = interval !== null && (interval.low > 0 || interval.high < 0);
    changes.push({ name, dso, share, otherShare, delta: share - otherShare, interval, isCertain });
    if (changes.length % SLICE_ITEMS === 0) yield;
  }
  yield;
  return changes.sort(
    (a, b) => Math.abs(b.delta) - Math.abs(a.delta) || (a.name < b.name ? -1 : 1),
  );
}

/** Functions of one name and DSO are one row: their shares add up, and so do their errors at most. */
function byName(rows: readonly SharedRow[]): Map<string, SharedRow> {
  const found = new Map<string, SharedRow>();
  for (const row of rows) {
    const key = nameKey(row.name, row.dso);
    const before = found.get(key);
    found.set(key, before === undefined ? row : joined(before, row));
  }
  return found;
}

function joined(a: SharedRow, b: SharedRow): SharedRow {
  const selfShare = a.selfShare + b.selfShare;
  if (a.selfInterval === undefined || b.selfInterval === undefined) {
    return { name: a.name, dso: a.dso, selfShare };
  }
  const low = a.selfInterval.low + b.selfInterval.low;
  const high = Math.min(1, a.selfInterval.high + b.selfInterval.high);
  return { ...a, selfShare, selfInterval: { low, high } };
}

/** What functions of two recordings are matched by. */
export function nameKey(name: string, dso: string): string {
  return `${name}\0${dso}`;
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
export function* diffTreesInSlices(
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
    selfSamples[rowToJoined[row] as number]! += tree.selfSamples[row] as number;
  }
  for (let row = 0; row < other.length; row++) {
    selfSamples[otherToJoined[row] as number]! += other.selfSamples[row] as number;
  }
  const share = sumSubtrees(prefix, own);
  const otherShare = sumSubtrees(prefix, others);
  yield;
  const self = own.map((value, row) => (value + (others[row] as number)) / 2);
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
    delta: share.map((value, row) => value - (otherShare[row] as number)),
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
      const caller = prefix[row] as number;
      const own = group[row] as number;
      joined[row] = pairs.intern(
        caller === NONE ? NONE : (joined[caller] as number),
        groupToGroup === null ? own : (groupToGroup[own] as number),
      );
    }
  });
  return joined;
}

function sharesOf(tree: CallTree, rowToJoined: Int32Array, length: number): Float64Array {
  const shares = new Float64Array(length);
  if (!(tree.weight > 0)) return shares;
  for (let row = 0; row < tree.length; row++) {
    const at = rowToJoined[row] as number;
    shares[at] = (shares[at] as number) + (tree.self[row] as number) / tree.weight;
  }
  return shares;
}
