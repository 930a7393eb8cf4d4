import { describe, expect, test } from 'vitest';
import type { KernelSettings } from '../../../src/system/kernel/kernel-settings.ts';
import {
  asRootLines,
  explainRefusal as explain,
  type RefusedWish,
  settingLine,
} from '../../../src/system/kernel/permission-help.ts';
import type { RunPlace } from '../../../src/system/run-place.ts';
import { drawnPlace } from '../../helpers/drawn-place.ts';

const PARANOID_2 = { paranoidLevel: 2 } as KernelSettings;
const KERNEL_CODE = { kernel: true, systemWide: false, foreignProcess: false };

const explainRefusal = (
  settings: KernelSettings,
  wish: RefusedWish,
  place: RunPlace = drawnPlace(),
) => explain(settings, wish, place);

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

describe('help for a refused event at a place', () => {
  const refused = { ...KERNEL_CODE, code: 'EACCES' };
  const help = (change: Parameters<typeof drawnPlace>[0], wish: RefusedWish = refused) =>
    explainRefusal(PARANOID_2, wish, drawnPlace(change)).slice(1);

  test('a user with sudo gets the setting and the line that runs this program as root', () => {
    expect(help({})).toEqual([
      'for now:      sudo sysctl kernel.perf_event_paranoid=1',
      "for good:     echo 'kernel.perf_event_paranoid=1' | sudo tee /etc/sysctl.d/99-perf.conf",
      'or run it as root: sudo env "PATH=$PATH" perf-ts record … (the command still runs as you)',
    ]);
  });

  test('a user without sudo gets su', () => {
    expect(help({ hasSudo: false })).toEqual([
      "for now:      su - -c 'sysctl kernel.perf_event_paranoid=1'",
      "for good:     as root: echo 'kernel.perf_event_paranoid=1' > /etc/sysctl.d/99-perf.conf",
      "or run it as root: su -c 'perf-ts record --user ann …'",
    ]);
  });

  test('root gets no sudo', () => {
    expect(help({ isRoot: true })).toEqual([
      'for now:      sysctl kernel.perf_event_paranoid=1',
      "for good:     echo 'kernel.perf_event_paranoid=1' > /etc/sysctl.d/99-perf.conf",
    ]);
  });

  test('a container has its setting outside, and how it is started', () => {
    const container = { kind: 'Docker', name: 'Docker', isRootless: false } as const;
    const confining = { container: { ...container, isPrivileged: false } };
    const [setting, grant] = help(confining);
    expect(setting).toBe('on the host:  sudo sysctl kernel.perf_event_paranoid=1');
    expect(grant).toContain('docker run --cap-add PERFMON');
    expect(help(confining).join('\n')).not.toContain('as root: sudo');
    expect(help({ container: { ...container, isPrivileged: true } })).toEqual(help({}));
    expect(asRootLines(drawnPlace(confining))[0]).toContain('docker run');
    expect(settingLine(drawnPlace(confining), 'kernel.x=1')).toBe(
      'on the host: sudo sysctl kernel.x=1',
    );
  });

  test('counting is called so, and a filter on a machine is systemd’s', () => {
    const [reason] = explainRefusal(PARANOID_2, { ...refused, counting: true });
    expect(reason).toContain('counting kernel code needs 1');
    expect(help({}, { ...KERNEL_CODE, code: 'EPERM' })[0]).toContain('SystemCallFilter=');
  });
});
