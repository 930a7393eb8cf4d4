import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CLI, perfTs, scratchDirectory } from '../helpers/cli.ts';

const folded = join(scratchDirectory(), 'few.folded');
writeFileSync(folded, 'main;work 3\nmain;rest 1\n');

test.skipIf(!existsSync('/dev/full'))(
  'a full disk is reported as "no space left", not as an errno',
  () => {
    const full = openSync('/dev/full', 'w');
    const { status, stderr } = spawnSync(process.execPath, [CLI, 'report', folded], {
      encoding: 'utf8',
      stdio: ['ignore', full, 'pipe'],
    });
    closeSync(full);
    expect(status).toBe(125);
    expect(stderr).toContain('cannot write standard output: no space left on the device\n');
    expect(stderr).not.toContain('    at ');
    const exported = perfTs(['export', '--format', 'speedscope', '-o', '/dev/full', folded]);
    expect(exported).toMatchObject({
      status: 125,
      stderr: expect.stringContaining('cannot write /dev/full: no space left on the device\n'),
    });
  },
);
