import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { newAttr } from '../../src/kernel/perf-event/attr.ts';
import { PERF_SAMPLE } from '../../src/kernel/perf-event/constants.ts';
import { ThreadedFile } from '../../src/view/threaded-file.ts';
import { CLI, cleanEnvironment, perfTs, scratchDirectory } from '../helpers/cli.ts';
import { perfDataFile, plainSample } from '../helpers/record-builder.ts';

const itInTerminal = it.skipIf(!existsSync('/usr/bin/script'));

const folder = scratchDirectory();
const recording = join(folder, 'some.data');
writeFileSync(recording, someSamples(20_000));

function someSamples(count: number): Uint8Array {
  const records = Array.from({ length: count }, (_, time) =>
    plainSample({ ip: 0x401000, pid: 1, tid: 1, time: 1000 + time }),
  );
  const sampleType = PERF_SAMPLE.IP | PERF_SAMPLE.TID | PERF_SAMPLE.TIME;
  return perfDataFile({
    attrs: [{ attr: newAttr({ sampleType, samplePeriod: 1 }), ids: [] }],
    records,
  });
}

const PROGRESS = /perf-ts: (reading|finding|adding|writing)|preliminary/;
/** Every wait is long enough to be told of. */
const AT_ONCE = { PERF_TS_PROGRESS_MS: '0' };

/** All that `words` of a shell write to a terminal; `perf-ts` stands for ours. */
function inTerminal(words: string, variables: NodeJS.ProcessEnv = {}): string {
  const { CI: _ci, ...env } = cleanEnvironment();
  const command = words.replace(
    /perf-ts (?=report|export|script|info|evlist|buildid-list|inject|archive)/,
    `"${process.execPath}" "${CLI}" `,
  );
  const { stdout, stderr, status } = spawnSync('script', ['-qec', command, '/dev/null'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...env, TERM: 'xterm', ...AT_ONCE, ...variables },
  });
  expect(status, stdout + stderr).toBe(0);
  return stdout;
}

/**
 * The lines that stay on the terminal: `\r` goes back to the start of one, and ESC [K clears it; ESC [nA goes up n lines, and
 * ESC [J clears all from there on.
 */
function screen(written: string): string[] {
  const lines = [''];
  for (const part of written.replaceAll('\u001b[', '␛').split(/(\n|␛\d+A␛J)/)) {
    const up = Number(/^␛(\d+)A/.exec(part)?.[1]);
    if (part === '\n') lines.push('');
    else if (up > 0) lines.splice(-1 - up, up + 1, '');
    else lines.push(lines.pop() + part);
  }
  return lines.map((line) => {
    const drawn = line.split('\r').filter((text) => text !== '');
    return (drawn.at(-1) ?? '').replaceAll('␛K', '').trimEnd();
  });
}

itInTerminal('report shows on a terminal what it reads and how far it is, and clears that', () => {
  const written = inTerminal(`perf-ts report "${recording}"`);
  expect(written).toMatch(/\rperf-ts: reading some\.data: \d+ %/);
  expect(written).toContain('\rperf-ts: adding up the samples ... (Ctrl-C stops; no file changes)');
  const left = screen(written).join('\n');
  expect(left).toContain('20 000 samples');
  expect(left).not.toMatch(PROGRESS);
  // The table begins a line of its own, not behind what was cleared.
  expect(left).toMatch(/^# .*samples/m);
});

itInTerminal(
  'report shows on a terminal the functions of what it has read, and puts the report in their place',
  () => {
    const written = inTerminal(`perf-ts report "${recording}"`);
    expect(written).toMatch(/# preliminary: .*, of the first [\d.]+% of the records/);
    const left = screen(written);
    expect(left.filter((line) => /preliminary/.test(line))).toEqual([]);
    const usual = inTerminal(`perf-ts report "${recording}"`, { PERF_TS_PROGRESS_MS: '3600000' });
    expect(left).toEqual(screen(usual));
  },
);

itInTerminal.each([
  ['as JSON', 'report --json'],
  ['a tree', 'report --tree'],
  ['by thread', 'report --sort thread'],
  ['of a part of the samples', 'report --pid 1'],
  ['into a file', 'report', ' > "$OUT"'],
])(
  'no functions of what was read are shown where the report is another one: %s',
  (_case, asked, into = '') => {
    const written = inTerminal(`perf-ts ${asked} "${recording}"${into}`, {
      OUT: join(folder, 'out'),
    });
    expect(written).toMatch(/\rperf-ts: reading some\.data/);
    expect(written).not.toContain('preliminary');
  },
);

itInTerminal('export shows what it writes, and what Ctrl-C would leave', () => {
  const output = join(folder, 'out.json');
  const written = inTerminal(`perf-ts export --format firefox -o "${output}" "${recording}"`);
  expect(written).toMatch(/\rperf-ts: writing out\.json: [\d.]+ k?B \(Ctrl-C leaves out\.json inc/);
  const left = screen(written).join('\n');
  expect(left).not.toMatch(PROGRESS);
  expect(left).toMatch(/^perf-ts: [\d.]+ k?B in .*out\.json: https:\/\/profiler\.firefox\.com op/m);
  expect(readFileSync(output, 'utf8')).toMatch(/^\{.*\}\s*$/s);
});

itInTerminal('script shows how far it is while a file takes its text', () => {
  const output = join(folder, 'out.txt');
  const written = inTerminal(`perf-ts script -i "${recording}" > "${output}"`);
  expect(written).toMatch(/\rperf-ts: reading some\.data: \d+ %/);
  expect(screen(written).join('\n')).not.toMatch(PROGRESS);
  expect(readFileSync(output, 'utf8')).not.toContain('\r');
});

itInTerminal.each([
  ['info', '', 'reading some.data'],
  ['report --stats', '', 'reading some.data'],
  ['evlist', '', 'reading some.data'],
  ['buildid-list', '', 'reading some.data'],
  ['inject', '-o rewritten.data', 'rewriting some.data'],
  ['archive', '-o some.symbols', 'reading some.data'],
])('%s shows how far it is', (command, output, what) => {
  const written = inTerminal(`cd "${folder}" && perf-ts ${command} ${output} "${recording}"`);
  expect(written).toMatch(new RegExp(`\\rperf-ts: ${what}: \\d+ %`));
  expect(screen(written).join('\n')).not.toMatch(/perf-ts: (?:reading|rewriting|storing)/);
});

itInTerminal('the text of another tool is read with its share, too', () => {
  const folded = join(folder, 'some.folded');
  writeFileSync(folded, 'main;work 3\n'.repeat(1000));
  expect(inTerminal(`perf-ts report "${folded}"`)).toMatch(/reading some\.folded: \d+ %/);
});

itInTerminal.each([
  ['-q', `perf-ts report -q "${recording}"`, {}],
  ['in CI', `perf-ts report "${recording}"`, { CI: 'true' }],
  ['on a terminal that can only print', `perf-ts report "${recording}"`, { TERM: 'dumb' }],
  ['where another program reads the output', `perf-ts report "${recording}" | cat`, {}],
  ['where another program writes the recording', `cat "${recording}" | perf-ts report -`, {}],
  ['in a job that does not have the terminal', `setsid -w perf-ts report "${recording}"`, {}],
  ['in the first second', `perf-ts report "${recording}"`, { PERF_TS_PROGRESS_MS: '3600000' }],
])('no progress is shown with or in: %s', (_case, words, variables) => {
  const written = inTerminal(words, variables);
  expect(written).not.toMatch(PROGRESS);
  expect(written).not.toContain('\u001b[K');
});

it('the thread that reads for the page posts how far it is', async () => {
  const entry = pathToFileURL(join(dirname(CLI), 'view-thread.js'));
  const stages = new Set<string>();
  const onProgress = (stage: string) => stages.add(stage);
  const file = new ThreadedFile(recording, entry, { path: recording, flags: {} }, { onProgress });
  await file.pageData();
  await file.close();
  expect([...stages]).toEqual(expect.arrayContaining(['records', 'tables']));
});

it('no progress is shown where standard error is no terminal', () => {
  const env = { ...cleanEnvironment(), TERM: 'xterm', ...AT_ONCE };
  const { stderr, stdout } = perfTs(['report', recording], { env });
  expect(stdout).toContain('20 000 samples');
  expect(stdout + stderr).not.toMatch(PROGRESS);
  expect(stdout + stderr).not.toContain('\r');
});
