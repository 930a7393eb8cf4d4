import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { whyNodeTooOld } from '../../src/system/node-version.ts';
import { packageFile } from '../../src/system/version.ts';

const OLDEST = '20.19';

it.each(['20.19.0', '20.20.2', '21.0.0', '22.1.0', '26.0.0-nightly'])(
  'Node %s runs perf-ts',
  (version) => {
    expect(whyNodeTooOld(version)).toBeNull();
  },
);

it.each(['20.18.3', '18.20.8', '12.22.12', '0.10.48'])(
  'Node %s is refused in one line',
  (version) => {
    expect(whyNodeTooOld(version, '/usr/bin/node')).toBe(
      `perf-ts needs Node ${OLDEST} or later; this is ${version} (/usr/bin/node): npm install -D node@22 brings one for this folder`,
    );
  },
);

it('the oldest Node is that of package.json', () => {
  const { engines } = JSON.parse(readFileSync(packageFile('package.json'), 'utf8'));
  expect(engines.node).toBe(`>=${OLDEST}`);
  expect(whyNodeTooOld(`${OLDEST}.0`)).toBeNull();
});
