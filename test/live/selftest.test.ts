import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { homedir, hostname } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { DoctorReport } from '../../src/tools/doctor/check.ts';
import type { SelftestReport } from '../../src/tools/selftest/types.ts';
import { CLI, cleanEnvironment, perfTs, projectRoot, scratchDirectory } from '../helpers/cli.ts';
import { describeLive } from '../helpers/live.ts';

const scratch = scratchDirectory();

describeLive('perf-ts doctor', () => {
  it('doctor is ready where events open, with exit status 0', () => {
    const outcome = perfTs(['doctor', '--json']);
    const report = JSON.parse(outcome.stdout) as DoctorReport;
    expect([report.schema, report.ready, outcome.status]).toEqual(['perf-ts/doctor@1', true, 0]);
    const states = new Map(report.checks.map(({ name, state }) => [name, state]));
    expect([states.get('addon'), states.get('own-programs')]).toEqual(['ok', 'ok']);
  });

  it('doctor refuses options that belong to the selftest', () => {
    const outcome = perfTs(['doctor', '--quick']);
    expect(outcome.status).toBe(2);
    expect(outcome.stderr).toContain('--quick belongs to doctor --selftest');
  });
});

describeLive('perf-ts doctor --selftest', () => {
  it('the self-test confirms page faults, and its report has no names', () => {
    const file = join(scratch, 'report.json');
    const words = ['doctor', '--selftest', '--quick', '-e', 'page-faults', '-o', file];
    const outcome = perfTs(words);
    const text = readFileSync(file, 'utf8');
    const report = JSON.parse(text) as SelftestReport;
    const differing = report.cases.flatMap(({ findings }) =>
      findings.filter(({ state }) => state === 'differs'),
    );
    expect(differing).toEqual([]);
    expect(outcome.status).toBe(0);
    expect(report.rules).toEqual({ 'page-faults': 'next' });

    const states = (index: number) =>
      Object.fromEntries(report.cases[index].findings.map(({ name, state }) => [name, state]));
    expect(states(0)).toMatchObject({ samples: 'ok', order: 'ok', rule: 'ok', ledger: 'ok' });
    expect(states(1)).toMatchObject({ samples: 'ok', ledger: 'ok', 'period-mode': 'ok' });

    for (const name of [hostname(), homedir(), projectRoot]) expect(text).not.toContain(name);
  });

  it.skipIf(spawnSync('script', ['--version']).status !== 0)(
    'the self-test shows on a terminal what it measures',
    () => {
      const { CI: _ci, ...env } = cleanEnvironment();
      const line = `"${process.execPath}" "${CLI}" doctor --selftest --quick -e page-faults`;
      const { stdout } = spawnSync('script', ['-qec', line, '/dev/null'], {
        encoding: 'utf8',
        env: { ...env, TERM: 'xterm', PERF_TS_PROGRESS_MS: '0' },
      });
      for (const rate of ['-F 10000', '-c \\d+'])
        expect(stdout).toMatch(new RegExp(`\\rperf-ts: measuring page-faults ${rate} --counts`));
      // A line that is drawn over is gone when the table is printed.
      const left = stdout.split('\n').map((drawn) => drawn.split('\u001b[K').at(-1));
      expect(left.join('\n')).not.toContain('measuring');
    },
  );

  it('the self-test reports an event that is not available, and why', () => {
    const outcome = perfTs(['doctor', '--selftest', '--quick', '-e', 'no-such-event', '--json']);
    const { cases } = JSON.parse(outcome.stdout) as SelftestReport;
    // Nothing was measured, so nothing is claimed.
    expect(outcome.status).toBe(1);
    expect(cases).toHaveLength(1);
    expect(cases[0].findings).toMatchObject([{ name: 'samples', state: 'not-available' }]);
    expect(cases[0].findings[0].sentence).toContain('no-such-event');
  });
});
