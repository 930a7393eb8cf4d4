import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LIFE_MARK, type LifeMark, ownLifeMark, parseLifeMark } from '../processes/life-mark.ts';

/** The use of a folder: `view --live`, recordings sent to `view`, `doctor --selftest`, `profileSelf`. */
export type OwnFolderUse = 'live' | 'open' | 'selftest' | 'self';

const NAME = new RegExp(`^perf-ts-(?:live|open|selftest|self)-(${LIFE_MARK})-[A-Za-z0-9]{6}$`);

/**
 * Makes a folder in the system's place for temporary files that this user alone may enter, until this
 * process removes it. The name states whose it is: what is left of a process that was killed is found by it.
 */
export function makeOwnFolder(use: OwnFolderUse): string {
  return mkdtempSync(join(tmpdir(), ['perf-ts', use, ownLifeMark(), ''].filter(isGiven).join('-')));
}

/** The mark in the name of such a folder; null where it is none. */
export function ownerOfFolder(name: string): LifeMark | null {
  const mark = NAME.exec(name)?.[1];
  return mark === undefined ? null : parseLifeMark(mark);
}

function isGiven(part: string | null): part is string {
  return part !== null;
}
