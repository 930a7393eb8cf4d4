import { describe, expect, it } from 'vitest';
import { formatFieldHeader, formatFields } from '../../../src/cli/render/stat-fields.ts';
import { statDocument } from '../../../src/cli/render/stat-json.ts';
import { formatStat, formatStatInterval } from '../../../src/cli/render/stat-text.ts';
import type { StatResult } from '../../../src/counting/stat/stat.ts';
import type { StatRow } from '../../../src/counting/stat/tally.ts';

function row(fields: Partial<StatRow>): StatRow {
  return {
    unit: { label: '', places: 1 },
    index: 0,
    event: 'page-faults',
    group: 0,
    value: 0,
    countUnit: '',
    enabledNs: 1e9,
    runningNs: 1e9,
    runningShare: 1,
    spread: null,
    metrics: [],
    reason: null,
    ...fields,
  };
}

const metric = (name: 'ipc' | 'per-second' | 'ghz', value: number, hint: string | null = null) => ({
  name,
  value,
  hint,
  reason: null,
});

const ROWS: readonly StatRow[] = [
  row({ event: 'task-clock', countUnit: 'msec', value: 1234.5 }),
  row({ event: 'cycles', value: 4_000_000, runningShare: 0.375, metrics: [metric('ghz', 3.2)] }),
  row({
    event: 'instructions',
    value: 14_000_000,
    runningShare: 0.375,
    metrics: [metric('ipc', 3.5, 'compute-bound')],
  }),
  row({
    event: 'LLC-loads',
    value: null,
    runningShare: null,
    runningNs: 0,
    group: -1,
    reason: 'this CPU does not have it (ENOENT)',
  }),
];

function result(rows: readonly StatRow[]): StatResult {
  return {
    rows,
    elapsedNs: 2e9,
    timeNs: 2e9,
    target: { kind: 'command', command: { path: '/bin/app', argv: ['app', '-x'], env: [] } },
    runs: 1,
    elapsed: { mean: 2e9, error: 0, stddev: 0, min: 2e9, max: 2e9, runs: 1 },
    elapsedOfRunsNs: [2e9],
    userNs: 1.5e9,
    systemNs: 0,
    notices: [],
    exit: { status: 0, signal: 0 },
  };
}

describe('stat', () => {
  it('the stat table has what was counted, marks estimates, and explains both below it', () => {
    expect(formatStat(result(ROWS))).toEqual([
      '',
      '# app -x: 2.000000 s · CPU time: 1.500000 s user, 0.000000 s system',
      '          count  unit  event',
      '       1 234.50  ms    task-clock',
      '     ~4 000 000        cycles                    # 3.200 GHz; counted 37.5% of the time',
      '    ~14 000 000        instructions              # 3.50 insn per cycle (compute-bound); counted 37.5% of the time',
      '# not counted: LLC-loads: this CPU does not have it (ENOENT)',
      '# ~ 2 counts are estimated: more events were asked for than the CPU has counters, so these were counted 37.5% of the time and scaled up. Fewer events at once are exact.',
      '',
    ]);
  });

  it('events without a counter stand in one line for each reason, in the first interval alone', () => {
    const none = { value: null, runningShare: null, runningNs: 0, group: -1 };
    const rows = [
      row({ value: 7 }),
      row({ ...none, event: 'cycles', reason: 'no hardware counters (ENOENT)' }),
      row({ ...none, event: 'instructions', reason: 'no hardware counters (ENOENT)' }),
      row({ ...none, event: 'sched:a', reason: 'no permission (EACCES)' }),
      // Waited for a counter in this interval, and may have one in the next.
      row({ ...none, event: 'faults', group: 0, reason: 'never on a counter' }),
    ];
    const report = { rows, elapsedNs: 1e9, timeNs: 1e9 };
    const first = formatStatInterval(report, true);
    expect(first.slice(-2)).toEqual([
      '# not counted: cycles, instructions: no hardware counters (ENOENT)',
      '# not counted: sched:a: no permission (EACCES); help: perf-ts doctor',
    ]);
    const later = formatStatInterval(report, false);
    expect(later).toHaveLength(2);
    expect(later[1]).toContain('not counted');
    expect(later[1]).toContain('# never on a counter');
  });

  it('stat intervals have one header and fixed columns', () => {
    const report = { rows: [row({ value: 7 })], elapsedNs: 1e9, timeNs: 3e9 };
    const [header = '', first = ''] = formatStatInterval(report, true);
    const later = formatStatInterval({ ...report, rows: [row({ value: 7_000_000 })] }, false);
    expect(header).toBe('    time s            count  unit  event');
    expect(first.indexOf('page-faults')).toBe(header.indexOf('event'));
    expect(later).toHaveLength(1);
    expect(later[0]?.indexOf('page-faults')).toBe(header.indexOf('event'));
  });

  it('stat -x prints a header, empty fields for unknown values, and quotes', () => {
    const columns = { separator: ',', hasTime: false, hasUnits: true, hasSpread: false };
    const hostile = row({ event: 'a,"b"\u001b[31m', value: 5, unit: { label: 'S0', places: 2 } });
    const report = { rows: [...ROWS, hostile], elapsedNs: 0, timeNs: 0 };
    expect([formatFieldHeader(columns), ...formatFields(report, columns)]).toEqual([
      'part,places,count,unit,event,running_ns,running_percent,metric,metric_unit,reason',
      ',1,1234.500000,msec,task-clock,1000000000,100.00,,,',
      ',1,4000000,,cycles,1000000000,37.50,3.200,GHz,',
      ',1,14000000,,instructions,1000000000,37.50,3.50,insn per cycle,',
      ',1,,,LLC-loads,0,,,,this CPU does not have it (ENOENT)',
      'S0,2,5,,"a,""b"" [31m",1000000000,100.00,,,',
    ]);
  });

  it('stat --json has null for unknown values and shares from 0 to 1', () => {
    const { events, target } = statDocument(result(ROWS)) as {
      events: readonly object[];
      target: object;
    };
    expect(target).toEqual({ kind: 'command', command: ['app', '-x'] });
    expect(events[2]).toMatchObject({
      event: 'instructions',
      count: 14_000_000,
      scaled: true,
      runningShare: 0.375,
      metrics: { ipc: { value: 3.5, hint: 'compute-bound' } },
    });
    expect(events[3]).toMatchObject({ count: null, scaled: null, reason: expect.any(String) });
  });
});
