import { NONE } from '../../base/brand.ts';
import { PairInterner } from '../../base/pair-interner.ts';
import { finish } from '../../base/slices.ts';
import { coreTypeOfCpu } from '../core-types.ts';
import { funcLabel } from '../func-label.ts';
import { FUNC_CATEGORIES, type Profile, TIERS, type Weights } from '../types.ts';
import type { Figures } from './flat-report.ts';
import type { GroupKey } from './group-keys.ts';
import { boundsOfShare } from './shares/share-bounds.ts';
import { type ShareEstimator, type StepSums, sumStepsByKey } from './shares/share-steps.ts';
import { innermostFrames } from './trees/call-nodes.ts';

/** One combination of keys that occurs. */
export type GroupedRow = Figures & {
  /** Parallel to the keys asked for. */
  readonly names: readonly string[];
};

export type GroupedReport = {
  readonly samples: number;
  /** Weight of the samples and of what was lost between them. */
  readonly weight: number;
  /** Part of `weight` that no sample shows: in no row. */
  readonly lost: number;
  /** The shares are measured, and their intervals of no width. */
  readonly isExact: boolean;
  /** Heaviest self first, then total, then in order of occurrence. */
  readonly rows: readonly GroupedRow[];
};

/**
 * A row per combination of `keys` among `samples`, as perf makes of `--sort comm,dso,sym`.
 *
 * A sample's self weight goes to the row of its innermost frame. With `dso` or `sym` among the keys
 * its weight is also in the total of the row of every other frame on its stack, once per row; other
 * keys are the sample's own, so that self and total are the same.
 */
export function computeGroupedReport(
  profile: Profile,
  weights: Weights,
  samples: Int32Array,
  keys: readonly GroupKey[],
  estimator?: ShareEstimator,
): GroupedReport {
  const values = valuesOfKeys(profile, keys);
  const rowOfSample = new Int32Array(profile.samples.length).fill(NONE);
  const table = new RowTable();
  const hasFrames = keys.some((key) => FRAME_KEYS.includes(key));
  const leafOfSample = hasFrames ? innermostFrames(profile) : null;
  let lost = 0;
  for (let i = 0; i < samples.length; i++) {
    const sample = samples[i];
    const weight = weights.values[sample];
    lost += weights.lostBefore?.[sample] ?? 0;
    const own = values.ofSample(sample);
    if (leafOfSample === null) {
      const row = table.rowOf(own, NONE);
      rowOfSample[sample] = row;
      table.add(row, weight, weight, 1);
      continue;
    }
    const leaf = leafOfSample[sample];
    const leafRow = table.rowOf(own, leaf === NONE ? NONE : values.ofFrame(leaf));
    rowOfSample[sample] = leafRow;
    table.add(leafRow, weight, weight, 1);
    if (leaf !== NONE) addCallers(profile, values, table, sample, own, leafRow, weight);
  }
  const weight = table.sumSelf() + lost;
  const sums =
    estimator === undefined
      ? null
      : finish(sumStepsByKey(estimator.steps, rowOfSample, table.length));
  const intervals = sums === null ? null : { estimator: estimator as ShareEstimator, sums };
  return {
    samples: samples.length,
    weight,
    lost,
    isExact: estimator?.isExact === true,
    rows: toRows(table, values, weight, lost, intervals),
  };
}

/**
 * A row per combination of `keys` among `samples`, of whatever event: that of each sample and its innermost
 * frame, −1 for all other samples; and what the rows are called.
 */
export function rowsByKeys(
  profile: Profile,
  samples: Int32Array,
  keys: readonly GroupKey[],
): { readonly rowOfSample: Int32Array; readonly names: readonly (readonly string[])[] } {
  const values = valuesOfKeys(profile, keys);
  const leafOfSample = keys.some((key) => FRAME_KEYS.includes(key))
    ? innermostFrames(profile)
    : null;
  const rowOfSample = new Int32Array(profile.samples.length).fill(NONE);
  const rows = new PairInterner();
  // Hot: once per sample.
  for (let i = 0; i < samples.length; i++) {
    const sample = samples[i];
    const leaf = leafOfSample === null ? NONE : leafOfSample[sample];
    const code = leaf === NONE ? NONE : values.ofFrame(leaf);
    rowOfSample[sample] = rows.intern(values.ofSample(sample), code);
  }
  const names = Array.from({ length: rows.length }, (_, row) =>
    values.names(rows.first.array[row], rows.second.array[row]),
  );
  return { rowOfSample, names };
}

/** The frames above the innermost one: each row once, however often it recurs. */
// Hot: once per frame.
function addCallers(
  { samples, stacks }: Profile,
  values: KeyValues,
  table: RowTable,
  sample: number,
  own: number,
  leafRow: number,
  weight: number,
): void {
  const mark = table.nextMark();
  table.isMarked(leafRow, mark);
  let stack = stacks.prefix[samples.stack[sample]];
  while (stack !== NONE) {
    const row = table.rowOf(own, values.ofFrame(stacks.frame[stack]));
    if (!table.isMarked(row, mark)) table.add(row, 0, weight, 0);
    stack = stacks.prefix[stack];
  }
}

/** The keys' values as numbers: one for those of a sample, one for those of a frame. */
type KeyValues = {
  /** The combination of comm, pid, tid, cpu and event. */
  ofSample(sample: number): number;
  /** The combination of DSO, name, line, category and tier. */
  ofFrame(frame: number): number;
  /** Back again, in the order of the keys. */
  names(own: number, code: number): string[];
};

function valuesOfKeys(profile: Profile, keys: readonly GroupKey[]): KeyValues {
  const { samples, threads, funcs, frames, dsos, events } = profile;
  const pids = threads.map(({ pid }) => pid);
  const tids = threads.map(({ tid }) => tid);
  const coreTypes = profile.meta.coreTypes ?? [];
  const coreTypeOf = coreTypeOfCpu(coreTypes);
  const ofSample: Partial<Record<GroupKey, (sample: number) => number>> = {
    comm: (sample) => samples.comm[sample],
    pid: (sample) => pids[samples.thread[sample]],
    tid: (sample) => tids[samples.thread[sample]],
    cpu: (sample) => samples.cpu[sample],
    coretype: (sample) => coreTypeOf(samples.cpu[sample]),
    event: (sample) => samples.event[sample],
  };
  const getters = keys.flatMap((key) => ofSample[key] ?? []);
  const ownKeys = keys.filter((key) => ofSample[key] !== undefined);
  const combined = getters.map(() => new PairInterner());
  const dsoNames = new Map<string, number>();
  const codeOfFrame = new Int32Array(frames.length);
  const codes: Record<FrameKey, string>[] = [];
  const places = sourcePlaces(profile, keys);
  for (let frame = 0; frame < frames.length; frame++) {
    const func = frames.func[frame];
    const dso = dsos[funcs.dso[func]]?.name ?? '[unknown]';
    const sym = funcLabel(profile, func);
    const place = places(frame, sym);
    const category = FUNC_CATEGORIES[funcs.category[func]] as string;
    const tier = TIERS[frames.tier[frame]] as string;
    const isUsed = (key: GroupKey, name: string) => (keys.includes(key) ? name : '');
    const text = [
      isUsed('dso', dso),
      isUsed('sym', sym),
      isUsed('srcline', place.srcline),
      isUsed('srcfile', place.srcfile),
      isUsed('category', category),
      isUsed('tier', tier),
    ].join('\0');
    const known = dsoNames.get(text) ?? codes.length;
    if (known === codes.length) {
      dsoNames.set(text, known);
      codes.push({ dso, sym, ...place, category, tier });
    }
    codeOfFrame[frame] = known;
  }
  const ownNames = (own: number): string[] => {
    const found: string[] = [];
    for (let i = combined.length - 1, rest = own; i >= 0; i--) {
      const pairs = combined[i];
      found.unshift(ownName(profile, ownKeys[i], pairs.second.array[rest]));
      rest = pairs.first.array[rest];
    }
    return found;
  };
  return {
    ofSample(sample) {
      let own: number = NONE;
      for (let i = 0; i < getters.length; i++) {
        own = combined[i].intern(own, (getters[i] as (s: number) => number)(sample));
      }
      return own;
    },
    ofFrame: (frame) => codeOfFrame[frame],
    names(own, code) {
      const named = ownNames(own);
      const place = codes[code] ?? NO_STACK;
      return keys.map((key) => {
        if (isFrameKey(key)) return place[key];
        return named[ownKeys.indexOf(key)];
      });
    },
  };

  function ownName({ strings: texts }: Profile, key: GroupKey, value: number): string {
    if (key === 'comm') return texts[value] || '[unknown]';
    if (key === 'coretype') return coreTypes[value]?.name ?? '[unknown]';
    if (key === 'event') return events[value]?.name ?? '';
    return value < 0 ? '[unknown]' : String(value);
  }
}

type FrameKey = 'dso' | 'sym' | SourceKey | 'category' | 'tier';
const FRAME_KEYS: readonly GroupKey[] = ['dso', 'sym', 'srcline', 'srcfile', 'category', 'tier'];
const NO_STACK = {
  dso: '[no stack]',
  sym: '[no stack]',
  srcline: '[no stack]',
  srcfile: '[no stack]',
  category: '[no stack]',
  tier: '[no stack]',
} as const;

function isFrameKey(key: GroupKey): key is FrameKey {
  return FRAME_KEYS.includes(key);
}

/** Sums per row; a row is a pair of combinations. */
class RowTable {
  readonly #pairs = new PairInterner();
  readonly #self: number[] = [];
  readonly #total: number[] = [];
  readonly #samples: number[] = [];
  readonly #marks: number[] = [];
  #mark = 0;

  get length(): number {
    return this.#pairs.length;
  }

  rowOf(own: number, code: number): number {
    return this.#pairs.intern(own, code);
  }

  add(row: number, self: number, total: number, samples: number): void {
    this.#self[row] = (this.#self[row] ?? 0) + self;
    this.#total[row] = (this.#total[row] ?? 0) + total;
    this.#samples[row] = (this.#samples[row] ?? 0) + samples;
  }

  nextMark(): number {
    return ++this.#mark;
  }

  /** Whether the row has this mark already; it has it from now on. */
  isMarked(row: number, mark: number): boolean {
    if (this.#marks[row] === mark) return true;
    this.#marks[row] = mark;
    return false;
  }

  sumSelf(): number {
    return this.#self.reduce((sum, self) => sum + self, 0);
  }

  figures(row: number): {
    own: number;
    code: number;
    self: number;
    total: number;
    samples: number;
  } {
    return {
      own: this.#pairs.first.array[row],
      code: this.#pairs.second.array[row],
      self: this.#self[row],
      total: this.#total[row],
      samples: this.#samples[row],
    };
  }
}

function toRows(
  table: RowTable,
  values: KeyValues,
  weight: number,
  lost: number,
  intervals: { readonly estimator: ShareEstimator; readonly sums: StepSums } | null,
): GroupedRow[] {
  const order = Array.from({ length: table.length }, (_, row) => row);
  const figures = order.map((row) => table.figures(row));
  order.sort(
    (a, b) => figures[b].self - figures[a].self || figures[b].total - figures[a].total || a - b,
  );
  return order.map((row) => {
    const { own, code, self, total, samples } = figures[row];
    const selfShare = weight === 0 ? 0 : self / weight;
    const bounds = (known: NonNullable<typeof intervals>) =>
      boundsOfShare(known.estimator, { weight, lost }, selfShare, known.sums, row);
    return {
      names: values.names(own, code),
      self,
      total,
      selfShare,
      totalShare: weight === 0 ? 0 : total / weight,
      selfSamples: samples,
      ...(intervals !== null && { selfInterval: bounds(intervals) }),
    };
  });
}

type SourceKey = 'srcline' | 'srcfile';

/** The place of a frame in its source, as perf shows it: `sort.c:120` and `sort.c`. */
type SourcePlace = Readonly<Record<SourceKey, string>>;

const NOT_ASKED: SourcePlace = { srcline: '', srcfile: '' };

/**
 * The places of frames; of one without a known file the function's name stands for the line, as in
 * perf, or `[evaluated]` where the line is in a text that the program evaluated. Empty texts if `keys` have no use for them.
 */
function sourcePlaces(
  { frames, strings }: Profile,
  keys: readonly string[],
): (frame: number, func: string) => SourcePlace {
  if (!keys.includes('srcline') && !keys.includes('srcfile')) return () => NOT_ASKED;
  return (frame, func) => {
    const file = frames.file[frame];
    const line = frames.line[frame];
    if (file === NONE && line > 0)
      return { srcline: `[evaluated]:${line}`, srcfile: '[evaluated]' };
    if (file === NONE) return { srcline: func, srcfile: '[unknown]' };
    const path = strings[file];
    const srcfile = path.slice(path.lastIndexOf('/') + 1);
    return { srcline: `${srcfile}:${line}`, srcfile };
  };
}
