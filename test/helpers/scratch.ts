// Folders of a test file, wherever in it they are asked for.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const undone: (() => void | Promise<void>)[] = [];

/** `set-up-file.ts` calls this after each test file: several of them may share this module. */
export async function undoAll(): Promise<void> {
  for (const undo of undone.splice(0).reverse()) await undo();
}

/** Calls this when the tests of the file are done, the last one first. */
export function whenDone(undo: () => void | Promise<void>): void {
  undone.push(undo);
}

/** A directory of this test file, gone when its tests are done. */
export function scratchDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'perf-ts-test-'));
  whenDone(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
