// A place for a reader who types the commands of a page: an empty folder with an empty home, where `perf-ts`,
// `examples` and the stand-ins for a reader's program are.

import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { compileHotPaths } from '../examples/hot-paths.ts';
import { CLI, keepingNames, projectRoot, scratchDirectory } from './cli.ts';
import { type Block, commandsOf, interruptsOf, isOfUser } from './command-blocks.ts';
import { AS_NOBODY, NOBODY } from './nobody.ts';

const TYPESCRIPT = join(import.meta.dirname, 'typescript-loader.mjs');

/** Programs on the reader's PATH. Where sudo is installed, its own PATH would not have this perf-ts. */
const PROGRAMS: Readonly<Record<string, string>> = {
  'perf-ts': `#!/usr/bin/env node\nrequire(${JSON.stringify(CLI)});\n`,
  // A project's own packages are on the PATH here.
  npx: '#!/bin/sh\nexec "$@"\n',
  sudo: '#!/bin/sh\nexec env "$@"\n',
  // It compiles what is imported, with source maps: what the pages say of tsx holds for every loader.
  tsx: `#!/bin/sh\nexec node --import ${TYPESCRIPT} "$@"\n`,
};

/** A reader's folder and environment: the pages call his own program `./app`, `app.js` or `app.ts`. */
export function readersPlace(): { folder: string; env: NodeJS.ProcessEnv } {
  const scratch = scratchDirectory();
  const bin = join(scratch, 'bin');
  const home = join(scratch, 'home');
  const folder = join(scratch, 'project');
  for (const made of [bin, home, folder]) mkdirSync(made);
  for (const [name, text] of Object.entries(PROGRAMS)) {
    writeFileSync(join(bin, name), text);
    chmodSync(join(bin, name), 0o755);
  }
  const examples = join(projectRoot, 'examples');
  mkdirSync(join(folder, 'examples'));
  for (const name of readdirSync(examples))
    symlinkSync(join(examples, name), join(folder, 'examples', name));
  // V8 has the real path of a script, and a report shows it from where the program ran.
  unlinkSync(join(folder, 'examples/typescript-server'));
  cpSync(join(examples, 'typescript-server'), join(folder, 'examples/typescript-server'), {
    recursive: true,
  });
  copyFileSync(compileHotPaths(), join(folder, 'app'));
  copyFileSync(join(examples, 'app/app.js'), join(folder, 'app.js'));
  const rest = Object.entries(keepingNames()).filter(([name]) => !name.startsWith('XDG_'));
  const env = { ...Object.fromEntries(rest), PATH: `${bin}:${process.env.PATH}`, HOME: home };
  // The work is as much as the pages show in 3 s, on whatever machine.
  return { folder, env: { ...env, LOAD_MS: '600000', REQUESTS: '1500' } };
}

export type Run = {
  readonly statuses: number[];
  readonly output: string;
  /** Output of each command. */
  readonly outputs: readonly string[];
};

/** Printed when a command has ended; no command prints it. */
const ENDED = '\u001e';

/** Types the commands of a block into one shell, of a user where the block is. What they leave running ends with it. */
export function type(block: Block, folder: string, env: NodeJS.ProcessEnv): Promise<Run> {
  const noted = join(folder, '../statuses');
  writeFileSync(noted, '');
  const note = `printf '%s\\n' "$?" >>'${noted}'; printf '${ENDED}'`;
  const script = commandsOf(block).map((command) => `${command}\n${note}\n`);
  const bash = ['bash', '-c', `exec 2>&1; trap : INT\n${script.join('')}`];
  const isFromRoot = isOfUser(block) && process.getuid?.() === 0;
  if (isFromRoot) execFileSync('chown', ['-R', `${NOBODY}:${NOBODY}`, join(folder, '..')]);
  const [program, ...words] = isFromRoot ? [...AS_NOBODY, ...bash] : bash;
  const shell = spawn(program, words, {
    cwd: folder,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const group = -(shell.pid as number);
  const isDue = interruptsDue(interruptsOf(block));
  let output = '';
  shell.stdout.on('data', (data: Buffer) => {
    output += data;
    if (isDue(output)) process.kill(group, 'SIGINT');
  });
  onTestFinished(() => endGroup(group));
  return new Promise((done) => {
    shell.on('exit', () => endGroup(group));
    shell.on('close', () => {
      const statuses = readFileSync(noted, 'utf8').split('\n').filter(Boolean).map(Number);
      const outputs = output.split(ENDED);
      done({ statuses, output: outputs.join(''), outputs });
    });
  });
}

/** Whether Ctrl-C is due, asked with all output so far: each text once, and one for a command. */
function interruptsDue(texts: readonly string[]): (output: string) => boolean {
  let next = 0;
  let from = 0;
  let isEnding = false;
  return (output) => {
    if (isEnding) {
      const end = output.indexOf(ENDED, from);
      if (end === -1) return false;
      from = end;
      isEnding = false;
    }
    const found = next < texts.length ? output.indexOf(texts[next], from) : -1;
    if (found === -1) return false;
    from = found;
    next++;
    isEnding = true;
    return true;
  };
}

function endGroup(group: number): void {
  try {
    process.kill(group, 'SIGKILL');
  } catch {
    // Nothing was left.
  }
}
