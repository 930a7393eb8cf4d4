import { ComputedOnce, type Slices } from '../../../../src/base/slices.ts';
import type { MetricName } from '../../../../src/counting/count/metric.ts';
import { metricRatios } from '../../../../src/counting/count/metric-ratios.ts';
import type { RatioEstimate } from '../../../../src/profile/analysis/shares/group-ratios.ts';
import {
  computeRatio,
  type EventRatio,
  findRatios,
  keysOfCompared,
  ratioKeys,
} from '../../../../src/profile/analysis/shares/ratios.ts';
import { innermostFuncs } from '../../../../src/profile/analysis/trees/call-nodes.ts';
import { namesakesOfThreads } from '../../../../src/questions/threads.ts';
import type { TableKey, TableRatio } from '../messages/messages.ts';
import type { Selected } from '../recording/selected.ts';

/** Ratios of events by the rows of a table, what each executes itself; none where no two events are compared. */
export class TableRatios {
  readonly #selected: Selected;
  readonly #by: TableKey;
  readonly #count: number;
  readonly #ratios: readonly EventRatio<MetricName>[];
  readonly #estimates: ComputedOnce<readonly RatioEstimate[][]>;
  #known: readonly RatioEstimate[][] | null = null;

  /** `count`: the table's keys. */
  constructor(selected: Selected, by: TableKey, count: number) {
    this.#selected = selected;
    this.#by = by;
    this.#count = count;
    this.#ratios = selected.countsEvents ? findRatios(selected.profile, metricRatios) : [];
    this.#estimates = new ComputedOnce(() => this.#estimate());
  }

  get columns(): readonly TableRatio[] {
    const { events } = this.#selected.profile;
    return this.#ratios.map(({ name, part }) => ({ name, event: events[part].name }));
  }

  /** Empty until they were computed. */
  of(key: number): readonly RatioEstimate[] {
    return this.#known?.map((estimates) => estimates[key]) ?? [];
  }

  *compute(): Slices<void> {
    this.#known = yield* this.#estimates.get();
  }

  *#estimate(): Slices<readonly RatioEstimate[][]> {
    const ratios = this.#ratios;
    if (ratios.length === 0) return [];
    const source = yield* this.#selected.ratioSource(ratios);
    const keys = ratioKeys(keysOfCompared(source, ratios, this.#keyOfSample()), this.#count);
    const found: RatioEstimate[][] = [];
    for (const ratio of ratios) found.push(yield* computeRatio(source, ratio, keys));
    return found;
  }

  #keyOfSample(): (sample: number) => number {
    const { profile } = this.#selected;
    const { samples, funcs, threads } = profile;
    if (this.#by === 'thread') {
      const namesakes = namesakesOfThreads(threads);
      return (sample) => namesakes[samples.thread[sample]];
    }
    const funcOf = innermostFuncs(profile);
    if (this.#by === 'function') return (sample) => funcOf[sample];
    const of = this.#by === 'file' ? funcs.file : funcs.dso;
    // −1, none, is key 0 of files and DSOs.
    return (sample) => (funcOf[sample] < 0 ? -1 : of[funcOf[sample]] + 1);
  }
}
