// libpfm's own tools, built from the sources in libpfm4-dev, and what they say of names.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CHECK_EVENTS = '/usr/share/doc/libpfm4-dev/examples/check_events.c';
const ATTR_SOURCE = fileURLToPath(new URL('libpfm-attr.c', import.meta.url));
/** Names for one process: far below what a command line may hold. */
const NAMES_AT_ONCE = 1000;

/** Why they can't be built here, null if they can. */
export function missingTools() {
  if (!existsSync(CHECK_EVENTS)) return `no ${CHECK_EVENTS}: apt-get install libpfm4 libpfm4-dev`;
  if (spawnSync('cc', ['--version']).status !== 0) return 'no C compiler';
  return null;
}

/** Builds both below `folder`. */
export function buildTools(folder) {
  // The examples want a header of the library's build: errx and its like.
  mkdirSync(join(folder, 'perfmon'), { recursive: true });
  writeFileSync(join(folder, 'perfmon/err.h'), '#include <err.h>\n');
  const build = (source) => {
    const program = join(folder, source.replace(/^.*\/|\.c$/g, ''));
    const args = ['-w', '-O1', `-I${folder}`, '-o', program, source, '-lpfm'];
    const { status, stderr } = spawnSync('cc', args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`${source} does not build: ${stderr}`);
    return program;
  };
  return { checkEvents: build(CHECK_EVENTS), attr: build(ATTR_SOURCE) };
}

function* chunksOf(names) {
  for (let i = 0; i < names.length; i += NAMES_AT_ONCE) yield names.slice(i, i + NAMES_AT_ONCE);
}

function run(program, names) {
  const { stdout, stderr } = spawnSync(program, names, {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  return { stdout, stderr };
}

/** check_events: the register values of each name, as one word. It stops at a name it refuses. */
export function codesOf(checkEvents, names) {
  const codes = [];
  for (const chunk of chunksOf(names)) {
    const { stdout, stderr } = run(checkEvents, chunk);
    const found = [...stdout.matchAll(/^Codes +:(.*)$/gm)].map(([, words]) => words.trim());
    if (found.length !== chunk.length) throw new Error(`check_events stopped: ${stderr}`);
    codes.push(...found);
  }
  return codes;
}

/** The attr of each name, as one word; with the error in front. */
export function attrsOf(attr, names) {
  return [...chunksOf(names)].flatMap((chunk) => run(attr, chunk).stdout.trim().split('\n'));
}
