// FORK records lost while one-page rings drown in samples.

import { join } from 'node:path';
import { hasPerf, outDirectory, recordBoth, workload } from '../measure.mjs';

const FORKS = 1000;

export async function rows() {
  const flags = ['-q', '-m', '1', '-e', 'cpu-clock', '-F', '99999', '-g'];
  const target = [workload(), 'forks', String(FORKS)];
  const { ours, peer } = recordBoth(join(outDirectory, 'sideband'), flags, target);
  const figure = ({ forks }) => `${(Math.max(0, 1 - forks / FORKS) * 100).toFixed(1)} %`;
  return [
    {
      what: `FORK records lost of ${FORKS}, one-page rings, -F 99999`,
      ours: figure(ours),
      peer: hasPerf() ? figure(peer) : '',
      reach: '0 %',
      met: ours.forks >= FORKS,
    },
  ];
}
