// Documents that the built command prints with --json, against the schemas of docs/reference/json.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { perfTs, projectRoot, scratchDirectory } from '../helpers/cli.ts';
import { departures, RECORDED_DOCUMENTS, SCHEMA_NAMES } from '../helpers/json-schema.ts';
import { builtRecordings } from '../helpers/recordings.ts';

const scratch = scratchDirectory();
const [[, bytes]] = builtRecordings();
const built = join(scratch, 'built.data');
writeFileSync(built, bytes);
const stacks = join(scratch, 'stacks.folded');
writeFileSync(stacks, 'main;parse;read 5\nmain;write 3\n');
const newer = join(scratch, 'newer.folded');
writeFileSync(newer, 'main;parse;read 50\nmain;write 3\nmain;seek 1\n');
const dump = join(projectRoot, 'test/counting/cpu/fixtures/lunar-lake.txt');
const output = join(scratch, 'out');

type Case = {
  readonly name: string;
  readonly line: readonly string[];
  /** The descriptor that the document is on; 2: the last line of standard error. */
  readonly fd?: 2;
  /** Records of other kinds have fields of their own. */
  readonly further?: boolean;
};

const CASES: readonly Case[] = [
  { name: 'report', line: ['report', built] },
  { name: 'report', line: ['report', '--sort', 'comm,pid', built] },
  { name: 'report', line: ['report', '--sort', 'dso', stacks] },
  { name: 'diff', line: ['diff', stacks, newer] },
  {
    name: 'diff',
    line: [
      'diff',
      '--old',
      stacks,
      stacks,
      '--new',
      newer,
      newer,
      '--fail-if',
      'share(seek) grows by 10%',
    ],
  },
  { name: 'annotate', line: ['annotate', stacks] },
  { name: 'periods', line: ['periods', '--pairs', '4', built] },
  { name: 'periods', line: ['periods', '--simulate', '1M/s for 100ms, 10k/s for 1s'] },
  { name: 'info', line: ['info', built] },
  { name: 'evlist', line: ['evlist', built] },
  { name: 'buildid-list', line: ['buildid-list', built] },
  { name: 'script', line: ['script', built], further: true },
  { name: 'query', line: ['query', 'top', stacks] },
  { name: 'archive', line: ['archive', '-o', `${output}.symbols`, built] },
  { name: 'export', line: ['export', '--format', 'pprof', '-o', output, built], fd: 2 },
  { name: 'inject', line: ['inject', '-o', `${output}.data`, built], fd: 2 },
  { name: 'list', line: ['list', 'c*'] },
  { name: 'list', line: ['list', 'no-such-event'] },
  { name: 'cpu', line: ['cpu'] },
  { name: 'cpu-dump', line: ['cpu', '--leaves', dump] },
  { name: 'cpu-explain', line: ['cpu', '--vendor', 'intel', '--explain', '0x004300c0'] },
  { name: 'cpu-explain', line: ['cpu', '--vendor', 'amd', '--explain', '0x004300c0'] },
  { name: 'doctor', line: ['doctor'] },
  { name: 'doctor', line: ['doctor', process.execPath] },
  { name: 'doctor-clean', line: ['doctor', '--clean', '--dry-run'] },
  { name: 'version', line: ['version'] },
];

describe('documents of --json', () => {
  it.each(CASES)('$line are as the schema $name says', ({ name, line, fd, further = false }) => {
    const { stdout, stderr } = perfTs([...line, '--json']);
    const lines = stderr.trimEnd().split('\n');
    expect(departures(name, fd === 2 ? `${lines.at(-1)}` : stdout, { further })).toEqual([]);
  });
});

test('each schema is validated by a document, here or where the kernel records', () => {
  const validated = new Set([...CASES.map(({ name }) => name), ...RECORDED_DOCUMENTS]);
  expect([...validated].sort()).toEqual([...SCHEMA_NAMES].sort());
});
