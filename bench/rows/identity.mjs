// With -c 1, samples + losses are the events made, whatever the ring.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { info, outDirectory, perfTs, workload } from '../measure.mjs';

const PAGES = [1, 2, 8, 32, 4096];

export async function rows() {
  const program = workload();
  const results = [];
  const kinds = [
    ['page-faults', 'pf', 1_000_000],
    ['raw_syscalls:sys_enter', 'sys', 500_000],
  ];
  for (const [event, mode, count] of kinds) {
    const differences = PAGES.map((pages) => {
      const accounted = (n) => record(event, pages, [program, mode, String(n)]);
      return accounted(count) - accounted(1) - (count - 1);
    });
    results.push({
      what: `${event} -c 1: samples + lost − ${count} made, rings of ${PAGES.join('/')} pages`,
      ours: differences.join(' / '),
      reach: 'a small constant',
      met: differences.every((difference) => Math.abs(difference) <= 5),
    });
  }
  return results;
}

function record(event, pages, target) {
  const file = join(outDirectory, 'identity.data');
  const [command, ...args] = perfTs;
  const flags = ['record', '-q', '-e', event, '-c', '1', '-m', String(pages), '-o', file, '--'];
  execFileSync(command, [...args, ...flags, ...target], { stdio: 'ignore' });
  const { records, loss } = info(file);
  return records.SAMPLE + loss.best;
}
