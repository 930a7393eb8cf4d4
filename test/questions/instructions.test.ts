import { describe, expect, it } from 'vitest';
import { findInstructions } from '../../src/questions/instructions.ts';
import { profileFromText, simpleWeights } from '../helpers/profile-from-text.ts';

// `mix` is inlined into work at its instruction 5, `deep` into that. Offsets stand for instructions.
const drawn = profileFromText(`
  period  10      20      4       1       7       3
          main+1  main+1  main+1  main+1  main+1  work+6
          work+5  work+5  work+6  work+5  work+6  work+6
                  mix     mix     mix     work+6  other
                                  deep            mix
`);
const nameOf = (frame: number) => drawn.strings[drawn.funcs.name[drawn.frames.func[frame]]];
const names = Array.from({ length: drawn.frames.length }, (_, frame) => nameOf(frame));
const address = drawn.frames.address.slice();
const inlineDepth = drawn.frames.inlineDepth.slice();
const workAt5 = names.indexOf('work');
for (const [name, depth] of [
  ['mix', 1],
  ['deep', 2],
] as const) {
  address[names.indexOf(name)] = address[workAt5];
  inlineDepth[names.indexOf(name)] = depth;
}
const profile = { ...drawn, frames: { ...drawn.frames, address, inlineDepth } };
const SAMPLES = Int32Array.of(0, 1, 2, 3, 4, 5);

/** Lines `self inlined total samples` of `name`, by instruction, where anything was spent. */
function weigh(name: string, isThere: (offset: number) => boolean = () => true) {
  const func = profile.frames.func[names.indexOf(name)];
  const base = Math.floor(address[names.indexOf(name)] / 0x100) * 0x100;
  const frameToInstruction = Int32Array.from(address, (at, frame) => {
    const offset = at - base;
    return names[frame] === name && isThere(offset) ? offset : -1;
  });
  const weights = simpleWeights(profile, 'period');
  const frames = [...frameToInstruction.keys()];
  const { self, inlined, total, samples, selfElsewhere } = findInstructions(
    { profile, weights, rows: SAMPLES },
    func,
    { frames, instructions: frameToInstruction, count: 16 },
  );
  const drawnRows: string[] = [];
  for (let at = 0; at < 16; at++) {
    if (total[at] === 0) continue;
    drawnRows.push(`${at}: ${self[at]} ${inlined[at]} ${total[at]} ${samples[at]}`);
  }
  return { rows: drawnRows, selfElsewhere };
}

describe('weights of instructions', () => {
  it('weights are self where the function is innermost, and inlined where a call inlined there is', () => {
    // Sample 2 has mix below instruction 6, whose address it does not have: that is a call of it.
    expect(weigh('work')).toStrictEqual({
      rows: ['5: 10 21 31 3', '6: 7 0 14 1'],
      selfElsewhere: 0,
    });
  });

  it('weights are at the call in callers, once a sample', () => {
    expect(weigh('main').rows).toStrictEqual(['1: 0 0 42 0']);
  });

  it('weights of an inlined function are at the instruction of the one that it is in', () => {
    expect(weigh('mix').rows).toStrictEqual(['5: 27 1 28 4']);
  });

  it('weights of instructions report samples in code that is missing', () => {
    expect(weigh('work', (offset) => offset === 5)).toStrictEqual({
      rows: ['5: 10 21 31 3'],
      selfElsewhere: 7,
    });
  });
});
