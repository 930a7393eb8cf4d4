import { NONE } from '../../../../src/base/brand.ts';
import { ComputedOnce, type Slices } from '../../../../src/base/slices.ts';
import type { MetricName } from '../../../../src/counting/count/metric.ts';
import { metricRatios } from '../../../../src/counting/count/metric-ratios.ts';
import type {
  RatioEstimate,
  RatioKeys,
} from '../../../../src/profile/analysis/shares/group-ratios.ts';
import {
  computeRatio,
  type EventRatio,
  findRatios,
  keysOfCompared,
  type RatioSource,
  ratioKeys,
} from '../../../../src/profile/analysis/shares/ratios.ts';
import { innermostFuncs } from '../../../../src/profile/analysis/trees/call-nodes.ts';
import { namesakesOfThreads } from '../../../../src/questions/threads.ts';
import type { TableKey, TableRatio, TableResult } from '../messages/messages.ts';
import type { Selected } from '../recording/selected.ts';

/** The code that ratios are of: the row's own, or with all that it calls. */
export type RatioScope = TableResult['ratioScope'];

/** Ratios of events by the rows of a table; none where no two events are compared. */
export class TableRatios {
  readonly #selected: Selected;
  readonly #by: TableKey;
  readonly #count: number;
  readonly #ratios: readonly EventRatio<MetricName>[];
  readonly #estimates: Record<RatioScope, ComputedOnce<readonly RatioEstimate[][]>>;
  readonly #known = new Map<RatioScope, readonly RatioEstimate[][]>();

  /** `count`: the table's keys. */
  constructor(selected: Selected, by: TableKey, count: number) {
    this.#selected = selected;
    this.#by = by;
    this.#count = count;
    this.#ratios = selected.countsEvents ? findRatios(selected.profile, metricRatios) : [];
    this.#estimates = {
      self: new ComputedOnce(() => this.#estimate('self')),
      total: new ComputedOnce(() => this.#estimate('total')),
    };
  }

  get columns(): readonly TableRatio[] {
    const { events } = this.#selected.profile;
    return this.#ratios.map(({ name, part }) => ({ name, event: events[part].name }));
  }

  /** Empty until they were computed. */
  of(key: number, scope: RatioScope): readonly RatioEstimate[] {
    return this.#known.get(scope)?.map((estimates) => estimates[key]) ?? [];
  }

  *compute(scope: RatioScope): Slices<void> {
    this.#known.set(scope, yield* this.#estimates[scope].get());
  }

  *#estimate(scope: RatioScope): Slices<readonly RatioEstimate[][]> {
    const ratios = this.#ratios;
    if (ratios.length === 0) return [];
    const source = yield* this.#selected.ratioSource(ratios);
    const keys =
      scope === 'self' || this.#by === 'thread' ? this.#ownKeys(source) : this.#pathKeys(source);
    const found: RatioEstimate[][] = [];
    for (const ratio of ratios) found.push(yield* computeRatio(source, ratio, keys));
    return found;
  }

  #ownKeys(source: RatioSource): RatioKeys {
    const { samples, threads } = this.#selected.profile;
    const own = (keyOfSample: (sample: number) => number) =>
      ratioKeys(keysOfCompared(source, this.#ratios, keyOfSample), this.#count);
    if (this.#by === 'thread') {
      const namesakes = namesakesOfThreads(threads);
      return own((sample) => namesakes[samples.thread[sample]]);
    }
    const funcOf = innermostFuncs(this.#selected.profile);
    return own((sample) => this.#keyOfFunc(funcOf[sample]));
  }

  /** Keys of all functions on a sample's stack, each once. */
  #pathKeys(source: RatioSource): RatioKeys {
    const { stack } = this.#selected.profile.samples;
    const { prefix, group, stackToCallNode } = this.#selected.callNodes;
    const rowOfSample = keysOfCompared(source, this.#ratios, (sample) =>
      stack[sample] === NONE ? NONE : stackToCallNode[stack[sample]],
    );
    const ofRow = group.map((func) => this.#keyOfFunc(func));
    return { rowOfSample, tree: { prefix, group: ofRow }, count: this.#count };
  }

  #keyOfFunc(func: number): number {
    const { funcs } = this.#selected.profile;
    if (func === NONE || this.#by === 'function') return func;
    // −1, none, is key 0 of files and DSOs.
    return (this.#by === 'file' ? funcs.file : funcs.dso)[func] + 1;
  }
}
