import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, expect, it } from 'vitest';
import { loadBinding } from '../../src/native/binding.ts';
import type { NativeSampler } from '../../src/native/types.ts';
import { startTop } from '../../src/tools/top/top.ts';
import { CLI, cleanEnvironment, perfTs, scratchDirectory, startPerfTs } from '../helpers/cli.ts';
import { compileWorkload } from '../helpers/compile.ts';
import { describeLive } from '../helpers/live.ts';
import { until } from '../helpers/tasks.ts';

const scratch = scratchDirectory();
const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

type Row = {
  readonly dso: string;
  readonly symbol: string;
  readonly selfShare: number;
  readonly totalShare: number;
  readonly selfLow: number;
  readonly selfHigh: number;
  readonly samples: number;
};
type Line = {
  readonly schema: string;
  readonly elapsed: number;
  readonly isLast: boolean;
  readonly samples: number;
  readonly ownCpu: number;
  readonly events: readonly {
    readonly event: string;
    readonly samples: number;
    readonly ownShare: number;
    readonly rows: readonly Row[];
  }[];
};

/** perf-ts itself in a table: among the rows, and the share that is left out of them. */
type Own = { readonly isShown: boolean; readonly share: number };

function linesOf(stdout: string): Line[] {
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

describeLive('top', () => {
  it('top has the busy function of a command first, and ends with it', () => {
    const workload = compileWorkload();
    const { stdout, status, stderr } = perfTs([
      ...['top', '--json', '-g', '-e', 'cpu-clock:u', '-F', '1000', '-d', '0.5'],
      ...['--', workload, 'burn', '1', '2'],
    ]);
    expect(status, stderr).toBe(0);
    const lines = linesOf(stdout);
    expect(lines.length).toBeGreaterThan(2);
    expect(lines.map(({ schema }) => schema)).toEqual(lines.map(() => 'perf-ts/top@1'));
    expect(lines.map(({ isLast }) => isLast).indexOf(true)).toBe(lines.length - 1);
    const [event] = lines.at(-1)!.events;
    const [first] = event.rows;
    expect(first?.symbol).toBe('leaf');
    expect(first.selfShare).toBeGreaterThan(0.9);
    expect(first.selfLow).toBeLessThanOrEqual(first.selfShare);
    expect(first.selfHigh).toBeGreaterThanOrEqual(first.selfShare);
    const caller = event.rows.find(({ symbol }) => symbol === 'deep');
    expect(caller?.totalShare).toBeGreaterThan(0.9);
    // Nothing is lost between slices: all that the recorder wrote is in the tables.
    expect(event?.samples).toBe(lines.at(-1)!.samples);
  });

  it('top leaves perf-ts out unless --with-self', async () => {
    const args = ['top', '--json', '-a', '-s', 'pid', '-e', 'cpu-clock', '-F', '2000'];
    /** What each table says of perf-ts, up to the first that `isEnough`. */
    const ownIn = async (more: readonly string[], isEnough: (own: Own) => boolean) => {
      const top = startPerfTs([...args, ...more, '-d', '0.3']);
      running.push(top.child);
      const found: Own[] = [];
      for await (const line of createInterface(top.child.stdout)) {
        const [event] = (JSON.parse(line) as Line).events;
        const pids = event?.rows.map((row) => (row as { pid?: number }).pid) ?? [];
        found.push({ isShown: pids.includes(top.pid), share: event?.ownShare ?? 0 });
        if (isEnough(found.at(-1)!)) break;
      }
      // The end of the loop has paused the stream.
      top.child.stdout.resume();
      top.child.kill('SIGINT');
      const { status, stderr } = await top.ended;
      expect(status, stderr).toBe(0);
      return found;
    };
    const without = await ownIn([], ({ share }) => share > 0);
    expect(without.map(({ isShown }) => isShown)).not.toContain(true);
    expect(without.at(-1)!.share).toBeGreaterThan(0);
    const withSelf = await ownIn(['--with-self'], ({ isShown }) => isShown);
    expect(withSelf.map(({ share }) => share)).toEqual(withSelf.map(() => 0));
    expect(withSelf.at(-1)!.isShown).toBe(true);
  });

  // Only root can start one.
  it.skipIf(process.getuid?.() !== 0)('top -u shows the processes of a user', () => {
    const uid = 54_321;
    const other = spawn('sh', ['-c', 'while :; do :; done'], { stdio: 'ignore', uid });
    running.push(other);
    const args = ['top', '--json', '-u', String(uid), '-s', 'pid', '--duration', '1'];
    const { stdout, stderr } = perfTs(args);
    expect(stdout, stderr).not.toBe('');
    const rows = linesOf(stdout).at(-1)!.events[0].rows as unknown as { pid: number }[];
    expect(rows.map(({ pid }) => pid)).toEqual([other.pid]);
    expect(perfTs(['top', '-u', 'nobody-of-this-name']).status).toBe(2);
    expect(perfTs(['top', '-u', String(uid), '-p', '1']).status).toBe(2);
  });

  it('top names functions of JavaScript, and removes the perf maps', () => {
    const script = join(scratch, 'busy.cjs');
    writeFileSync(
      script,
      `function spin(n) { let s = 0; for (let i = 0; i < n; i++) s += Math.sqrt(i) % 3; return s; }
       // CPU time, of which the start of Node takes the same on a busy machine.
       while (process.cpuUsage().user < 2.5e6) spin(1e6);
       console.error('pid ' + process.pid);`,
    );
    const { stdout, stderr } = perfTs(['top', '--json', '-F', '1000', '--', 'node', script]);
    const [first] = linesOf(stdout).at(-1)!.events[0].rows;
    expect(first?.symbol).toMatch(/^spin .*busy\.cjs:1$/);
    expect(first.selfShare).toBeGreaterThan(0.5);
    const pid = /pid (\d+)/.exec(stderr)?.[1];
    expect(() => readFileSync(`/tmp/perf-${pid}.map`)).toThrow('ENOENT');
  });

  it('top counts each sample once, however often its tables are rebuilt', async () => {
    const top = startTop({
      ...{ command: [compileWorkload(), 'forks', '0', '2'], systemWide: true, withSelf: true },
      ...{ events: ['cpu-clock'], freq: 2000, callGraph: 'fp', intervalMs: 200, mostRows: 300 },
    });
    let samples = 0;
    let counted = 0;
    let rate = 0;
    for await (const report of top.reports()) {
      const [event] = report.events;
      samples = report.samples;
      counted = event.table('comm').samples;
      rate = Math.max(rate, event.rateHz);
    }
    expect(counted).toBe(samples);
    expect(samples).toBeGreaterThan(100);
    // No CPU has more than it was asked for, but for the first of its samples.
    expect(rate).toBeLessThan(2 * 2000 * cpus().length);
  });

  it("a report's time begins when the events are enabled, however long it took to get there", async () => {
    const binding = loadBinding();
    let enabledMs = 0;
    class LateSampler extends binding.Sampler {
      override startLive(...asked: Parameters<NativeSampler['startLive']>): void {
        const begun = process.cpuUsage().user;
        while (process.cpuUsage().user < begun + 50_000);
        enabledMs = performance.now();
        super.startLive(...asked);
      }
    }
    const late = { ...binding, Sampler: LateSampler };
    const top = startTop({ pids: [process.pid], events: ['cpu-clock'], intervalMs: 50 }, late);
    for await (const { elapsedMs } of top.reports()) {
      expect(elapsedMs).toBeLessThanOrEqual(performance.now() - enabledMs);
      break;
    }
  });

  it('top counts its own CPU time over the time that it took, however short it runs', () => {
    const args = ['top', '--json', '-e', 'cpu-clock', '-p', String(process.pid)];
    const lines = linesOf(perfTs([...args, '--duration', '0.1']).stdout);
    expect(lines.length).toBeGreaterThan(0);
    // The time of the process cannot be more than that of all CPUs; reading symbols takes a second of it.
    for (const { ownCpu } of lines) expect(ownCpu).toBeLessThanOrEqual(1.25 * cpus().length);
  });

  it('top refuses options that it does not support', () => {
    expect(perfTs(['top', '-d', '0']).status).toBe(2);
    expect(perfTs(['top', '--window', '0.1']).status).toBe(2);
    expect(perfTs(['top', '--weight', 'events']).status).toBe(2);
    expect(perfTs(['top', '-s', 'srcline', '--batch']).status).toBe(2);
    const gone = perfTs(['top', '--batch', '--', '/nowhere/to/be/found']);
    expect(gone.status).toBe(127);
    expect(gone.stderr).toContain('/nowhere/to/be/found');
  });
});

const ENTER = '\x1b[?1049h\x1b[?25l';
const LEAVE = '\x1b[?7h\x1b[?25h\x1b[?1049l';
const hasScript = spawnSync('script', ['--version']).status === 0;
if (!hasScript) console.warn('skipped: top on a terminal: script (util-linux) is not installed');

let terminals = 0;

/** `top` on a terminal of 80 × 20, with its pid. */
function onTerminal(args: readonly string[]) {
  const name = join(scratch, `terminal-${terminals++}`);
  const words = [process.execPath, CLI, 'top', ...args].join(' ');
  writeFileSync(
    name,
    `stty cols 80 rows 20; before=$(stty -g)
     sh -c 'echo $$ > ${name}.pid; exec ${words}'
     status=$?; [ "$(stty -g)" = "$before" ] && echo "terminal as before, status $status"`,
  );
  const child = spawn('script', ['-qfc', `sh ${name}`, '/dev/null'], {
    env: { ...cleanEnvironment(), TERM: 'xterm-256color' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  running.push(child);
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (data: string) => {
    text += data;
  });
  return {
    all: () => text,
    /** What was drawn last. */
    screen: () => text.split('\x1b[H').at(-1) as string,
    press: (keys: string) => child.stdin.write(keys),
    kill: (signal: NodeJS.Signals) =>
      process.kill(Number(readFileSync(`${name}.pid`, 'utf8')), signal),
    ended: new Promise<void>((resolve) => {
      child.on('close', () => resolve());
    }),
  };
}

describeLive('top on a terminal', () => {
  const onlyWithScript = it.skipIf(!hasScript);
  const args = ['-a', '-F', '500', '-d', '0.3', '-e', 'cpu-clock'];

  onlyWithScript('draws, does what keys say, and gives the terminal back after q', async () => {
    const top = onTerminal(args);
    await until(() => top.screen().includes('95% interval'));
    expect(top.all()).toContain(ENTER);
    expect(top.screen()).toContain('function');
    top.press('s');
    await until(() => !top.screen().includes('function') && top.screen().includes('file'));
    top.press('/nothing is called so\r');
    await until(() => top.screen().includes('no such row'));
    top.press('\x1b');
    await until(() => !top.screen().includes('no such row'));
    top.press('h');
    await until(() => top.screen().includes('begin the tables anew'));
    top.press('hp');
    await until(() => top.screen().includes('PAUSED'));
    top.press('q');
    await top.ended;
    const [, after] = top.all().split(LEAVE);
    expect(after).toContain('terminal as before, status 0');
    for (const line of top.screen().split(LEAVE)[0].split('\r\n')) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: escapes take no room.
      expect(line.replace(/\x1b\[[0-9?]*[A-Za-z]/g, '').length).toBeLessThanOrEqual(80);
    }
  });

  onlyWithScript.each([
    ['SIGINT', 0],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('gives the terminal back after %s', async (signal, status) => {
    const top = onTerminal(args);
    await until(() => top.screen().includes('95% interval'));
    top.kill(signal);
    await top.ended;
    const [, after] = top.all().split(LEAVE);
    expect(after).toContain(`terminal as before, status ${status}`);
  });

  onlyWithScript('ends its command with Ctrl-C', async () => {
    const top = onTerminal(['-F', '500', '-d', '0.3', '--', compileWorkload(), 'burn', '1', '600']);
    await until(() => top.screen().includes('leaf'));
    top.press('\x03');
    await top.ended;
    expect(top.all().split(LEAVE)[1]).toContain('terminal as before, status 0');
  });
});
