// Runs the perf-ts of a directory and checks what it printed.

import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** The commands of one perf-ts, with their recordings in one directory. */
export class PerfTs {
  #main;
  #out;

  constructor(app, out) {
    this.#main = join(app, 'dist/bin/main.js');
    this.#out = out;
  }

  /** The path of a recording by name. */
  file(name) {
    return join(this.#out, `${name}.data`);
  }

  /** Runs a command; it may end with any status. `options` are those of spawnSync. */
  try(args, options = {}) {
    const run = spawnSync(process.execPath, [this.#main, ...args], {
      cwd: this.#out,
      encoding: 'utf8',
      maxBuffer: 1 << 28,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...options,
    });
    if (run.error) throw run.error;
    return run;
  }

  /** Runs a command that has to succeed. */
  run(args, options) {
    const run = this.try(args, options);
    if (run.status !== 0) {
      const end = run.status ?? run.signal;
      throw new Error(`perf-ts ${args.join(' ')} ended with ${end}: ${run.stderr.trim()}`);
    }
    return run;
  }

  /** Starts a command that runs until it is interrupted. */
  start(args) {
    const stdio = ['ignore', 'pipe', 'pipe'];
    const child = spawn(process.execPath, [this.#main, ...args], { cwd: this.#out, stdio });
    const ended = new Promise((resolve) => child.on('close', resolve));
    let printed = '';
    return {
      /** The first match in what it prints; throws where it ends before. */
      firstMatch: (pattern) =>
        new Promise((resolve, reject) => {
          const look = (bytes) => {
            printed += bytes;
            const match = pattern.exec(printed);
            if (match !== null) resolve(match[0]);
          };
          child.stdout.on('data', look);
          child.stderr.on('data', look);
          void ended.then(() => reject(new Error(`perf-ts ${args[0]} ended: ${printed}`)));
        }),
      interrupt: () => {
        child.kill('SIGINT');
        return ended;
      },
    };
  }

  /** Records a command to its end. Returns the closing summary, and what the command printed. */
  record(name, options, command, spawnOptions) {
    const args = ['record', '--json', '-o', this.file(name), ...options, '--', ...command];
    const { stdout, stderr } = this.run(args, spawnOptions);
    const summary = stderr.split('\n').find((line) => line.startsWith('{"schema"'));
    if (summary === undefined) throw new Error(`record printed no summary: ${stderr}`);
    return { ...JSON.parse(summary), reported: `${stdout}${stderr}` };
  }

  /** The JSON document of a command that reads a recording. */
  read(command, name, ...options) {
    const { stdout } = this.run([command, '--json', '-i', this.file(name), ...options]);
    return JSON.parse(stdout);
  }
}

/** Throws unless it holds; `saw` is what was there instead. */
export function check(holds, expected, saw) {
  if (!holds) throw new Error(`expected ${expected}, saw ${JSON.stringify(saw)}`);
}

export function checkEqual(saw, expected, what) {
  check(saw === expected, `${what} ${JSON.stringify(expected)}`, saw);
}

/** Checks that a number is from `low` to `high`. */
export function checkWithin(saw, low, high, what) {
  check(saw >= low && saw <= high, `${what} from ${low} to ${high}`, saw);
}
