import { NONE } from '../../../../src/base/brand.ts';
import type { IntColumn } from '../../../../src/base/int-column.ts';
import { ComputedOnce, type Slices } from '../../../../src/base/slices.ts';
import {
  boundsOfLost,
  boundsOfShare,
} from '../../../../src/profile/analysis/shares/share-bounds.ts';
import {
  type GroupedTree,
  keysOfSelected,
  type StepSums,
  sumStepsByKey,
} from '../../../../src/profile/analysis/shares/share-steps.ts';
import { sumStepsOfGroups } from '../../../../src/profile/analysis/shares/share-steps-of-groups.ts';
import type { Interval } from '../messages/messages.ts';
import type { Selected } from '../recording/selected.ts';

/** The rows of a table, as samples and rows of the tree see it. Keys are 0 … `count` − 1. */
export type TableKeys = {
  /** Key per row of the tree. */
  readonly ofTreeRow: Int32Array;
  /** Key per sample where a sample has one and no path of them: its thread; null: as its row. */
  readonly ofSample: IntColumn | null;
  readonly count: number;
  /** The key of what was lost, −1: none. */
  readonly lost: number;
};

/**
 * The 95 % intervals of a table's rows. Those of self are cheap for all rows at once; those of totals
 * are computed for the rows that are looked at.
 */
export class TableIntervals {
  readonly #selected: Selected;
  readonly #keys: TableKeys;
  readonly #self: ComputedOnce<StepSums | null>;
  readonly #ofSelf = new Map<number, Interval>();
  readonly #ofTotal = new Map<number, Interval>();

  constructor(selected: Selected, keys: TableKeys) {
    this.#selected = selected;
    this.#keys = keys;
    this.#self = new ComputedOnce(() => this.#sumSelf());
  }

  self(key: number): Interval | null {
    return this.#ofSelf.get(key) ?? null;
  }

  total(key: number): Interval | null {
    return this.#ofTotal.get(key) ?? null;
  }

  /** Makes those of `wanted` known, with shares 0…1 of the selection by key; no more, if none are. */
  *compute(
    wanted: Int32Array,
    selfShare: (key: number) => number,
    totalShare: (key: number) => number,
  ): Slices<void> {
    const estimator = yield* this.#selected.estimator();
    const missing = wanted.filter((key) => !this.#ofTotal.has(key));
    const self = yield* this.#self.get();
    if (estimator === null || estimator.isExact || self === null || missing.length === 0) return;
    const { tree, rowOfSample } = yield* this.#selected.callees();
    const { ofSample, ofTreeRow, count, lost } = this.#keys;
    const byGroup: GroupedTree = { prefix: tree.prefix, group: ofTreeRow };
    const total =
      ofSample === null
        ? yield* sumStepsOfGroups(estimator.steps, rowOfSample, byGroup, count, missing)
        : self;
    for (let i = 0; i < missing.length; i++) {
      const key = missing[i];
      const at = ofSample === null ? i : key;
      if (key === lost) {
        const bounds = boundsOfLost(estimator, tree);
        this.#ofSelf.set(key, bounds);
        this.#ofTotal.set(key, bounds);
        continue;
      }
      this.#ofSelf.set(key, boundsOfShare(estimator, tree, selfShare(key), self, key));
      this.#ofTotal.set(key, boundsOfShare(estimator, tree, totalShare(key), total, at));
    }
  }

  /** Null where the model gives none. */
  *#sumSelf(): Slices<StepSums | null> {
    const estimator = yield* this.#selected.estimator();
    const { tree, rowOfSample } = yield* this.#selected.callees();
    if (estimator === null || tree.weight === 0) return null;
    const { ofSample, ofTreeRow } = this.#keys;
    const keys = ofSample ?? rowOfSample.map((row) => (row === NONE ? NONE : ofTreeRow[row]));
    const keyOfSample = keysOfSelected(keys, this.#selected.samples);
    yield;
    return yield* sumStepsByKey(estimator.steps, keyOfSample, this.#keys.count);
  }
}
