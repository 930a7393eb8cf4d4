import { NONE } from '../../../../src/base/brand.ts';
import { computeSourceLines } from '../../../../src/profile/analysis/source-lines.ts';
import type { SourceParams, SourceResult } from '../messages/messages.ts';
import type { Selected } from '../recording/selected.ts';

/** Weights per line of the file that a function is in, of its own frames; or of a whole file. */
export function computeSource(selected: Selected, params: SourceParams): SourceResult {
  const { recording, profile, weights, samples } = selected;
  const func = 'func' in params ? params.func : NONE;
  const file = 'file' in params ? params.file : fileOf(selected, params.func);
  const lines = computeSourceLines(profile, weights, samples, file, func);
  let weight = 0;
  for (let i = 0; i < samples.length; i++) weight += weights.values[samples[i]];
  return {
    fileIndex: file,
    file: file === NONE ? null : profile.strings[file],
    name: func === NONE ? null : (recording.funcName[func] ?? null),
    isJit: func !== NONE && profile.dsos[profile.funcs.dso[func]]?.kind === 'jit',
    firstLine: func === NONE ? 0 : (profile.funcs.line[func] ?? 0),
    ...lines,
    ...sumWhole(selected, { file, func }),
    weight,
    unit: weights.unit,
  };
}

/** Self and total of the function as a whole, or where none is meant of all functions in the file. */
function sumWhole(
  { profile, weights, samples }: Selected,
  { file, func }: { readonly file: number; readonly func: number },
): Pick<SourceResult, 'allSelf' | 'allTotal'> {
  const { stacks, frames, samples: table } = profile;
  const isMeant = (frame: number) =>
    func === NONE ? frames.file[frame] === file : frames.func[frame] === func;
  const meansInner = new Uint8Array(stacks.length);
  const meansAny = new Uint8Array(stacks.length);
  for (let row = 0; row < stacks.length; row++) {
    const prefix = stacks.prefix[row];
    meansInner[row] = isMeant(stacks.frame[row]) ? 1 : 0;
    meansAny[row] = meansInner[row] | (prefix === NONE ? 0 : meansAny[prefix]);
  }
  let allSelf = 0;
  let allTotal = 0;
  // Hot: once per sample.
  for (let i = 0; i < samples.length; i++) {
    const stack = table.stack[samples[i]];
    if (stack === NONE || meansAny[stack] === 0) continue;
    const weight = weights.values[samples[i]];
    allTotal += weight;
    if (meansInner[stack] === 1) allSelf += weight;
  }
  return { allSelf, allTotal };
}

/** The function's own file, else the one in which most of its frames are; −1: none is known. */
function fileOf({ profile: { funcs, frames } }: Selected, func: number): number {
  const own = funcs.file[func] ?? NONE;
  const count = new Map<number, number>();
  for (let frame = 0; frame < frames.length; frame++) {
    const file = frames.file[frame];
    if (frames.func[frame] !== func || file === NONE) continue;
    count.set(file, (count.get(file) ?? 0) + 1);
  }
  if (own !== NONE && (count.has(own) || count.size === 0)) return own;
  let most: number = NONE;
  for (const [file, frames] of count) {
    if (most === NONE || frames > (count.get(most) as number)) most = file;
  }
  return most;
}
