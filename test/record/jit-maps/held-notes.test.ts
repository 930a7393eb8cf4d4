import { spawn } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { inflateSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { notesPath } from '../../../src/read/jit/node-notes.ts';
import { HeldNotes } from '../../../src/record/jit-maps/held-notes.ts';
import { takeNodeFiles } from '../../../src/record/jit-maps/node-files.ts';

const NOTES = '{"kind":"process","pid":1,"node":"v20","cwd":"/"}\n';

/** A process that notes, and runs until the test ends. */
function notingProcess(): number {
  const child = spawn('sleep', ['600'], { stdio: 'ignore' });
  const pid = child.pid as number;
  writeFileSync(notesPath(pid), NOTES);
  onTestFinished(() => {
    child.kill('SIGKILL');
    rmSync(notesPath(pid), { force: true });
  });
  return pid;
}

/** The notes that a recording takes of a process whose code it has. */
function taken(pid: number, heldNotes: HeldNotes): string[] {
  const code = { name: `code-events/${pid}`, packing: 'none', unpackedSize: 0 } as const;
  const stored = [{ ...code, bytes: new Uint8Array() }];
  const options = { recordingId: null, commandUid: null, startedMs: 0, heldNotes };
  return takeNodeFiles(stored, options).attachments.map(({ bytes }) => `${inflateSync(bytes)}`);
}

test('notes of an attached process are taken also where another recorder has removed them', () => {
  const pid = notingProcess();
  const held = new HeldNotes();
  held.hold([pid]);
  writeFileSync(notesPath(pid), '{"kind":"worker"}\n', { flag: 'a' });
  rmSync(notesPath(pid));
  const whole = `${NOTES}{"kind":"worker"}\n`;
  expect(taken(pid, held)).toEqual([whole]);
  // A recording over several files takes them again.
  expect(taken(pid, held)).toEqual([whole]);
  held.close();
  expect(taken(pid, held)).toEqual([]);
});

test('a note that was not there when it was to be held is looked for later', () => {
  const pid = notingProcess();
  rmSync(notesPath(pid));
  const held = new HeldNotes();
  held.hold([pid, 2 ** 22 + 1]);
  expect(held.of(pid)).toBeNull();
  writeFileSync(notesPath(pid), NOTES);
  expect(taken(pid, held)).toEqual([NOTES]);
  expect(existsSync(notesPath(pid))).toBe(true);
});
