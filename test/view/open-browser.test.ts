import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { CLI, cleanEnvironment, scratchDirectory } from '../helpers/cli.ts';

const canPretendSudo = process.geteuid?.() === 0 && existsSync('/usr/bin/script');
if (!canPretendSudo) console.warn('skipped: opening the browser: needs root and script(1)');

/** Ids of Debian's nobody and of its group nogroup. */
const NOBODY = { SUDO_UID: '65534', SUDO_GID: '65534', SUDO_USER: 'nobody' };

/**
 * A terminal in which `command` runs, below a shell with `outer` in its environment, until it has
 * printed what `until` matches; then Ctrl-C. Resolves to all that the terminal showed.
 */
async function inTerminal(
  command: string,
  outer: Record<string, string>,
  until: RegExp,
): Promise<string> {
  // `script` makes the terminal; the shell around it stays, as sudo would.
  const child = spawn('/bin/sh', ['-c', `${command}; exit $?`], {
    env: { ...cleanEnvironment(), ...outer },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let shown = '';
  child.stdout.on('data', (data: Buffer) => {
    if (until.test(shown)) return;
    shown += data;
    if (until.test(shown)) child.stdin.write('\x03');
  });
  return text(child.stdout);
}

describe.skipIf(!canPretendSudo)('the browser', () => {
  const directory = scratchDirectory();
  chmodSync(directory, 0o755);
  const folded = join(directory, 'a.folded');
  writeFileSync(folded, 'main;work 3\n');
  const drop = join(directory, 'drop');
  mkdirSync(drop);
  chmodSync(drop, 0o777);
  const programs = join(directory, 'bin');
  mkdirSync(programs);
  const log = join(drop, 'log');
  // Notes how it was started, and fails as xdg-open does without a browser.
  writeFileSync(
    join(programs, 'xdg-open'),
    `#!/bin/sh\n{ id -u; echo "$@"; env; } > '${log}.part'; mv '${log}.part' '${log}'\nexit 3\n`,
    { mode: 0o755 },
  );

  const view = `"${process.execPath}" "${CLI}" view "${folded}"`;
  const desktop = {
    DISPLAY: ':7',
    WAYLAND_DISPLAY: 'wayland-7',
    DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere',
    PATH: `${programs}:${process.env.PATH}`,
  };

  it('the browser starts as the user who called sudo, with that desktop; failure is reported', async () => {
    const sudo = Object.entries(NOBODY).map(([name, value]) => `${name}=${value}`);
    // As sudo does it: little of the environment is left.
    const clean = `env -i ${sudo.join(' ')} PATH=/usr/bin:/bin`;
    const shown = await inTerminal(`${clean} script -qec '${view}' /dev/null`, desktop, /status 3/);
    const url = /http:\S+\//.exec(shown)?.[0] as string;
    expect(shown).toContain('xdg-open ended with status 3: open the address above yourself');
    const [uid, args, ...env] = readFileSync(log, 'utf8').split('\n');
    expect(uid).toBe('65534');
    expect(args).toBe(url);
    expect(env).toEqual(
      expect.arrayContaining([
        'DISPLAY=:7',
        'WAYLAND_DISPLAY=wayland-7',
        'DBUS_SESSION_BUS_ADDRESS=unix:path=/nowhere',
        'USER=nobody',
      ]),
    );
    expect(env.filter((line) => line.startsWith('SUDO_'))).toStrictEqual([]);
  });

  it('the browser is not started as root', async () => {
    const shown = await inTerminal(`script -qec '${view}' /dev/null`, desktop, /yourself/);
    expect(shown).toContain('a browser is not started as root: open the address above yourself');
  });
});
