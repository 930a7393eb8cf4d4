import { execFileSync, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { noteRun } from './noted-runs.ts';

export { scratchDirectory } from './scratch.ts';

export const projectRoot = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

/** The built command, which `test/run.sh` builds before the tests, or that of an installed package. */
export const CLI = process.env.PERF_TS_CLI ?? join(projectRoot, 'dist/bin/main.js');

export type Outcome = {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
};

type RunOptions = {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Words put before `node`: `prlimit`, `setpriv` … */
  readonly under?: readonly string[];
  readonly input?: string | Uint8Array;
};

/** Runs perf-ts to its end. Where the test fails, what it said is printed. */
export function perfTs(args: readonly string[], options: RunOptions = {}): Outcome {
  const words = [...(options.under ?? []), process.execPath, CLI, ...args];
  const result = spawnSync(words[0], words.slice(1), {
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
    cwd: options.cwd ?? projectRoot,
    env: options.env ?? cleanEnvironment(),
    ...(options.input !== undefined && { input: options.input }),
  });
  if (result.error) throw result.error;
  const { status, signal, stdout, stderr } = result;
  return noted(args, { status, signal, stdout, stderr });
}

const LONGEST_WORDS = 2000;

function noted(args: readonly string[], outcome: Outcome): Outcome {
  const { status, signal, stderr } = outcome;
  const words = stderr.length > LONGEST_WORDS ? `… ${stderr.slice(-LONGEST_WORDS)}` : stderr;
  noteRun(`perf-ts ${args.join(' ')}\n  ended with ${status ?? signal}; stderr: ${words}`);
  return outcome;
}

/** Starts perf-ts and hands it back running, with its output collected. */
export function startPerfTs(args: readonly string[], options: RunOptions & SpawnOptions = {}) {
  const words = [...(options.under ?? []), process.execPath, CLI, ...args];
  const child = spawn(words[0], words.slice(1), {
    cwd: options.cwd ?? projectRoot,
    env: options.env ?? cleanEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(options.detached && { detached: true }),
  });
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (data) => {
    stdout += data;
  });
  child.stderr?.on('data', (data) => {
    stderr += data;
  });
  const ended = new Promise<Outcome>((done) => {
    // 'close' would wait for the command too, which holds our pipes.
    child.on('exit', async (status, signal) => {
      // What it wrote is in the pipes, and may not have been read yet.
      for (let before = -1; before !== stdout.length + stderr.length; ) {
        before = stdout.length + stderr.length;
        await turnOfEventLoop();
      }
      done(noted(args, { status, signal, stdout, stderr }));
    });
  });
  /** What it has said so far. */
  const stderrSoFar = (): string => stderr;
  const stdoutSoFar = (): string => stdout;
  return { child, pid: child.pid as number, ended, stderr: stderrSoFar, stdout: stdoutSoFar };
}

/** Two turns: a whole look at what can be read lies between them. */
async function turnOfEventLoop(): Promise<void> {
  for (let i = 0; i < 2; i++) await new Promise((resolve) => setImmediate(resolve));
}

/** The tests' own SUDO_* must not decide whom the recorded command runs as. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  const { SUDO_UID: _uid, SUDO_GID: _gid, SUDO_USER: _user, ...rest } = process.env;
  return rest;
}

/**
 * Lets perf-ts keep the names that it finds in files, as users have it: for many readings of like recordings, of which
 * no test is about how a name is found.
 */
export function keepingNames(): NodeJS.ProcessEnv {
  const { PERF_TS_NO_CACHE: _, ...rest } = cleanEnvironment();
  return rest;
}

/** What `info --json` says of a file. */
export type Info = {
  readonly records: Readonly<Record<string, number>>;
  readonly loss: {
    readonly lostRecords: number;
    readonly lostSamples: number;
    readonly best: number;
    readonly lostSideband: number;
  };
  readonly truncatedAt: number | null;
  readonly skippedBytes: number;
  readonly throttle: number;
  readonly events: readonly {
    readonly name: string;
    readonly samples: number;
    readonly instances: number;
    readonly mode: string;
    readonly freqHz: number | null;
    readonly sampleType: readonly string[];
    /** The counters' final values together; null where the recording has none. */
    readonly counted: number | null;
  }[];
  readonly cmdline: readonly string[];
  readonly features: readonly string[];
};

/** `pipe`: the recording as a stream, `file` being `-`. */
export function infoOf(file: string, pipe?: Uint8Array): Info {
  const outcome = perfTs(['info', '--json', file], { ...(pipe && { input: pipe }) });
  if (outcome.status !== 0) throw new Error(`info failed on ${file}: ${outcome.stderr}`);
  return JSON.parse(outcome.stdout) as Info;
}

/** Samples that arrived plus samples that the kernel says it lost. */
export function accounted(file: string): number {
  const info = infoOf(file);
  return (info.records.SAMPLE ?? 0) + info.loss.best;
}

/** Debian's perf as the reference; null where it is not installed. */
export function findPerf(): string | null {
  try {
    execFileSync('perf', ['--version'], { stdio: 'ignore' });
    return 'perf';
  } catch {
    return null;
  }
}

/** Record counts as `perf report --stats` prints them, over all events. */
export function perfStats(file: string, pipe?: Uint8Array): Record<string, number> {
  const text = execFileSync('perf', ['report', '--stats', '-i', file], {
    encoding: 'utf8',
    stdio: [pipe ? 'pipe' : 'ignore', 'pipe', 'ignore'],
    ...(pipe && { input: pipe }),
  });
  const aggregated = /Aggregated stats:\n([\s\S]*?)(\n\S+ stats:|$)/.exec(text)?.[1] ?? '';
  const counts: Record<string, number> = {};
  for (const match of aggregated.matchAll(/^\s*(\w+) events:\s+(\d+)/gm)) {
    counts[match[1]] = Number(match[2]);
  }
  return counts;
}
