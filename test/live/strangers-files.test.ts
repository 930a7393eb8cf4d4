// Files that anybody may put into /tmp, where the recorder looks for maps and notes of JIT code.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { Diagnostics } from '../../src/base/diagnostics.ts';
import { readAppendix } from '../../src/formats/perf-data/appendix.ts';
import { StoredFiles } from '../../src/read/files/stored-files.ts';
import { withRecording } from '../../src/read/open-recording.ts';
import { infoOf, perfTs, scratchDirectory } from '../helpers/cli.ts';
import { describeLive } from '../helpers/live.ts';

const scratch = scratchDirectory();
/** More lines than V8's longest array has places. */
const MANY_LINES = 140_000_000;
const MEBIBYTE = 1 << 20;

const paths: string[] = [];
afterEach(() => {
  for (const path of paths.splice(0)) rmSync(path, { force: true });
});

function writeNewlines(path: string, count: number): void {
  paths.push(path);
  const block = Buffer.alloc(MEBIBYTE, '\n');
  const fd = openSync(path, 'wx');
  for (let left = count; left > 0; left -= block.length) {
    writeSync(fd, block, 0, Math.min(left, block.length));
  }
  closeSync(fd);
}

describeLive('a recording', () => {
  test('notes of a process that is not recorded are not read', async () => {
    const stranger = spawn('sleep', ['1000']);
    try {
      writeNewlines(`/tmp/perf-ts-${stranger.pid}.notes`, MANY_LINES);
      const file = join(scratch, 'not-ours.data');
      const command = [process.execPath, '-e', '0'];
      const outcome = perfTs(['record', '-q', '-e', 'cpu-clock', '-o', file, '--', ...command], {
        cwd: scratch,
      });
      expect(outcome).toMatchObject({ status: 0, stderr: '' });
      expect(infoOf(file).truncatedAt).toBeNull();
      const stored = withRecording(file, (data) => readAppendix(data).map(({ name }) => name));
      expect(stored.some((name) => name.startsWith('node-notes/'))).toBe(true);
      expect(stored).not.toContain(`node-notes/${stranger.pid}`);
    } finally {
      stranger.kill();
      await once(stranger, 'exit');
    }
  });

  test('notes of a recorded process are kept up to a limit, which is reported', () => {
    const file = join(scratch, 'ours.data');
    const script = [
      'echo $$',
      'echo "1000 10 hello" > /tmp/perf-$$.map',
      `yes "" | head -c ${MANY_LINES} > /tmp/perf-ts-$$.notes`,
      'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done',
    ].join('; ');
    const run = ['record', '-e', 'cpu-clock', '-F', '2000', '-o', file, '--', 'sh', '-c', script];
    const recorded = perfTs(run, { cwd: scratch });
    const pid = recorded.stdout.trim();
    paths.push(`/tmp/perf-ts-${pid}.notes`, `/tmp/perf-${pid}.map`);
    expect(recorded.stderr).toContain(
      `/tmp/perf-ts-${pid}.notes has ${MANY_LINES} bytes: only the first ${64 * MEBIBYTE}`,
    );
    expect(recorded.status).toBe(0);
    const notes = withRecording(file, (data) =>
      new StoredFiles(data, new Diagnostics()).read(`node-notes/${pid}`, 65 * MEBIBYTE),
    );
    expect(notes?.length).toBe(64 * MEBIBYTE);
    const report = perfTs(['report', file]);
    expect(report.status).toBe(0);
    expect(report.stdout).toContain('sh');
  });
});
