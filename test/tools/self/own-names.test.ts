import { expect, test } from 'vitest';
import { prepareOwnNames } from '../../../src/tools/self/own-names.ts';
import { profileSelf, startSelfProfile } from '../../../src/tools/self/profile-self.ts';

test.each([
  [['--perf-basic-prof'], ''],
  [['--perf_basic_prof'], ''],
  [[], '--max-old-space-size=512  --perf-prof'],
])('a process started with %s and NODE_OPTIONS %j has names', (execArgv, nodeOptions) => {
  expect(prepareOwnNames(execArgv, nodeOptions)).toBeNull();
});

test('a process that was started without flags has none, which is reported', () => {
  expect(prepareOwnNames(['--enable-source-maps'], '')).toContain('have no names');
});

test('a profile of the own process needs an end and numbers above 0', async () => {
  await expect(profileSelf({ format: 'pprof' })).rejects.toThrow('nothing ends it');
  await expect(profileSelf({ format: 'pprof', seconds: 0 })).rejects.toThrow('seconds is 0');
  await expect(startSelfProfile({ format: 'pprof', freq: Number.NaN })).rejects.toThrow('freq');
});

test('an aborted signal begins nothing', async () => {
  const signal = AbortSignal.abort(new Error('too late'));
  await expect(startSelfProfile({ format: 'pprof', signal })).rejects.toThrow('too late');
});
