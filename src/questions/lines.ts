import { NONE } from '../base/brand.ts';
import { mapInts } from '../base/int-column.ts';
import type { Slices } from '../base/slices.ts';
import { totalsOfFrames, weightsOfStacks } from '../profile/analysis/source-lines.ts';
import type { FuncIndex, Profile } from '../profile/types.ts';
import { type Asked, type Share, sharesByKey } from './shares-by-key.ts';

/** A line with the share that it did itself; `total`: the weight of the samples with it anywhere on the stack. */
export type LineShare = Share & {
  readonly func: FuncIndex;
  /** Row of `strings`; −1: not known. */
  readonly file: number;
  /** Line number from 1; 0: not known. */
  readonly line: number;
  readonly total: number;
};

/** The lines of functions: `rows` heaviest first. */
export type FunctionLines = {
  readonly rows: readonly LineShare[];
  /** The row of `rows` whose line each sample is in, by row of the sample table; −1: in none. */
  readonly rowOfSample: Int32Array;
};

/** The lines of the functions of `isMeant` (by FuncIndex) that samples have, by total, then self. */
export function* findLines(asked: Asked, isMeant: Uint8Array): Slices<FunctionLines> {
  const { profile } = asked;
  const { samples, stacks } = profile;
  const { keyOfFrame, frameOfKey } = lineKeys(profile, isMeant);
  const keys = mapInts(samples.stack, (stack) =>
    stack === NONE ? NONE : keyOfFrame[stacks.frame[stack]],
  );
  const stackWeights = weightsOfStacks(profile, asked.weights, asked.rows);
  const totals = totalsOfFrames(profile, stackWeights, keyOfFrame, frameOfKey.length);
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
      const place = { func: func[frame] as FuncIndex, file: file[frame], line: line[frame] };
      return { ...place, total: totals[key], ...(own.get(key) ?? none) };
    }),
    rowOfSample: keys.map((key) => (key === NONE ? NONE : (rowOfKey.get(key) ?? NONE))),
  };
}

/** Numbers the lines: by frame, and for each the first frame that is in it. */
function lineKeys({ frames }: Profile, isMeant: Uint8Array) {
  const places = new Map<string, number>();
  const frameOfKey: number[] = [];
  const keyOfFrame = Int32Array.from({ length: frames.length }, (_, frame) => {
    const func = frames.func[frame];
    if (isMeant[func] === 0) return NONE;
    const place = `${func} ${frames.file[frame]} ${frames.line[frame]}`;
    const key = places.get(place) ?? places.size;
    if (key === frameOfKey.length) frameOfKey.push(frame);
    places.set(place, key);
    return key;
  });
  return { keyOfFrame, frameOfKey };
}
