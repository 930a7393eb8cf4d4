import { describe, expect, it } from 'vitest';
import { findCallerEnvironment } from '../../../src/system/accounts/caller-environment.ts';

/** What /proc says of these processes; the environment is what each was started with. */
function machine(processes: Record<number, { parent: number; environ: Record<string, string> }>) {
  return (path: string): string | null => {
    const [, , pid, file] = path.split('/') as [string, string, string, string];
    const found = processes[Number(pid)];
    if (found === undefined) return null;
    if (file === 'status') return `Name:\tsh\nPPid:\t${found.parent}\nUid:\t0\t0\t0\t0\n`;
    const entries = Object.entries(found.environ).map(([name, value]) => `${name}=${value}\0`);
    return entries.join('');
  };
}

const desktop = { DISPLAY: ':0', WAYLAND_DISPLAY: 'wayland-0', LESS: '-R=x' };
const sudone = { SUDO_UID: '1000', DISPLAY: ':0' };

describe('the environment in which sudo was called', () => {
  it('the environment is what sudo was started with', () => {
    // shell 10 -> sudo 11 -> sudo's monitor 12 -> us
    const read = machine({
      10: { parent: 1, environ: {} },
      11: { parent: 10, environ: desktop },
      12: { parent: 11, environ: desktop },
    });
    expect(findCallerEnvironment(sudone, 12, read)).toStrictEqual(desktop);
  });

  it('the environment is found above shells and scripts that sudo started', () => {
    const read = machine({
      11: { parent: 10, environ: desktop },
      12: { parent: 11, environ: sudone },
      13: { parent: 12, environ: { ...sudone, npm_command: 'exec' } },
    });
    expect(findCallerEnvironment(sudone, 13, read)).toStrictEqual(desktop);
  });

  it('the inner environment of two sudo callers is used', () => {
    // 500 -> sudo -u 1000 -> shell -> sudo
    const inner = { SUDO_UID: '500', DISPLAY: ':1' };
    const read = machine({
      11: { parent: 10, environ: desktop },
      12: { parent: 11, environ: inner },
      13: { parent: 12, environ: inner },
    });
    expect(findCallerEnvironment(sudone, 13, read)).toStrictEqual(inner);
  });

  it('the environment is not known where sudo has ended, or is too far above', () => {
    const orphan = machine({ 12: { parent: 1, environ: sudone }, 1: { parent: 0, environ: {} } });
    expect(findCallerEnvironment(sudone, 12, orphan)).toBe(null);
    expect(findCallerEnvironment(sudone, 99, orphan)).toBe(null);
    const circle = machine({ 12: { parent: 12, environ: sudone } });
    expect(findCallerEnvironment(sudone, 12, circle)).toBe(null);
  });
});
