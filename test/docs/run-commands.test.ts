// Every command block of the pages is run to the letter, page by page, in an empty folder with an empty
// home, where `perf-ts`, `examples` and the stand-ins for a reader's program are. What a block makes, the
// later blocks of its page find.

import { spawn } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { compileHotPaths } from '../examples/hot-paths.ts';
import { CLI, cleanEnvironment, projectRoot, scratchDirectory } from '../helpers/cli.ts';
import {
  type Block,
  blocksOf,
  commandsOf,
  exemptionOf,
  interruptsOf,
  isShell,
  pagesWithCommands,
  statusesOf,
} from '../helpers/command-blocks.ts';
import { describeLive } from '../helpers/live.ts';

/** Programs on the reader's PATH. Where sudo is installed, its own PATH would not have this perf-ts. */
const PROGRAMS = {
  'perf-ts': `#!/usr/bin/env node\nrequire(${JSON.stringify(CLI)});\n`,
  sudo: '#!/bin/sh\nexec env "$@"\n',
};

/** A reader's folder and environment: the pages call his own program `./app`, `app.js` or `app.ts`. */
function readersPlace(): { folder: string; env: NodeJS.ProcessEnv } {
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
  symlinkSync(examples, join(folder, 'examples'));
  copyFileSync(compileHotPaths(), join(folder, 'app'));
  copyFileSync(join(examples, 'app/app.js'), join(folder, 'app.js'));
  const rest = Object.entries(cleanEnvironment()).filter(([name]) => !name.startsWith('XDG_'));
  const env = { ...Object.fromEntries(rest), PATH: `${bin}:${process.env.PATH}`, HOME: home };
  return { folder, env };
}

type Run = { readonly statuses: number[]; readonly output: string };

/** Printed when a command has ended; no command prints it. */
const ENDED = '\u001e';

/** Types the commands of a block into one shell. What they leave running ends with it. */
function type(block: Block, folder: string, env: NodeJS.ProcessEnv): Promise<Run> {
  const noted = join(folder, '../statuses');
  writeFileSync(noted, '');
  const note = `printf '%s\\n' "$?" >>'${noted}'; printf '${ENDED}'`;
  const script = commandsOf(block).map((command) => `${command}\n${note}\n`);
  const shell = spawn('bash', ['-c', `exec 2>&1; trap : INT\n${script.join('')}`], {
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
      done({ statuses, output: output.replaceAll(ENDED, '') });
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

describeLive('the commands of', () => {
  const pages = pagesWithCommands(projectRoot).map((page) => ({
    page,
    blocks: blocksOf(projectRoot, page).filter(
      (block) => isShell(block) && exemptionOf(block) === null,
    ),
  }));

  it.each(pages.filter(({ blocks }) => blocks.length > 0))('$page', async ({ blocks }) => {
    const { folder, env } = readersPlace();
    for (const block of blocks) {
      const { statuses, output } = await type(block, folder, env);
      const place = `${block.page}:${block.line}\n${block.text}\n--- printed\n${output}`;
      const expected = statusesOf(block);
      expect(statuses.length, place).toBe(expected.length);
      for (const [index, status] of statuses.entries())
        expect(expected[index], place).toContain(status);
    }
  });
});
