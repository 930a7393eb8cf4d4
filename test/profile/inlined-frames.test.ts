import { expect, test } from 'vitest';
import { ProfileBuilder } from '../../src/profile/profile-builder.ts';
import { checkProfile } from '../helpers/check-profile.ts';
import { EMPTY_META } from '../helpers/profile-from-text.ts';

test('inlined calls lie below the function that exists, in every stack that passes there', () => {
  const builder = new ProfileBuilder();
  const intern = (name: string) => builder.strings.intern(name);
  const comm = intern('app');
  const stackOf = (...addresses: number[]) =>
    addresses.reduce((prefix, address) => builder.extendStack(prefix, 0, address), -1);
  const stacks = [stackOf(0x10, 0x20), stackOf(0x10, 0x20, 0x30), stackOf(0x10), -1, stackOf(0x30)];
  for (const stack of stacks) builder.samples.add(stack, 0, comm, 0, -1, -1, 0, 1, Number.NaN);

  //  0x10 main    0x20 work, into which helper and inner were inlined    0x30 leaf
  const { frames, addresses } = builder.frames.addresses(0);
  for (const [i, name] of ['main', 'work', 'leaf'].entries()) {
    builder.frames.setFunc(frames[i], builder.funcs.intern(intern(name), 0));
  }
  const work = frames[1];
  for (const [i, name] of ['helper', 'inner'].entries()) {
    const func = builder.funcs.intern(intern(name), 0);
    const frame = builder.addInlined(work, 0, addresses[1], i + 1, func);
    builder.frames.setLocation(frame, intern('a.c'), 10 + i);
  }

  const profile = builder.finish({
    meta: EMPTY_META,
    events: [
      ...[{ name: 'e', type: 1, mode: 'clock', frequencyHz: null, fixedPeriod: 1 } as const].map(
        (event) => ({ ...event, unit: 'events' as const }),
      ),
    ],
    dsos: [{ kind: 'user', name: 'app', path: '/app', buildId: null }],
    threads: [{ pid: 1, tid: 1, generation: 0, comm: 'app' }],
    streams: [],
    losses: [],
  });
  checkProfile(profile);
  const texts = [...profile.samples.stack].map((row) => {
    const names: string[] = [];
    for (let at = row; at >= 0; at = profile.stacks.prefix[at]) {
      const frame = profile.stacks.frame[at];
      const name = profile.strings[profile.funcs.name[profile.frames.func[frame]]];
      const line = profile.frames.line[frame] > 0 ? `:${profile.frames.line[frame]}` : '';
      names.unshift(`${name}${line}`);
    }
    return names.join(' ');
  });
  expect(texts).toEqual([
    'main work helper:10 inner:11',
    'main work helper:10 inner:11 leaf',
    'main',
    '',
    'leaf',
  ]);
});
