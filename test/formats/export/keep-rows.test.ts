import { expect, it } from 'vitest';
import { keepRows } from '../../../src/formats/export/keep-rows.ts';
import type { Profile } from '../../../src/profile/types.ts';
import { checkProfile } from '../../helpers/check-profile.ts';
import { profileFromText } from '../../helpers/profile-from-text.ts';

/** The stacks of the samples as names, outermost first. */
function stacksOf({ samples, stacks, frames, funcs, strings }: Profile): string[] {
  return Array.from(samples.stack, (leaf, sample) => {
    const names: string[] = [];
    for (let row = leaf; row >= 0; row = stacks.prefix[row]) {
      names.unshift(strings[funcs.name[frames.func[stacks.frame[row]]]]);
    }
    return `${strings[samples.comm[sample]]}: ${names.join(' ')}`;
  });
}

const rowsByName = ({ funcs, strings }: Profile) =>
  Object.fromEntries(Array.from(funcs.name, (name, row) => [strings[name], row]));

const SHORT = profileFromText(`
  comm    app   app
          main  main
          work  idle
`);
const LONGER = profileFromText(`
  comm    sh    app   app   app
          exec  main  main  main
          load  work  idle  work
                            leaf
`);

it('functions keep their rows as the recording grows, and samples their stacks', () => {
  const kept = keepRows(LONGER, SHORT);
  checkProfile(kept);
  expect(stacksOf(kept)).toStrictEqual(stacksOf(LONGER));
  expect(rowsByName(kept)).toMatchObject(rowsByName(SHORT));
  expect(rowsByName(LONGER)).not.toMatchObject(rowsByName(SHORT));
  expect(kept.strings.slice(0, SHORT.strings.length)).toStrictEqual(SHORT.strings);
});

it('functions that are gone keep a row that nothing refers to', () => {
  const kept = keepRows(SHORT, LONGER);
  checkProfile(kept);
  expect(stacksOf(kept)).toStrictEqual(stacksOf(SHORT));
  expect(kept.funcs.length).toBe(LONGER.funcs.length);
});

it('threads and DSOs keep their rows, and learn what is known late', () => {
  const dso = (path: string, buildId: string | null = null) =>
    ({ kind: 'user', name: path, path, buildId }) as const;
  const thread = (tid: number, comm: string) => ({ pid: 7, tid, generation: 0, comm });
  const short: Profile = {
    ...SHORT,
    dsos: [dso('app'), dso('libc')],
    threads: [thread(7, ':7'), thread(8, 'helper')],
  };
  const longer: Profile = {
    ...LONGER,
    // The longer recording lists first the DSO and the thread that the shorter one lacks.
    dsos: [dso('libm'), dso('app', 'c0ffee')],
    threads: [thread(9, 'late'), thread(7, 'app')],
    funcs: { ...LONGER.funcs, dso: LONGER.funcs.dso.slice().fill(1) },
    samples: { ...LONGER.samples, thread: Int32Array.of(0, 1, 1, 0) },
  };
  const kept = keepRows(longer, short);
  expect(kept.dsos).toStrictEqual([dso('app', 'c0ffee'), dso('libc'), dso('libm')]);
  expect(new Set(kept.funcs.dso)).toStrictEqual(new Set([0]));
  expect(kept.threads.map(({ comm }) => comm)).toStrictEqual(['app', 'helper', 'late']);
  expect(kept.samples.thread).toStrictEqual(Int32Array.of(2, 0, 0, 2));
});
