// Ways in which perf-ts comes to a program, each with the run without it that it is compared with.

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { listeningPorts } from '../../src/record/code-events/listening-ports.ts';
import { waitedSecondsOf } from '../helpers/tasks.ts';
import { killGroup, type Outcome, run } from './child.ts';
import type { Flags } from './flags.ts';
import type { FoundNode } from './nodes.ts';
import type { Program } from './programs.ts';

/**
 * - `launch`: `record -- NODE …`
 * - `child`: the same of a Node 20 or newer that starts NODE
 * - `register`: NODE_OPTIONS has the preload, and nobody records
 * - `attach`: `record -p PID --attach-js` while it runs
 */
export type Way = 'launch' | 'child' | 'register' | 'attach';
export const WAYS: readonly Way[] = ['launch', 'child', 'register', 'attach'];

export type Cell = {
  readonly way: Way;
  readonly node: FoundNode;
  readonly program: Program;
  readonly flags: Flags;
};

/** Folders that the runs of one rig use. */
export type Place = {
  /** The checkout or package under test. */
  readonly root: string;
  readonly programs: string;
  /** For all that the runs write; removed with the rig. */
  readonly scratch: string;
};

/** What a run came to, with what differs between two runs of anything taken out. */
export type Seen = {
  readonly status: string;
  readonly stdout: string;
  readonly stderr: string;
  /** Names of the files that it left in its folder. */
  readonly files: string;
  readonly seconds: number;
  /** Lines that the recorder printed of itself, and what the threads of a run without an end waited for. */
  readonly words: readonly string[];
};

/** Signals by number, as a shell and the recorder report them. */
const SIGNALS: Readonly<Record<string, number>> = {
  SIGINT: 2,
  SIGABRT: 6,
  SIGKILL: 9,
  SIGTERM: 15,
  SIGSEGV: 11,
};
const RECORDERS = /^perf-ts: .*\n?/gm;
/** What Node itself prints when its inspector is opened and used. */
const INSPECTOR =
  /^(?:Debugger (?:listening|attached|ending)|For help, see: https:\/\/nodejs).*\n?/gm;

/** Process ids, ports and the inspector's addresses, which no two runs have in common. */
function withoutNumbersOfTheRun(text: string): string {
  return text
    .replace(/\((node|[\w-]*single):\d+\)/g, '($1:PID)')
    .replace(/ws:\/\/127\.0\.0\.1:\d+\/[0-9a-f-]{36}/g, 'ws://ADDRESS')
    .replace(/^(\s*[A-Z]+) \d+: /gm, '$1 PID: ')
    .replace(/\/[^\s:"']*\/(?:parts|register)\/preload\.cjs/g, 'PRELOAD');
}

export class Runner {
  readonly #place: Place;
  constructor(place: Place) {
    this.#place = place;
  }

  /** The run without perf-ts that a cell is compared with. */
  plain(cell: Cell): Promise<Seen> {
    if (cell.way === 'attach') return this.#hosted(cell, false);
    const options = cell.way === 'register' ? this.#registering(cell, this.#empty()) : {};
    return this.#inFolder(cell, (cwd) =>
      run(this.#command(cell), {
        cwd,
        env: this.#env(cell, cwd, options),
        input: cell.program.input,
      }),
    );
  }

  /** The run with perf-ts. */
  recorded(cell: Cell): Promise<Seen> {
    if (cell.way === 'attach') return this.#hosted(cell, true);
    if (cell.way === 'register') {
      const preload = join(this.#place.root, 'dist/register/preload.cjs');
      return this.#inFolder(cell, (cwd) => {
        const env = this.#env(cell, cwd, this.#registering(cell, preload));
        return run(this.#command(cell), { cwd, env, input: cell.program.input });
      });
    }
    return this.#inFolder(cell, async (cwd, data) => {
      const words = this.#perfTs([
        'record',
        '-q',
        '-F',
        '199',
        '-o',
        data,
        '--',
        ...this.#command(cell),
      ]);
      const env = this.#env(cell, cwd, {});
      const outcome = await run(words, { cwd, env, input: cell.program.input });
      const isThere = existsSync(data) && statSync(data).size > 0;
      return isThere ? outcome : { ...outcome, stderr: `${outcome.stderr}(no recording)\n` };
    });
  }

  #perfTs(words: readonly string[]): string[] {
    return [process.execPath, join(this.#place.root, 'dist/bin/main.js'), ...words];
  }

  #empty(): string {
    return join(this.#place.programs, 'parts/preload.cjs');
  }

  /** Node's words, which begin with its path. */
  #command({ way, node, program, flags }: Cell, host: readonly string[] = []): string[] {
    const { programs } = this.#place;
    const own = program.words.map((word) => word.replace('./parts', join(programs, 'parts')));
    const file = program.file === null ? [] : [join(programs, program.file)];
    const words = [node.path, ...flags.words, ...own, ...host, ...file, ...program.args];
    const parent = [process.execPath, join(programs, 'parts/parent.cjs')];
    const variables = Object.entries(flags.env).map(([name, value]) => `${name}=${value}`);
    const env = flags.isForCommand ? ['env', ...variables] : [];
    return [...env, ...(way === 'child' ? parent : []), ...words];
  }

  #env(cell: Cell, cwd: string, more: Readonly<Record<string, string>>): Record<string, string> {
    const env = {
      ...{ PATH: process.env.PATH ?? '', LANG: 'C.UTF-8', HOME: this.#place.scratch, TMPDIR: cwd },
      ...{ PERF_TS_NO_CACHE: 'names', PERF_BUILDID_DIR: '/nonexistent' },
    };
    return { ...env, ...(cell.flags.isForCommand ? {} : cell.flags.env), ...more };
  }

  #registering({ node, flags }: Cell, preload: string): Record<string, string> {
    // Node 20.6 is the first whose --import runs in the main thread before the program; Node 8 takes two words only.
    const option = node.major >= 20 ? `--import=${preload}` : `--require ${preload}`;
    return { NODE_OPTIONS: `${flags.env.NODE_OPTIONS ?? ''} ${option}`.trim() };
  }

  /** Runs in a folder that is the same, and empty, for all runs of a cell. */
  async #inFolder(cell: Cell, act: (cwd: string, data: string) => Promise<Outcome>): Promise<Seen> {
    const at = mkdtempSync(join(this.#place.scratch, 'cell-'));
    const cwd = join(at, 'cwd');
    mkdirSync(cwd);
    try {
      const outcome = await act(cwd, join(at, 'x.data'));
      return this.#seen(cell, outcome, at, cwd);
    } finally {
      rmSync(at, { recursive: true, force: true });
    }
  }

  #seen(cell: Cell, outcome: Outcome, at: string, cwd: string): Seen {
    const { signal, isHung, seconds, waits } = outcome;
    const number = signal === null ? (outcome.status ?? -1) : 128 + (SIGNALS[signal] ?? 0);
    const clean = (text: string): string => withoutNumbersOfTheRun(text.replaceAll(at, 'AT'));
    const isRecorder = cell.way === 'launch' || cell.way === 'child';
    const own = isRecorder ? (outcome.stderr.match(RECORDERS) ?? []) : [];
    const words = waits === '' ? own : [...own, waits];
    let stderr = isRecorder ? outcome.stderr.replace(RECORDERS, '') : outcome.stderr;
    if (cell.way === 'attach') stderr = stderr.replace(INSPECTOR, '');
    const files = readdirSync(cwd)
      .map((name) => contentOf(cwd, name))
      .sort();
    return {
      ...{ status: isHung ? 'no end' : `${number}`, stdout: clean(outcome.stdout) },
      ...{ stderr: clean(stderr), files: files.join('\n'), seconds, words },
    };
  }

  /** A program that waits until a recorder has attached to it, where there is one, and then goes on. */
  #hosted(cell: Cell, isRecorded: boolean): Promise<Seen> {
    const host = join(this.#place.programs, 'parts/host.cjs');
    return this.#inFolder(cell, async (cwd, data) => {
      const go = `${data}.go`;
      const env = this.#env(cell, cwd, { STRANGERS_GO: go });
      let attached: Promise<unknown> = Promise.resolve();
      const outcome = await run(this.#command(cell, [host]), {
        ...{ cwd, env, input: cell.program.input },
        onStart: (pid) => {
          attached = this.#attach(pid, go, data, isRecorded).catch(() => killGroup(pid));
        },
      });
      await attached;
      return outcome;
    });
  }

  async #attach(pid: number, go: string, data: string, isRecorded: boolean): Promise<void> {
    await until(() => existsSync(`${go}.ready`) || !existsSync(`/proc/${pid}/exe`), 20);
    if (!isRecorded) {
      writeFileSync(go, '');
      return;
    }
    const before = new Set(listeningPorts(pid).values());
    const words = ['record', '-F', '199', '--duration', '40', '--attach-js', '-o', data];
    let printed = '';
    const recording = run(this.#perfTs([...words, '-p', `${pid}`]), {
      ...{ cwd: this.#place.scratch, env: { PATH: process.env.PATH ?? '' }, limitSeconds: 60 },
      onStderr: (text) => {
        printed += text;
      },
    });
    let hasEnded = false;
    void recording.finally(() => {
      hasEnded = true;
    });
    const isClosed = (): boolean =>
      [...listeningPorts(pid).values()].every((port) => before.has(port));
    // The inspector is open until the recorder has its answer, or a reason why there is none, and the program could see
    // that.
    const hasAsked = (): boolean => printed.includes(`process ${pid} `) && isClosed();
    if (!(await until(() => hasEnded || hasAsked(), 30))) throw new Error('nothing was asked');
    writeFileSync(go, '');
    const { status, signal, isHung } = await recording;
    if (isHung || signal !== null || status === null) throw new Error('the recorder has no end');
  }
}

/** A file's name without numbers; with its text where it is one that the program wrote as such. */
function contentOf(folder: string, name: string): string {
  const shown = name.replace(/\d+/g, 'N').replace(/[0-9a-f]{8,}/g, 'H');
  if (!name.endsWith('.txt')) return shown;
  return `${shown}: ${withoutNumbersOfTheRun(readFileSync(join(folder, name), 'utf8'))}`;
}

/** Waits until `condition` holds, or for so long, without what the first thread of `pid` waits for a CPU: the machine's load. */
export async function until(
  condition: () => boolean,
  seconds: number,
  pid?: number,
): Promise<boolean> {
  const waitedMs = (): number => (pid === undefined ? 0 : waitedSecondsOf(pid) * 1000);
  let end = performance.now() + seconds * 1000;
  for (let before = waitedMs(); !condition(); ) {
    const now = waitedMs();
    end += Math.max(0, now - before);
    before = now;
    if (performance.now() > end) return false;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return true;
}
