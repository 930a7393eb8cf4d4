import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { closeOutput, openOutput } from '../../../src/cli/shared/open-output.ts';
import { scratchDirectory } from '../../helpers/cli.ts';

const scratch = scratchDirectory();

it('an output that was removed with its folder while it was written is an error that names it', () => {
  const folder = mkdtempSync(join(scratch, 'cleared-'));
  const path = join(folder, 'out.json');
  const fd = openOutput(path);
  writeSync(fd, '{}');
  rmSync(folder, { recursive: true });
  expect(() => closeOutput(fd, path)).toThrow(`${path} is lost: it was removed`);
});

it('an output that still has its name is closed without an error', () => {
  const path = join(scratch, 'kept.json');
  const fd = openOutput(path);
  writeSync(fd, '{}');
  closeOutput(fd, path);
  expect(readFileSync(path, 'utf8')).toBe('{}');
});

it('a file without a name that its descriptor leads to is not lost', () => {
  const path = join(scratch, 'nameless');
  const held = openSync(path, 'w+');
  rmSync(path);
  const ofDescriptor = `/proc/self/fd/${held}`;
  try {
    closeOutput(openOutput(ofDescriptor), ofDescriptor);
  } finally {
    closeSync(held);
  }
});
