import { NONE } from '../base/brand.ts';
import { mapInts } from '../base/int-column.ts';
import type { Slices } from '../base/slices.ts';
import { totalsOfFrames, weightsOfStacks } from '../profile/analysis/weight-sums.ts';
import type { FuncIndex, Profile } from '../profile/types.ts';
import { type Asked, type Share, sharesByKey } from './shares-by-key.ts';

/** A line with the share that it did itself; `total`: the weight of the samples with it anywhere on the stack. */
export type LineShare = Share & {
  /** −1: of any function. */
  readonly func: FuncIndex | typeof NONE;
  /** Row of `strings`; −1: not known. */
  readonly file: number;
  /** Line number from 1; 0: not known. */
  readonly line: number;
  readonly total: number;
};

/** The lines of functions, or of a file: `rows` heaviest first. */
export type FoundLines = {
  readonly rows: readonly LineShare[];
  /** The row of `rows` whose line each sample is in, by row of the sample table; −1: in none. */
  readonly rowOfSample: Int32Array;
  /** Weight of the samples with any of the lines on the stack. */
  readonly total: number;
};

/** Whose lines are meant: those of functions, flags by FuncIndex, or of a file, a row of `strings`. */
export type LinesOf = { readonly isMeant: Uint8Array } | { readonly file: number };

/** The lines that samples have, by total, then self. */
export function* findLines(asked: Asked, of: LinesOf): Slices<FoundLines> {
  const { profile } = asked;
  const { samples, stacks } = profile;
  const { keyOfFrame, frameOfKey } = lineKeys(profile, of);
  const keys = mapInts(samples.stack, (stack) =>
    stack === NONE ? NONE : keyOfFrame[stacks.frame[stack]],
  );
  const stackWeights = weightsOfStacks(profile, asked.weights, asked.rows);
  const totals = totalsOfFrames(profile, stackWeights, keyOfFrame, frameOfKey.length);
  const isIn = keyOfFrame.map((key) => (key === NONE ? NONE : 0));
  const [total] = totalsOfFrames(profile, stackWeights, isIn, 1);
  yield;
  const own = new Map<number, Share>();
  for (const { key, ...share } of yield* sharesByKey(asked, keys, frameOfKey.length)) {
    own.set(key, share);
  }
  const none: Share = { weight: 0, samples: 0, share: 0, interval: null };
  const order = [...frameOfKey.keys()].filter((key) => totals[key] > 0);
  const selfOf = (key: number): number => own.get(key)?.weight ?? 0;
  order.sort((a, b) => totals[b] - totals[a] || selfOf(b) - selfOf(a) || a - b);
  const rowOfKey = new Map(order.map((key, row) => [key, row]));
  const { func, file, line } = profile.frames;
  return {
    rows: order.map((key) => {
      const frame = frameOfKey[key];
      const ofFunc = ('file' in of ? NONE : func[frame]) as LineShare['func'];
      const place = { func: ofFunc, file: file[frame], line: line[frame] };
      return { ...place, total: totals[key], ...(own.get(key) ?? none) };
    }),
    rowOfSample: keys.map((key) => (key === NONE ? NONE : (rowOfKey.get(key) ?? NONE))),
    total,
  };
}

/** Numbers the lines: by frame, and for each the first frame that is in it. */
function lineKeys({ frames }: Profile, of: LinesOf) {
  const places = new Map<string, number>();
  const frameOfKey: number[] = [];
  const keyOfFrame = Int32Array.from({ length: frames.length }, (_, frame) => {
    const func = frames.func[frame];
    const file = frames.file[frame];
    if ('file' in of ? file !== of.file : of.isMeant[func] === 0) return NONE;
    const place = `${'file' in of ? NONE : func} ${file} ${frames.line[frame]}`;
    const key = places.get(place) ?? places.size;
    if (key === frameOfKey.length) frameOfKey.push(frame);
    places.set(place, key);
    return key;
  });
  return { keyOfFrame, frameOfKey };
}

/** The lines of one file among `rows` that are known, in their order. */
export function linesOfFile(rows: readonly LineShare[], file: number): LineShare[] {
  return rows
    .filter((row) => row.file === file && row.line > 0)
    .sort((a, b) => a.line - b.line || a.func - b.func);
}
