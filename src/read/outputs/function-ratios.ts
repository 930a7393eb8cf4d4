import { NONE } from '../../base/brand.ts';
import { finish } from '../../base/slices.ts';
import { levelOfTable } from '../../code/levels/levels-of.ts';
import type { MetricName } from '../../counting/count/metric.ts';
import { metricRatios } from '../../counting/count/metric-ratios.ts';
import type { GroupKey } from '../../profile/analysis/group-keys.ts';
import { rowsByKeys } from '../../profile/analysis/grouped-report.ts';
import type { SampleSelection } from '../../profile/analysis/select/filter.ts';
import type { RatioEstimate, RatioKeys } from '../../profile/analysis/shares/group-ratios.ts';
import {
  comparedEvents,
  computeRatios,
  type EventRatio,
  findRatios,
  keysOfCompared,
  type RatioSource,
  ratioKeys,
  ratioOfWhole,
} from '../../profile/analysis/shares/ratios.ts';
import { computeCallNodes, innermostFuncs } from '../../profile/analysis/trees/call-nodes.ts';
import type { FuncIndex } from '../../profile/types.ts';
import type { AnalysedProfile } from './analysed-profile.ts';

/** A ratio that a recording has, with that of all its selected samples. */
export type RecordedRatio = EventRatio<MetricName> & {
  /** Null where nothing was counted that is divided by. */
  readonly ofAll: number | null;
};

/** The ratios of functions: entry i of each is of `ratios[i]`. */
export type FunctionRatios = {
  readonly ratios: readonly RecordedRatio[];
  /** Ratios of their own code, by FuncIndex; and with all that they call. */
  readonly self: readonly (readonly RatioEstimate[])[];
  readonly total: readonly (readonly RatioEstimate[])[];
  /** Functions that samples of an event compared were taken in, at all or as innermost one. */
  readonly funcs: readonly FuncIndex[];
};

/** Instructions per cycle and the like by function; null where no two events are compared. */
export function functionRatios(
  opened: AnalysedProfile,
  select: SampleSelection = {},
): FunctionRatios | null {
  const asked = ask(opened, select);
  if (asked === null) return null;
  const { source, ratios } = asked;
  const { profile } = opened;
  const count = profile.funcs.length;
  const { prefix, group, stackToCallNode } = finish(computeCallNodes(profile));
  const nodes = keysOfCompared(source, ratios, (sample) => {
    const stack = profile.samples.stack[sample];
    return stack === NONE ? NONE : stackToCallNode[stack];
  });
  const innermost = innermostFuncs(profile);
  const own = keysOfCompared(source, ratios, (sample) => innermost[sample]);
  const ofTotal: RatioKeys = { rowOfSample: nodes, tree: { prefix, group }, count };
  return {
    ratios: describe(source, ratios),
    self: computeRatios(source, ratios, ratioKeys(own, count)),
    total: computeRatios(source, ratios, ofTotal),
    funcs: funcsIn(nodes, ofTotal),
  };
}

/** One combination of keys that occurs, with its ratios. */
export type RatioRow = {
  /** Parallel to the keys asked for. */
  readonly names: readonly string[];
  readonly estimates: readonly RatioEstimate[];
};

/** Ratios by other keys of the innermost frames (by line, say), of what they execute themselves. */
export function ratiosByKeys(
  opened: AnalysedProfile,
  keys: readonly GroupKey[],
  select: SampleSelection = {},
): { readonly ratios: readonly RecordedRatio[]; readonly rows: readonly RatioRow[] } | null {
  // Events are compared, so no row can be of one of them.
  const asked = keys.includes('event') ? null : ask(opened, select);
  if (asked === null) return null;
  const { source, ratios } = asked;
  const profile = opened.profileAt(levelOfTable(keys, opened.facts.frames));
  const { rowOfSample, names } = rowsByKeys(profile, samplesOf(asked), keys);
  const estimates = computeRatios(source, ratios, ratioKeys(rowOfSample, names.length));
  return {
    ratios: describe(source, ratios),
    rows: names.map((of, row) => ({ names: of, estimates: estimates.map((each) => each[row]) })),
  };
}

/** The ratios of samples by a key that each has of its own, −1 where it has none: what they execute themselves. */
export function ratiosOfSamples(
  opened: AnalysedProfile,
  keyOfSample: Int32Array,
  keyCount: number,
): { readonly ratios: readonly RecordedRatio[]; readonly estimates: readonly RatioEstimate[][] } {
  const asked = ask(opened, {});
  if (asked === null) return { ratios: [], estimates: [] };
  const { source, ratios } = asked;
  return {
    ratios: describe(source, ratios),
    estimates: computeRatios(source, ratios, ratioKeys(keyOfSample, keyCount)),
  };
}

type Asked = {
  readonly source: RatioSource;
  readonly ratios: readonly EventRatio<MetricName>[];
};

function ask(opened: AnalysedProfile, select: SampleSelection): Asked | null {
  const ratios = findRatios(opened.profile, metricRatios);
  return ratios.length === 0 ? null : { source: opened.ratioSource(select), ratios };
}

/** The selected samples of all events that are compared, in time order. */
function samplesOf({ source, ratios }: Asked): Int32Array {
  const rows = comparedEvents(source.profile, ratios).map((event) => source.eventOf(event).rows);
  const samples = new Int32Array(rows.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const of of rows) {
    samples.set(of, at);
    at += of.length;
  }
  return samples.sort();
}

function describe(source: RatioSource, ratios: Asked['ratios']): RecordedRatio[] {
  return ratios.map((ratio) => ({ ...ratio, ofAll: ratioOfWhole(source, ratio) }));
}

function funcsIn(rowOfSample: Int32Array, { tree, count }: RatioKeys): FuncIndex[] {
  const isIn = new Uint8Array(count);
  const isSeen = new Uint8Array(tree.prefix.length);
  for (const start of rowOfSample) {
    for (let row = start; row !== NONE && isSeen[row] === 0; row = tree.prefix[row]) {
      isSeen[row] = 1;
      isIn[tree.group[row]] = 1;
    }
  }
  return [...isIn.keys()].filter((func) => isIn[func] === 1) as FuncIndex[];
}
