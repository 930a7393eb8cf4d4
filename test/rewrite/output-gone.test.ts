// Outputs that others remove while they are written end with a sentence, not as if they were there.

import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { rewriteRecording } from '../../src/rewrite/rewrite-recording.ts';
import { archiveRecording } from '../../src/tools/archive/archive-recording.ts';
import { builtRecordings } from '../helpers/recordings.ts';
import { scratchDirectory } from '../helpers/scratch.ts';

const folder = scratchDirectory();
const input = join(folder, 'in.data');
writeFileSync(input, builtRecordings()[0][1]);

/** A folder for outputs. */
function outputs(): string {
  const path = join(folder, 'out');
  mkdirSync(path, { recursive: true });
  return path;
}

test.each([
  ['the file', (path: string) => rmSync(join(path, 'x.data'))],
  ['its folder', (path: string) => rmSync(path, { recursive: true })],
])('a recording that is written again fails where %s is removed meanwhile', (_, remove) => {
  const path = outputs();
  const onShare = (): void => {
    if (readdirSync(folder).includes('out') && readdirSync(path).includes('x.data')) remove(path);
  };
  const rewrite = () => rewriteRecording(input, join(path, 'x.data'), { onShare });
  expect(rewrite).toThrow('x.data is lost: it was removed or replaced while it was written');
});

test('an archive fails where its folder is removed meanwhile', () => {
  const path = outputs();
  const onArchiving = (): void => rmSync(path, { recursive: true, force: true });
  const archive = () => archiveRecording(input, { output: join(path, 'x.symbols'), onArchiving });
  expect(archive).toThrow(/cannot write .*x\.symbols: the directory does not exist/);
});
