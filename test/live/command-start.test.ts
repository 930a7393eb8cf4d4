// What the command finds when it starts is what perf-ts was started with, although Node changes much
// of it before the first line of JavaScript runs.

import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { CLI, cleanEnvironment, perfTs, scratchDirectory, startPerfTs } from '../helpers/cli.ts';
import { describeLiveAsUser } from '../helpers/live.ts';
import { isAlive, until } from '../helpers/tasks.ts';

const scratch = scratchDirectory();
const file = join(scratch, 'start.data');

/** The ways that run a command, up to its words; `$PT` in a shell's script. */
const SUBCOMMANDS = {
  record: ['record', '-q', '-e', 'cpu-clock', '-o', file, '--'],
  stat: ['stat', '-e', 'page-faults', '-o', join(scratch, 'stat.txt'), '--'],
  top: ['top', '-q', '--batch', '-d', '3600', '-e', 'cpu-clock', '--'],
};

/** Runs a script of bash in which `pt` is perf-ts, up to the command's words. */
function shell(subcommand: readonly string[], script: string, env: NodeJS.ProcessEnv = {}) {
  const quoted = [process.execPath, CLI, ...subcommand].map((word) => `'${word}'`).join(' ');
  const { status, stdout, stderr } = spawnSync(
    'bash',
    ['-c', `pt() { ${quoted} "$@"; }\n${script}\n:`],
    { encoding: 'latin1', cwd: scratch, env: { ...cleanEnvironment(), ...env } },
  );
  expect(status, stderr).toBe(0);
  return stdout;
}

describeLiveAsUser('the start of the command', () => {
  for (const [name, subcommand] of Object.entries(SUBCOMMANDS)) {
    it(`${name}: inherited descriptors are open`, () => {
      writeFileSync(join(scratch, 'nine'), 'nine\n');
      const out = shell(
        subcommand,
        `pt cat <(echo substituted)
         pt sh -c 'read x <&9; echo $x; echo three >&3' 9<nine 3>three
         cat three`,
      );
      expect(out).toMatch(/^substituted\n/);
      expect(out).toContain('nine\n');
      expect(out).toMatch(/three\n$/);
    });

    it(`${name}: no descriptor of perf-ts itself is open`, () => {
      shell(subcommand, 'pt sh -c "ls -l /proc/self/fd > fds 2> /dev/null < /dev/null"');
      const links = readFileSync(join(scratch, 'fds'), 'utf8').match(/(?<= -> ).*/g);
      expect(links).toContain(join(scratch, 'fds'));
      expect(links?.filter((link) => /anon_inode|socket:|\.data$|\.node$/.test(link))).toEqual([]);
    });

    it(`${name}: the soft limit of open files is the shell’s`, () => {
      expect(shell(subcommand, 'ulimit -Sn 321; pt sh -c "ulimit -Sn"')).toMatch(/^321\n/);
    });

    it(`${name}: signals that the shell ignores are ignored`, () => {
      const print = 'pt grep SigIgn /proc/self/status';
      const ignored = (script: string): bigint =>
        BigInt(`0x${/SigIgn:\s*(\w+)/.exec(shell(subcommand, script))?.[1]}`);
      const bits = (...signals: number[]) =>
        signals.reduce((sum, signal) => sum | (1n << BigInt(signal - 1)), 0n);
      expect(ignored(`trap '' HUP INT QUIT; ${print}`) & bits(1, 2, 3)).toBe(bits(1, 2, 3));
      expect(ignored(`trap - HUP; ${print}`) & bits(1, 13)).toBe(0n);
    });

    it(`${name}: arguments and environment pass byte by byte`, () => {
      writeFileSync(Buffer.from(`${scratch}/caf\xe9.txt`, 'latin1'), 'found\n');
      const out = shell(
        subcommand,
        `pt cat $'caf\\xe9.txt'
         RAW=$'a\\xff\\xe9b' pt sh -c 'printf "%s\\n" "$RAW"'`,
      );
      expect(out).toContain('found\n');
      expect(out).toContain('a\xff\xe9b\n');
    });
  }

  it('record says that a soft limit of open files is not known, and how it is set', () => {
    const words = ['record', '-e', 'cpu-clock:u', '-o', file, '--', 'sh', '-c', 'ulimit -Sn'];
    const hard = Number(spawnSync('sh', ['-c', 'ulimit -Hn'], { encoding: 'utf8' }).stdout);
    const own = perfTs(words, { under: ['prlimit', `--nofile=321:${hard - 1}`] });
    expect(own.stdout).toBe(`${hard - 1}\n`);
    expect(own.stderr).toContain(
      `perf-ts: the soft limit of open files is not known here, and the command gets the hard one, ${hard - 1}; ` +
        `to set it: -- sh -c 'ulimit -Sn 1024; exec "$@"' sh COMMAND\n`,
    );
    const same = perfTs(words, { under: ['prlimit', `--nofile=321:${hard}`] });
    expect(same.stderr).not.toContain('soft limit');
  });

  it('a program whose path is not UTF-8 is found and run', () => {
    const folder = mkdtempSync(join(scratch, 'bytes-'));
    const program = Buffer.concat([Buffer.from(`${folder}/prog`), Buffer.from([0xe9])]);
    writeFileSync(program, '#!/bin/sh\necho ran\n');
    chmodSync(program, 0o755);
    const script = `pt '${folder}'/$'prog\\xe9'; PATH='${folder}':$PATH pt $'prog\\xe9'`;
    expect(shell(SUBCOMMANDS.record, script)).toBe('ran\nran\n');
  });

  it('a program with a foreign loader is reported as such', () => {
    const [program, loader] = [join(scratch, 'program'), join(scratch, 'loader')];
    const bytes = readFileSync('/bin/true');
    const at = bytes.indexOf(
      /\/lib[\w./-]*\/ld-[\w.-]+\0/.exec(bytes.toString('latin1'))?.[0] ?? '?',
    );
    // As long as the one before, or shorter.
    bytes.write('./loader\0', at, 'latin1');
    writeFileSync(program, bytes, { mode: 0o755 });
    // The kernel reads a whole ELF header before it looks at what is in it.
    writeFileSync(loader, Buffer.alloc(4096), { mode: 0o755 });
    const run = perfTs([...SUBCOMMANDS.record, './program'], { cwd: scratch });
    expect(run.stderr).toContain(
      'cannot execute ./program: its program loader is not one of this machine',
    );
    expect(run.status).toBe(126);
  });

  it('a file name that is not UTF-8 is refused, and nothing of another name is made', () => {
    const quoted = `'${process.execPath}' '${CLI}'`;
    const { stdout } = spawnSync(
      'bash',
      ['-c', `${quoted} record -e cpu-clock -o $'x\\xe9.data' -- true 2>&1; echo $?; ls`],
      { encoding: 'utf8', cwd: mkdtempSync(join(scratch, 'refused-')), env: cleanEnvironment() },
    );
    expect(stdout).toContain('perf-ts: x\\xe9.data: this name is not UTF-8');
    expect(stdout).toMatch(/\n2\n$/);
  });

  it('nohup keeps the recorder and the command alive when the terminal is gone', async () => {
    const pidFile = join(scratch, 'nohup.pid');
    const command = `echo $$ > '${pidFile}.new'; mv '${pidFile}.new' '${pidFile}'; exec sleep 1000`;
    const out = shell(
      [],
      `nohup '${process.execPath}' '${CLI}' ${SUBCOMMANDS.record.join(' ')} sh -c "${command.replaceAll('$', '\\$')}" >/dev/null 2>&1 &
       recorder=$!
       while [ ! -e '${pidFile}' ]; do sleep 0.02; done
       kill -HUP $recorder; kill -HUP "$(cat '${pidFile}')"
       kill -USR1 $recorder
       echo $recorder $(cat '${pidFile}')`,
    );
    const [recorder, sleeper] = out.trim().split(' ').map(Number) as [number, number];
    expect(isAlive(sleeper)).toBe(true);
    expect(isAlive(recorder)).toBe(true);
    process.kill(recorder, 'SIGTERM');
    await until(() => !isAlive(recorder) && !isAlive(sleeper));
  });

  it.each(Object.entries(SUBCOMMANDS))('%s: SIGUSR1 opens no inspector', (_name, subcommand) => {
    const sockets = join(scratch, 'sockets');
    const listening = `ls -l /proc/$PPID/fd | grep -c "socket:" > ${sockets}; true`;
    const script = `kill -USR1 $PPID; kill -USR1 $PPID; seq 1 300000 > /dev/null; ${listening}`;
    const socketsWhile = (words: string): string => {
      const { status, stderr } = perfTs([...subcommand, 'sh', '-c', words]);
      expect({ status, debugger: stderr.includes('Debugger') }).toEqual({
        status: 0,
        debugger: false,
      });
      return readFileSync(sockets, 'utf8');
    };
    const before = socketsWhile(listening);
    expect(socketsWhile(script)).toBe(before);
  });

  it('view: SIGUSR1 opens no inspector', async () => {
    const folded = join(scratch, 'few.folded');
    writeFileSync(folded, 'main;work 3\n');
    const { child, pid, ended, stdout } = startPerfTs(['view', '--no-open', folded]);
    onTestFinished(() => void child.kill('SIGKILL'));
    const listening = (): string[] => listeningSockets(pid);
    await until(() => stdout().includes('http') || child.exitCode !== null);
    const before = listening();
    expect(before).toHaveLength(1);
    for (let n = 0; n < 2; n++) child.kill('SIGUSR1');
    // Node's own handler has a thread that does nothing else, so a later answer is no proof by itself.
    const url = /http:\S+/.exec(stdout())?.[0] as string;
    for (let n = 0; n < 20; n++) await (await fetch(url)).arrayBuffer();
    expect(listening()).toEqual(before);
    child.kill('SIGTERM');
    expect((await ended).stderr).not.toContain('Debugger');
  });
});

/** Inodes of the TCP sockets that a process listens on. */
function listeningSockets(pid: number): string[] {
  const links = readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${fd}`)];
    } catch {
      return [];
    }
  });
  const LISTEN = '0A';
  const tables = ['tcp', 'tcp6'].map((name) => readFileSync(`/proc/${pid}/net/${name}`, 'latin1'));
  const inodes = tables.flatMap((table) =>
    table
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter((fields) => fields[3] === LISTEN)
      .map((fields) => fields[9]),
  );
  return inodes.filter((inode) => links.includes(`socket:[${inode}]`)).sort();
}
