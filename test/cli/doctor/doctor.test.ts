import { describe, expect, it } from 'vitest';
import { formatDoctor } from '../../../src/cli/doctor/doctor.ts';
import { formatSelftest } from '../../../src/cli/doctor/selftest.ts';
import type { DoctorReport } from '../../../src/tools/doctor/check.ts';
import type { CaseReport, SelftestReport } from '../../../src/tools/selftest/types.ts';
import { outdent } from '../../helpers/format-tree.ts';

const PLAIN = { colour: false };

describe('what doctor prints', () => {
  const report: DoctorReport = {
    schema: 'perf-ts/doctor@1',
    ready: true,
    checks: [
      { name: 'addon', state: 'ok', found: 'it loads', matters: 'all', fix: [] },
      {
        name: 'nmi-watchdog',
        state: 'warn',
        found: 'kernel.nmi_watchdog is 1',
        matters: 'it holds a counter',
        fix: ['sudo sysctl kernel.nmi_watchdog=0'],
      },
    ],
  };

  it('doctor prints a table, then the fixes of the checks that failed', () => {
    expect(formatDoctor(report, PLAIN).join('\n')).toBe(
      outdent(`
              check         found
        ok    addon         it loads
        warn  nmi-watchdog  kernel.nmi_watchdog is 1

        nmi-watchdog: it holds a counter
          sudo sysctl kernel.nmi_watchdog=0

        ready, with the limits above
      `),
    );
  });

  it('doctor ends with the result in one line', () => {
    const last = (change: Partial<DoctorReport>) =>
      formatDoctor({ ...report, ...change }, PLAIN).at(-1);
    expect(last({ ready: false })).toBe('not ready: what failed above has to be mended first');
    expect(last({ checks: report.checks.slice(0, 1) })).toBe('ready');
  });
});

describe('what the selftest prints', () => {
  const missing: CaseReport = {
    event: 'cycles',
    rate: { freq: 10_000 },
    counts: true,
    oneThread: false,
    opened: null,
    notices: [],
    findings: [{ name: 'samples', state: 'not-available', sentence: 'no counters (ENOENT)' }],
    numbers: null,
  };
  const measured: CaseReport = {
    event: 'page-faults',
    rate: { count: 11 },
    counts: false,
    oneThread: false,
    opened: 'page-faults',
    notices: [],
    findings: [
      { name: 'samples', state: 'ok', sentence: '12 arrived, 0 lost' },
      { name: 'period-mode', state: 'differs', sentence: '12 taken of floor(110 / 11) = 10' },
    ],
    numbers: null,
  };
  const report: SelftestReport = {
    schema: 'perf-ts/selftest@1',
    recorder: '0.1.0',
    machine: {
      kernel: '6.18.1',
      arch: 'x64',
      cpu: 'Some\u001b[2JCPU',
      onlineCpus: 2,
      isVirtual: true,
      libc: 'glibc 2.36',
      node: 'v20.20.0',
      pmus: ['software'],
      pmuCaps: {},
      settings: {},
      features: {},
    },
    cases: [missing, measured],
    rules: {},
    ok: 1,
    differs: 1,
    notAvailable: 1,
  };

  it('the self-test prints a row per recording, then differences, then what is not available and why', () => {
    expect(formatSelftest(report, { ...PLAIN, all: false }).join('\n')).toBe(
      outdent(String.raw`
        Linux 6.18.1, x64, Some\x1b[2JCPU, virtual

        event        rate      counts  samples  order  rule  ledger  period-mode  model  phases  intervals
        cycles       -F 10000  yes     -
        page-faults  -c 11             ok                            DIFFERS

        page-faults -c 11
          DIFFERS  period-mode: 12 taken of floor(110 / 11) = 10

        not available:
          cycles: no counters (ENOENT)

        1 ok, 1 differ, 1 not available
      `),
    );
  });

  it('the self-test prints every number with -v', () => {
    const text = formatSelftest(report, { ...PLAIN, all: true }).join('\n');
    expect(text).toContain('  ok  samples: 12 arrived, 0 lost');
    expect(text).toContain('  -  samples: no counters (ENOENT)');
  });
});
