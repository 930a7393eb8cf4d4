import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { actAs, actingUid } from '../../../src/system/accounts/file-identity.ts';
import { NOBODY, openDirectory } from '../../helpers/nobody.ts';

const scratch = mkdtempSync(join(tmpdir(), 'perf-ts-identity-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const nobody = { uid: NOBODY, gid: NOBODY };
const testAsRoot = test.skipIf(process.geteuid?.() !== 0);

/** The file-system uid of each thread of this process. */
function threadUids(): number[] {
  return readdirSync('/proc/self/task').map((tid) => {
    const status = readFileSync(`/proc/self/task/${tid}/status`, 'utf8');
    return Number(/^Uid:\t\d+\t\d+\t\d+\t(\d+)$/m.exec(status)?.[1]);
  });
}

testAsRoot('root acting as a user reads and makes what the user may', () => {
  const secret = join(scratch, 'secret');
  writeFileSync(secret, 'of root', { mode: 0o600 });
  const ofRootsGroup = join(scratch, 'of-the-group');
  writeFileSync(ofRootsGroup, 'of the group of root', { mode: 0o640 });
  const open = openDirectory(scratch, 'open');
  actAs(nobody, () => {
    expect(() => readFileSync(secret)).toThrow('EACCES');
    expect(() => readFileSync(ofRootsGroup)).toThrow('EACCES');
    expect(() => writeFileSync(join(scratch, 'new'), '')).toThrow('EACCES');
    writeFileSync(join(open, 'made'), '');
  });
  const { uid, gid } = statSync(join(open, 'made'));
  expect([uid, gid]).toEqual([NOBODY, NOBODY]);
});

testAsRoot('root is itself again afterwards, also after an error', () => {
  const groups = process.getgroups?.();
  expect(() =>
    actAs(nobody, () => {
      expect(actingUid()).toBe(NOBODY);
      throw new Error('in between');
    }),
  ).toThrow('in between');
  expect(actingUid()).toBe(0);
  expect(process.getgroups?.()).toEqual(groups);
  expect(new Set(threadUids())).toEqual(new Set([0]));
  writeFileSync(join(scratch, 'again'), '');
});

testAsRoot('no other thread acts as the user', () => {
  actAs(nobody, () => {
    expect(threadUids().filter((uid) => uid === NOBODY)).toHaveLength(1);
  });
});

testAsRoot('one user within another, and back', () => {
  const daemon = { uid: 1, gid: 1 };
  actAs(nobody, () => {
    actAs(daemon, () => expect(threadUids()).toContain(1));
    expect(threadUids()).not.toContain(1);
    expect(threadUids()).toContain(NOBODY);
  });
  expect(actingUid()).toBe(0);
});
