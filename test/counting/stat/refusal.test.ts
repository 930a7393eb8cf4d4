import { describe, expect, it } from 'vitest';
import { refusalReason } from '../../../src/counting/stat/refusal.ts';
import { parseEvents } from '../../../src/kernel/events/parse-events.ts';
import { INTEL, NO_PMU } from '../../kernel/events/fake-machines.ts';

function reasonOf(text: string, code: string, kernel: string, sources = INTEL): string {
  const [spec] = parseEvents(text, sources);
  if (spec === undefined) throw new Error(`${text} names nothing`);
  return refusalReason(spec, code, sources, kernel);
}

describe('why an event is not counted', () => {
  it('the reason is an older kernel where a later one has the event', () => {
    expect(reasonOf('cgroup-switches', 'ENOENT', '5.10.0-32-cloud-amd64')).toBe(
      'it needs Linux 5.13, and this is 5.10.0-32-cloud-amd64 (ENOENT)',
    );
    expect(reasonOf('cgroup-switches', 'EACCES', '5.10.0-32-cloud-amd64')).toMatch(/not allow it/);
    expect(reasonOf('cgroup-switches', 'ENOENT', '6.1.0')).toMatch(/does not have it/);
  });

  it('the reason is the missing PMU on any kernel', () => {
    expect(reasonOf('cycles', 'ENOENT', '5.10.0', NO_PMU)).toBe(
      'this machine has no hardware counters (ENOENT)',
    );
  });
});
