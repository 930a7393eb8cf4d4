// After every subcommand, however it ends, pipes and sockets are as blocking as they were: O_NONBLOCK
// belongs to the open file description, which the next program of the pipeline uses as well. A
// terminal also has its modes again.

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CLI, cleanEnvironment, scratchDirectory } from '../helpers/cli.ts';
import { builtRecordings } from '../helpers/recordings.ts';

const scratch = scratchDirectory();
const folded = join(scratch, 'few.folded');
writeFileSync(folded, 'main;work 3\nmain;rest 1\n');
const data = join(scratch, 'built.data');
const [, bytes] = builtRecordings().find(([name]) => name === 'little-endian file') ?? [];
writeFileSync(data, bytes as Uint8Array);

const PT = `'${process.execPath}' '${CLI}'`;
const PRINT = `for fd in 0 1 2; do sed -n 's/^flags:[^0-9]*//p' /proc/$$/fdinfo/$fd >> flags; done`;

/**
 * Flags of stdin, stdout and stderr before and after `script`, connected by sockets as Node's spawn
 * does it, or by pipes.
 */
function flagsAround(script: string, way: 'sockets' | 'pipes'): string[] {
  writeFileSync(join(scratch, 'flags'), '');
  const words = `${PRINT}; ${script}; ${PRINT}`;
  // Both pipes have a reader that goes on reading.
  const piped = `true | { { { ${words}; } 2>&3 | cat > /dev/null; } 3>&1 | cat > /dev/null; }`;
  const { error } = spawnSync('sh', ['-c', way === 'pipes' ? piped : words], {
    cwd: scratch,
    env: cleanEnvironment(),
    stdio: 'pipe',
    input: '',
  });
  expect(error).toBeUndefined();
  return readFlags();
}

function readFlags(): string[] {
  return readFileSync(join(scratch, 'flags'), 'utf8').trim().split('\n');
}

const SCRIPTS = {
  help: `${PT} --help`,
  'help of a subcommand': `${PT} record --help`,
  version: `${PT} --version`,
  report: `${PT} report ${folded}`,
  'report as JSON': `${PT} report --json ${folded}`,
  'a missing file': `${PT} report none.data`,
  'an unknown option': `${PT} report --nonsense`,
  'an unknown subcommand': `${PT} nonsense`,
  'a usage error': `${PT} record -p 0`,
  export: `${PT} export --format speedscope -o - ${folded}`,
  'standard input': `${PT} report - < ${folded}`,
  'a reader that is gone': `${PT} report ${folded} | true`,
  diff: `${PT} diff ${folded} ${folded}`,
  periods: `${PT} periods ${data}`,
  'a recording without turns': `${PT} turns ${data}`,
  script: `${PT} script ${data}`,
  info: `${PT} info ${data}`,
  annotate: `${PT} annotate -i ${data}`,
  'the events of a recording': `${PT} evlist ${data}`,
  'build IDs': `${PT} buildid-list ${data}`,
  'parts of the version': `${PT} version --build-options`,
  inject: `${PT} inject -i ${data} -o injected.data`,
  'inject as a stream': `${PT} inject -i ${data} -o - | cat > /dev/null`,
  query: `${PT} query top ${data}`,
  'a server for assistants': `${PT} mcp < /dev/null`,
  'an agent without its configuration': `${PT} agent --config none.json`,
  'a completion script': `${PT} completion bash`,
  archive: `${PT} archive -o archived.tar ${data}`,
  'a page that can not be shown': `${PT} view --no-open none.data`,
  list: `${PT} list cpu-clock`,
  cpu: `${PT} cpu`,
  doctor: `${PT} doctor`,
  'a signal': `rm -f url; ${PT} view --no-open ${folded} > url & until grep -q http url; do sleep 0.02; done; kill -TERM $!; wait $!`,
  'a count': `${PT} stat -e page-faults -- true`,
  'a count of an unknown event': `${PT} stat -e nonsense -- true`,
  'a recording': `${PT} record -e page-faults -o x.data -- true`,
  'a recording as a stream': `${PT} record -e page-faults -o - -- true | cat > /dev/null`,
  'a missing command': `${PT} record -e page-faults -o x.data -- ./none`,
  'a recording with its report': `${PT} run -e page-faults -o x.data -- true`,
  'a table': `${PT} top --batch -e page-faults -- true`,
};

test('the flags test covers every subcommand', () => {
  const help = spawnSync(process.execPath, [CLI, '--help'], { encoding: 'utf8' }).stdout;
  const listed = help.slice(help.indexOf('\nMeasure:'), help.indexOf('\nExit status:'));
  const names = [...listed.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name]) => name);
  expect(names.length).toBeGreaterThan(10);
  const words = Object.values(SCRIPTS).map((script) => script.split(`${PT} `)[1]?.split(' ')[0]);
  expect(words).toEqual(expect.arrayContaining(names.filter((name) => name !== 'help')));
});

for (const [name, script] of Object.entries(SCRIPTS)) {
  for (const way of ['sockets', 'pipes'] as const) {
    test(`${way} are left blocking by ${name}`, () => {
      const flags = flagsAround(script, way);
      expect(flags).toHaveLength(6);
      expect(flags.slice(3)).toEqual(flags.slice(0, 3));
      const O_NONBLOCK = 0o4000;
      for (const text of flags) expect(Number.parseInt(text, 8) & O_NONBLOCK).toBe(0);
    });
  }
}

test.skipIf(spawnSync('script', ['--version']).status !== 0)(
  "every subcommand restores the terminal's flags and modes",
  () => {
    writeFileSync(join(scratch, 'flags'), '');
    // Ctrl-S would stop the terminal for good, so nothing but `q` is typed.
    const screen = `${PT} top -e page-faults -- true`;
    const scripts = [...Object.values(SCRIPTS), screen];
    const print = `${PRINT}; stty -g >> flags`;
    writeFileSync(
      join(scratch, 'all.sh'),
      `${print}\n${scripts.map((script) => `${script}\n${print}\n`).join('')}`,
    );
    const { error } = spawnSync('script', ['-qec', 'sh all.sh', '/dev/null'], {
      cwd: scratch,
      env: { ...cleanEnvironment(), SHELL: '/bin/sh', TERM: 'xterm' },
      stdio: ['pipe', 'ignore', 'ignore'],
      input: 'q',
    });
    expect(error).toBeUndefined();
    const lines = readFlags();
    expect(lines).toHaveLength(4 * (scripts.length + 1));
    const before = lines.slice(0, 4);
    scripts.forEach((script, index) => {
      expect(lines.slice(4 * index + 4, 4 * index + 8), script).toEqual(before);
    });
  },
);

test('a non-blocking standard output stays so and gets all output', () => {
  const lines = Array.from({ length: 20_000 }, (_, index) => `main;f${index} 1`).join('\n');
  writeFileSync(join(scratch, 'many.folded'), `${lines}\n`);
  const program = `
    const { spawn } = require('node:child_process');
    const child = spawn(process.execPath, [${JSON.stringify(CLI)}, 'export', '--format', 'folded', '-o', '-', 'many.folded'], { stdio: ['ignore', 1, 2] });
    // Opening the stream makes the pipe non-blocking, after libuv has made it blocking for the child.
    process.stdout.write('');
    child.on('exit', (status) => process.exit(status));`;
  const result = spawnSync(
    'sh',
    ['-c', '"$@" | { sleep 0.5; wc -l; }', 'sh', process.execPath, '-e', program],
    {
      cwd: scratch,
      env: cleanEnvironment(),
      encoding: 'utf8',
    },
  );
  expect(Number(result.stdout)).toBe(20_000);
});
