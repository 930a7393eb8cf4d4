import { describe, expect, test } from 'vitest';
import type { KernelSettings } from '../../../src/system/kernel/kernel-settings.ts';
import { explainRefusal } from '../../../src/system/kernel/permission-help.ts';

const PARANOID_2 = { paranoidLevel: 2 } as KernelSettings;
const KERNEL_CODE = { kernel: true, systemWide: false, foreignProcess: false };

describe('help for a refused event', () => {
  test('EACCES names the paranoid level in force, the one needed and the command', () => {
    const [reason, remedy] = explainRefusal(PARANOID_2, { ...KERNEL_CODE, code: 'EACCES' });
    expect(reason).toBe(
      'kernel.perf_event_paranoid is 2; recording kernel code needs 1 or lower, or CAP_PERFMON',
    );
    expect(remedy).toBe('for now:      sudo sysctl kernel.perf_event_paranoid=1');
  });

  test('EPERM is a filter, whatever the paranoid level: no sysctl would help', () => {
    const lines = explainRefusal(PARANOID_2, { ...KERNEL_CODE, code: 'EPERM' });
    expect(lines[0]).toContain('a seccomp filter');
    expect(lines.join('\n')).not.toContain('sysctl');
  });

  test('a process of another user is mentioned first, no seccomp filter', () => {
    const wants = { kernel: false, systemWide: false, foreignProcess: true, code: 'EACCES' };
    const lines = explainRefusal(PARANOID_2, wants);
    expect(lines[0]).toBe("another user's process needs root or CAP_PERFMON (and CAP_SYS_PTRACE)");
    expect(lines.join('\n')).not.toContain('seccomp');
  });

  test('EPERM for a raw tracepoint is the paranoid level again', () => {
    const wants = { ...KERNEL_CODE, rawTracepoint: true, code: 'EPERM' };
    expect(explainRefusal(PARANOID_2, wants)[0]).toBe(
      'kernel.perf_event_paranoid is 2; recording a tracepoint needs -1 or lower, or CAP_PERFMON',
    );
  });
});
