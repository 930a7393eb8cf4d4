import { copyFileSync, linkSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { perfTs, scratchDirectory } from '../helpers/cli.ts';
import { builtRecordings } from '../helpers/recordings.ts';

const scratch = scratchDirectory();
const [, bytes] = builtRecordings().find(([name]) => name === 'little-endian file')!;
const input = join(scratch, 'in.data');
writeFileSync(input, bytes);

describe('what would have no effect is refused, with the reason', () => {
  test.each([
    [['view', '-p', '1', input], '-p goes with --live'],
    [['view', '-e', 'cycles', input], '-e goes with --live'],
    [['view', '--live', '-a', input], 'it shows what is recorded now'],
    [['view', '--live', '-a', '--strict'], '--strict'],
    [['view', '--live', '-a', '--debuginfod', 'http://localhost/'], 'no debuginfod server'],
    [['record', '--port', '8000', '--', 'true'], '--port goes with --view'],
    [['report', '--tree', '--sort', 'dso', input], '--sort dso and --tree exclude each other'],
    [['report', '-i', input, 'another.data'], 'reads one recording'],
    [
      ['inject', '-o', join(scratch, 'o'), '--anonymize', '--salt', '', input],
      '--salt: it is empty',
    ],
  ])('%j', (args, reason) => {
    const { status, stdout, stderr } = perfTs(args);
    expect(stderr).toContain(reason);
    expect(status).toBe(2);
    expect(stdout).toBe('');
  });

  test.each(['--symfs', '--debug-dir', '--archive'])(
    '%s of a missing directory is refused',
    (option) => {
      const { status, stderr } = perfTs(['report', option, join(scratch, 'none'), input]);
      expect(stderr).toContain(`${option} ${join(scratch, 'none')}: there is no such file`);
      expect(status).toBe(125);
      const live = perfTs(['view', '--live', '-a', option, join(scratch, 'none')]);
      expect(live.status).toBe(125);
    },
  );
});

test('an export never overwrites its recording, under any name of the file', () => {
  const recording = join(scratch, 'only.data');
  copyFileSync(input, recording);
  linkSync(recording, join(scratch, 'linked.data'));
  for (const output of [recording, `${scratch}/./only.data`, join(scratch, 'linked.data')]) {
    const { status, stderr } = perfTs(['export', '--format', 'folded', '-o', output, recording]);
    expect(status).toBe(2);
    expect(stderr).toContain('this is the recording that is read');
  }
  expect(readFileSync(recording)).toEqual(Buffer.from(bytes));
});

test('a mistyped option or command is answered with the nearest one and a pointer to the help', () => {
  expect(perfTs(['report', '--tre', input]).stderr).toBe(
    "perf-ts: unknown option '--tre'\n  did you mean --tree?\n  perf-ts report --help shows the options\n",
  );
  expect(perfTs(['recrod', 'true']).stderr).toBe(
    "perf-ts: unknown command 'recrod'\n  did you mean record?\n  perf-ts --help shows the commands\n",
  );
});
