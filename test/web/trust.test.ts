import { describe, expect, test } from 'vitest';
import { createFinding, type Finding } from '../../src/findings/finding.ts';
import type { LateReport } from '../../web/src/ask/late-report.ts';
import { assessTrust } from '../../web/src/ask/trust.ts';
import type { OpenResult } from '../../web/src/worker/messages/messages.ts';

const recording = { events: [{ samples: 1000 }, { samples: 5 }] } as unknown as OpenResult;

const NOT_YET: LateReport = { get: () => null, problem: () => null, onArrival: () => {} };
const reportOf = (...findings: readonly Finding[]): LateReport => ({
  ...NOT_YET,
  get: () => ({ findings }) as never,
});

const lost = (severity: Finding['severity']) =>
  createFinding('samples-lost', severity, '12% lost', 'some were lost', { event: 0 });
const cut = createFinding('recording-cut', 'wrong', 'recording cut short', 'it was cut off', {
  command: 'perf-ts info',
});

describe('the badge', () => {
  test('judges nothing before the list of findings is there', () => {
    expect(assessTrust(recording, NOT_YET, 0)).toEqual({
      level: 'checking',
      label: 'checking',
      reasons: [],
    });
  });

  test('vouches for nothing where the list can not be had', () => {
    const late = { ...NOT_YET, problem: () => 'the server is gone' };
    expect(assessTrust(recording, late, 0)).toEqual({
      level: 'poor',
      label: 'not checked',
      reasons: ['The server is gone.'],
    });
  });

  test('vouches for a recording without a finding', () => {
    expect(assessTrust(recording, reportOf(), 0)).toEqual({
      level: 'good',
      label: 'sampling sound',
      reasons: ['1 000 samples, none lost.'],
    });
  });

  test('vouches with notes, and does not deny a loss', () => {
    expect(assessTrust(recording, reportOf(lost('note')), 0)).toEqual({
      level: 'good',
      label: 'sampling sound',
      reasons: ['1 000 samples.', 'Some were lost.'],
    });
  });

  test('the badge has the label of the worst finding and all sentences', () => {
    expect(assessTrust(recording, reportOf(cut, lost('doubt')), 0)).toEqual({
      level: 'poor',
      label: 'recording cut short',
      reasons: ['It was cut off (perf-ts info).', 'Some were lost.'],
    });
  });

  test('judges an event by what is about it', () => {
    expect(assessTrust(recording, reportOf(lost('wrong')), 1).level).toBe('good');
    expect(assessTrust(recording, reportOf(cut), 1).level).toBe('poor');
  });

  test('the badge is not about what was recorded in place of another event', () => {
    const replaced = createFinding('event-replaced', 'note', 'other event', 'cpu-clock instead');
    expect(assessTrust(recording, reportOf(replaced), 0).reasons).toHaveLength(1);
  });
});
