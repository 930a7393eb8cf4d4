import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readStat } from '../../../src/system/processes/thread-stat.ts';
import { scratchDirectory, startPerfTs } from '../../helpers/cli.ts';
import { until } from '../../helpers/tasks.ts';

/** Two thousand rows with each other, four times over: no machine gets to its end. */
const ENDLESS = `select sum(a.weight * b.weight * c.weight * d.weight) as x
  from samples a, samples b, samples c, samples d`;

/** Hundredths of a second; what comes before the question takes some forty. */
const ANSWERING_TICKS = 200;

const hasEngine = (pid: number) => /duckdb/.test(readFileSync(`/proc/${pid}/maps`, 'utf8'));
const cpuTicks = (pid: number) => Number(readStat(pid)?.[11] ?? 0);

test('Ctrl-C ends a question that has no end, with its status and in one line', async () => {
  const file = join(scratchDirectory(), 'app.folded');
  writeFileSync(file, 'main;work;leaf 2000\n');
  const running = startPerfTs(['query', ENDLESS, file, '--timeout', '600']);
  await until(() => hasEngine(running.pid));
  const loaded = cpuTicks(running.pid);
  await until(() => cpuTicks(running.pid) > loaded + ANSWERING_TICKS);
  running.child.kill('SIGINT');
  expect(await running.ended).toMatchObject({
    status: 130,
    stdout: '',
    stderr: 'perf-ts: the query was interrupted\n',
  });
});
