import { describe, expect, it } from 'vitest';
import { computeSourceLines } from '../../../src/profile/analysis/source-lines.ts';
import { profileFromText, simpleWeights } from '../../helpers/profile-from-text.ts';

// Offsets stand for lines: `work+5` is line 5 of the file, `+0` has no line.
const drawn = profileFromText(`
  period  10      20      4       1
          main+1  main+1  main+1  main+1
          work+5  work+6  work+5  work
                          work+5
`);
const base = new Map<number, number>();
for (let frame = 0; frame < drawn.frames.length; frame++) {
  const func = drawn.frames.func[frame];
  base.set(func, Math.floor(drawn.frames.address[frame] / 0x100) * 0x100);
}
const line = drawn.frames.address.map(
  (address, frame) => address - base.get(drawn.frames.func[frame])!,
);
const profile = {
  ...drawn,
  frames: {
    ...drawn.frames,
    line: Int32Array.from(line),
    file: Int32Array.from(line, (at) => (at > 0 ? 0 : -1)),
  },
};
const work = profile.frames.func[line.indexOf(5)];
const lines = (func: number) =>
  computeSourceLines(profile, simpleWeights(profile, 'period'), Int32Array.of(0, 1, 2, 3), 0, func);

describe('weights per line', () => {
  it('weights per line take memory by the lines that frames are in, not by the last line', () => {
    const last = 2 ** 31 - 1;
    const frames = {
      ...profile.frames,
      line: profile.frames.line.map((at) => (at > 0 ? last : 0)),
    };
    const samples = Int32Array.of(0, 1, 2, 3);
    const weights = simpleWeights(profile, 'period');
    const { line, self } = computeSourceLines({ ...profile, frames }, weights, samples, 0, work);
    expect([...line, ...self]).toEqual([last, 34]);
  });

  it('weights per line: self of the innermost frame, total once per stack', () => {
    expect(lines(work)).toEqual({
      line: Int32Array.of(5, 6),
      self: Float64Array.of(14, 20),
      total: Float64Array.of(14, 20),
      withoutLine: 1,
    });
  });

  it("weights of a file's lines are those of all its functions", () => {
    expect(lines(-1)).toEqual({
      line: Int32Array.of(1, 5, 6),
      self: Float64Array.of(0, 14, 20),
      total: Float64Array.of(35, 14, 20),
      withoutLine: 0,
    });
  });
});
