import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { makeOwnFolder } from '../../../src/system/files/own-folder.ts';
import { ownLifeMark, parseLifeMark } from '../../../src/system/processes/life-mark.ts';
import { newRecordingId, parseRecordingId } from '../../../src/system/runtimes/recording-id.ts';
import { findLeftovers } from '../../../src/tools/leftovers/find-leftovers.ts';
import {
  removeDeadRecordings,
  removeLeftover,
} from '../../../src/tools/leftovers/remove-leftovers.ts';
import { scratchDirectory } from '../../helpers/cli.ts';

const scratch = scratchDirectory();
const uid = process.geteuid?.() ?? -1;
const RANDOM = '0123456789abcdef';
let shared = '';
let count = 0;

beforeEach(() => {
  shared = join(scratch, `shared-${++count}`);
  mkdirSync(shared, { mode: 0o700 });
});

const socketFolders = () => [join(shared, 'run/perf-ts'), join(shared, `perf-ts-${uid}`)];
const places = () => ({ uid, shared, sockets: socketFolders(), temporary: [shared] });

/** `[name, why it stays]` of everything that is found. */
async function found() {
  const all = await findLeftovers(places());
  return all.map(({ path, kept }) => [path.slice(shared.length + 1), kept]);
}

/** The pid and the mark of a process that has ended; its start is that of this one. */
const { pid: deadPid } = spawnSync('true');
const own = parseLifeMark(ownLifeMark() ?? '');
if (own === null) throw new Error('no life mark here');
const { pid, startTicks, namespace, boot } = own;
const RUNS = ownLifeMark() as string;
const DEAD = `${deadPid}-${startTicks}-${namespace}-${boot}`;

/** Notes of a process whose mark this is, and of the recording. */
function writeNotes(ofPid: number, life?: string, recording?: string): string {
  const path = join(shared, `perf-ts-${ofPid}.notes`);
  const note = { kind: 'process', pid: ofPid, node: 'v20', cwd: shared, life, recording };
  writeFileSync(path, `${JSON.stringify(note)}\n`);
  return path;
}

test('notes are left over where the mark in them proves that their process has ended', async () => {
  writeNotes(deadPid, DEAD);
  writeNotes(pid, RUNS);
  expect(await found()).toEqual([[`perf-ts-${deadPid}.notes`, null]]);
});

test('the number of a process that another one has now is not taken for its life', async () => {
  writeNotes(pid, `${pid}-${startTicks + 1}-${namespace}-${boot}`);
  expect(await found()).toEqual([[`perf-ts-${pid}.notes`, null]]);
});

test.each([
  ['another PID namespace', `${deadPid}-${startTicks}-${namespace + 1}-${boot}`, 'in a container'],
  ['another boot', `${deadPid}-${startTicks}-${namespace}-00000000`, 'before this boot'],
  ['no mark', undefined, 'does not say which process'],
  ['the mark of another number', RUNS, 'does not say which process'],
])('notes of %s stay', async (_, mark, why) => {
  writeNotes(deadPid, mark);
  const [left] = await findLeftovers(places());
  expect(left.kept).toContain(why);
  expect(removeLeftover(left)).toBe(left);
  expect(existsSync(left.path)).toBe(true);
});

test('empty notes are left over once nobody will write them any more', async () => {
  const path = join(shared, `perf-ts-${deadPid}.notes`);
  writeFileSync(path, '');
  expect((await findLeftovers(places()))[0].kept).not.toBeNull();
  utimesSync(path, 0, 0);
  expect(await found()).toEqual([[`perf-ts-${deadPid}.notes`, null]]);
});

test('links and folders by the names of ours are not followed, nor found', async () => {
  const victim = join(scratch, `victim-${count}`);
  mkdirSync(victim);
  symlinkSync(join(victim, 'notes'), join(shared, `perf-ts-${deadPid}.notes`));
  symlinkSync(victim, join(shared, `perf-ts-open-${DEAD}-abcdef`));
  symlinkSync(victim, join(shared, `perf-ts-${uid}`));
  symlinkSync(victim, join(shared, `perf-${deadPid}.map`));
  mkdirSync(join(shared, 'perf-ts-1.notes'));
  expect(await found()).toEqual([]);
});

test.runIf(uid === 0)('files of another user are not found, also by root', async () => {
  const path = writeNotes(deadPid, DEAD);
  const folder = join(shared, `perf-ts-open-${DEAD}-abcdef`);
  mkdirSync(folder, { mode: 0o700 });
  for (const theirs of [path, folder]) spawnSync('chown', ['65534', theirs]);
  expect(await found()).toEqual([]);
});

test('files that V8 wrote for a recorder that was killed go before the notes that name them', async () => {
  const map = join(shared, `perf-${deadPid}.map`);
  const log = join(shared, `isolate-0x1f-${deadPid}-v8.log`);
  for (const path of [map, log, join(shared, `isolate-0x1f-${deadPid}1-v8.log`)]) {
    writeFileSync(path, 'x');
  }
  writeNotes(deadPid, DEAD, `${DEAD}.${RANDOM}.m`);
  const names = [map, log, join(shared, `perf-ts-${deadPid}.notes`)];
  expect((await removeDeadRecordings(places())).map(({ path }) => path)).toEqual(names);
  expect(readdirSync(shared)).toEqual([`isolate-0x1f-${deadPid}1-v8.log`]);
});

test("a map of the program's own flags stays, and so do the notes that name what is in it", async () => {
  writeFileSync(join(shared, `perf-${deadPid}.map`), 'x');
  writeNotes(deadPid, DEAD);
  const all = await findLeftovers(places());
  expect(all.map(({ kind, kept }) => [kind, kept !== null])).toEqual([
    ['notes', true],
    ['map', true],
  ]);
});

test('a map of a recorder that set no flags, or of another time, is not ours', async () => {
  const map = join(shared, `perf-${deadPid}.map`);
  writeFileSync(map, 'x');
  writeNotes(deadPid, DEAD, `${DEAD}.${RANDOM}.`);
  expect((await removeDeadRecordings(places())).map(({ kind }) => kind)).toEqual(['notes']);
  writeNotes(deadPid, DEAD, `${DEAD}.${RANDOM}.m`);
  utimesSync(map, 0, 0);
  expect((await removeDeadRecordings(places())).map(({ kind }) => kind)).toEqual(['notes']);
  expect(existsSync(map)).toBe(true);
});

test('nothing is left over while the recorder may still take it', async () => {
  writeFileSync(join(shared, `perf-${deadPid}.map`), 'x');
  writeNotes(deadPid, DEAD, newRecordingId({ maps: true, dumps: false }));
  expect(await found()).toEqual([]);
});

test('notes of a program that was killed go with the next recording, which nobody else wants', async () => {
  const path = writeNotes(deadPid, DEAD);
  writeNotes(pid, RUNS);
  expect((await removeDeadRecordings(places())).map((left) => left.path)).toEqual([path]);
  expect(readdirSync(shared)).toEqual([`perf-ts-${pid}.notes`]);
});

test.each([0, 1])(
  'a socket is left over where nobody listens, whatever its number (folder %i)',
  async (which) => {
    const folder = socketFolders()[which] ?? '';
    mkdirSync(folder, { mode: 0o700, recursive: true });
    const live = createServer().listen(join(folder, '1.sock'));
    await new Promise((done) => live.once('listening', done));
    // A name of its own for the socket stays behind when Node closes it.
    const dead = join(folder, '2.sock');
    spawnSync(process.execPath, [
      '-e',
      `require('net').createServer().listen(${JSON.stringify(dead)}, () => process.kill(process.pid, 'SIGKILL'))`,
    ]);
    expect(lstatSync(dead).isSocket()).toBe(true);
    expect(await found()).toEqual([[dead.slice(shared.length + 1), null]]);
    await new Promise((done) => live.close(done));
    const all = await findLeftovers(places());
    expect(all.map(({ kind }) => kind)).toEqual(['socket', 'folder']);
    expect(all.map(removeLeftover).every(({ kept }) => kept === null)).toBe(true);
    expect(existsSync(folder)).toBe(false);
  },
);

test('temporary folders of ours go with all that is in them, and no link in them is followed', async () => {
  const outside = join(scratch, `outside-${count}`);
  writeFileSync(outside, 'stays');
  const folder = join(shared, `perf-ts-open-${DEAD}-abcdef`);
  mkdirSync(join(folder, '1'), { recursive: true });
  chmodSync(folder, 0o700);
  writeFileSync(join(folder, '1', 'perf.data'), 'x'.repeat(100));
  symlinkSync(outside, join(folder, 'link'));
  symlinkSync(scratch, join(folder, '1', 'folder'));
  const running = `perf-ts-live-${RUNS}-abcdef`;
  mkdirSync(join(shared, running), { mode: 0o700 });
  const [left] = await findLeftovers(places());
  expect(left).toMatchObject({ path: folder, kept: null });
  expect(left.bytes).toBeGreaterThanOrEqual(100);
  expect((await removeDeadRecordings(places())).map(({ path }) => path)).toEqual([folder]);
  expect(readdirSync(shared)).toEqual([running]);
  expect(existsSync(outside)).toBe(true);
});

test('a file that was replaced since it was found stays', async () => {
  const path = writeNotes(deadPid, DEAD);
  const [left] = await findLeftovers(places());
  expect(removeLeftover({ ...left, inode: left.inode + 1 }).kept).toContain('replaced');
  expect(existsSync(path)).toBe(true);
});

test('the folder and the recording of a process are known by its mark', () => {
  const folder = makeOwnFolder('self');
  afterAll(() => spawnSync('rmdir', [folder]));
  expect(folder).toContain(`/perf-ts-self-${RUNS}-`);
  const id = newRecordingId({ maps: false, dumps: true });
  expect(parseRecordingId(id)).toEqual({ recorder: own, maps: false, dumps: true });
  expect(parseRecordingId('4711')).toBeNull();
});
