import { NONE } from '../../../../src/base/brand.ts';
import type { Slices } from '../../../../src/base/slices.ts';
import { findLines, linesOfFile } from '../../../../src/questions/lines.ts';
import type { SourceParams, SourceResult } from '../messages/messages.ts';
import type { Selected } from '../recording/selected.ts';

/** Weights per line of the file that a function is in, of its own frames; or of a whole file. */
export function* computeSource(selected: Selected, params: SourceParams): Slices<SourceResult> {
  const { recording, profile, weights } = selected;
  const func = 'func' in params ? params.func : NONE;
  const file = 'file' in params ? params.file : fileOf(selected, params.func);
  const { rows, total } = yield* findLines(
    selected.asked,
    'file' in params ? { file } : { isMeant: selected.flagsOf(func) },
  );
  const lines = linesOfFile(rows, file);
  const sum = (of: typeof rows) => of.reduce((all, { weight }) => all + weight, 0);
  const allSelf = sum(rows);
  return {
    fileIndex: file,
    file: file === NONE ? null : profile.strings[file],
    name: func === NONE ? null : (recording.funcName[func] ?? null),
    isJit: func !== NONE && profile.dsos[profile.funcs.dso[func]]?.kind === 'jit',
    firstLine: func === NONE ? 0 : (profile.funcs.line[func] ?? 0),
    line: Int32Array.from(lines, ({ line }) => line),
    self: Float64Array.from(lines, ({ weight }) => weight),
    total: Float64Array.from(lines, ({ total: ofLine }) => ofLine),
    withoutLine: allSelf - sum(lines),
    allSelf,
    allTotal: total,
    weight: selected.weight,
    unit: weights.unit,
  };
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
