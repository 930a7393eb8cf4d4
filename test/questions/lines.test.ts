import { describe, expect, it } from 'vitest';
import { finish } from '../../src/base/slices.ts';
import { findLines, type LinesOf, linesOfFile } from '../../src/questions/lines.ts';
import { profileFromText, simpleWeights } from '../helpers/profile-from-text.ts';

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

/** Lines `line self total` of the file, then the weight that has any of them on the stack. */
function lines(of: LinesOf, { frames } = profile) {
  const rows = Int32Array.of(0, 1, 2, 3);
  const weights = simpleWeights(profile, 'period');
  const asked = { profile: { ...profile, frames }, rows, weights, estimator: null };
  const found = finish(findLines(asked, of));
  const drawnRows = linesOfFile(found.rows, 0).map(
    ({ line: at, weight, total }) => `${at} ${weight} ${total}`,
  );
  return [...drawnRows, found.total];
}
const WORK = { isMeant: Uint8Array.from(profile.funcs.name, (_, func) => (func === work ? 1 : 0)) };

describe('weights per line', () => {
  it('weights per line take memory by the lines that frames are in, not by the last line', () => {
    const last = 2 ** 31 - 1;
    const frames = {
      ...profile.frames,
      line: profile.frames.line.map((at) => (at > 0 ? last : 0)),
    };
    expect(lines(WORK, { ...profile, frames })).toEqual([`${last} 34 34`, 35]);
  });

  it('weights per line: self of the innermost frame, total once per stack', () => {
    expect(lines(WORK)).toEqual(['5 14 14', '6 20 20', 35]);
  });

  it("weights of a file's lines are those of all its functions", () => {
    expect(lines({ file: 0 })).toEqual(['1 0 35', '5 14 14', '6 20 20', 35]);
  });
});
