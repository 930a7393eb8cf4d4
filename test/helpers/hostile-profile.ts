import { NONE } from '../../src/base/brand.ts';
import { ProfileBuilder } from '../../src/profile/profile-builder.ts';
import type { Profile } from '../../src/profile/types.ts';
import { HOSTILE_NAMES } from './hostile-names.ts';
import { EMPTY_META } from './profile-from-text.ts';

/** Each hostile name as comm, symbol, DSO and event, on a stack with all the others. */
export function hostileProfile(): Profile {
  const builder = new ProfileBuilder();
  const dsos = HOSTILE_NAMES.map((name) => ({
    kind: 'user' as const,
    name,
    path: name,
    buildId: null,
  }));
  for (const [index, name] of HOSTILE_NAMES.entries()) {
    let stack: number = NONE;
    for (const [depth, symbol] of [name, ...HOSTILE_NAMES].entries()) {
      const dso = (index + depth) % dsos.length;
      const frame = builder.frames.intern(dso, HOSTILE_NAMES.indexOf(symbol as never));
      builder.frames.setFunc(frame, builder.funcs.intern(builder.strings.intern(symbol), dso));
      stack = builder.stacks.intern(stack, frame);
    }
    builder.samples.add(
      stack,
      index,
      builder.strings.intern(name),
      0,
      NONE,
      0,
      index,
      1,
      Number.NaN,
    );
  }
  return builder.finish({
    meta: EMPTY_META,
    events: [
      {
        name: HOSTILE_NAMES[0],
        type: 1,
        mode: 'period',
        frequencyHz: null,
        fixedPeriod: 1,
        unit: 'events',
      },
    ],
    dsos,
    threads: HOSTILE_NAMES.map((comm, index) => ({ pid: index, tid: index, generation: 0, comm })),
    streams: [],
    losses: [],
  });
}
