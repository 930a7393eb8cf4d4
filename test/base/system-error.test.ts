import { closeSync, openSync, readdirSync, readSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  describeSystemError,
  isSystemError,
  systemErrorReason,
} from '../../src/base/system-error.ts';

const ABSENT = join(import.meta.dirname, 'absent');

/** What Node throws. */
function errorOf(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

function describeErrorOf(act: () => unknown): string {
  const error = errorOf(act);
  if (!isSystemError(error)) throw error;
  return describeSystemError(error);
}

describe('an error of the system', () => {
  it('a system error is described by operation, file and reason', () => {
    expect(describeErrorOf(() => openSync(ABSENT, 'r'))).toBe(
      `cannot open ${ABSENT}: it does not exist (ENOENT)`,
    );
    expect(describeErrorOf(() => readdirSync(import.meta.filename))).toBe(
      `cannot list ${import.meta.filename}: a part of the path is not a directory (ENOTDIR)`,
    );
    expect(describeErrorOf(() => renameSync(ABSENT, `${ABSENT}.old`))).toBe(
      `cannot rename ${ABSENT} to ${ABSENT}.old: it does not exist (ENOENT)`,
    );
  });

  it('a system error of a descriptor names no file', () => {
    const fd = openSync(import.meta.dirname, 'r');
    expect(describeErrorOf(() => readSync(fd, Buffer.alloc(1)))).toBe(
      'cannot read an open file: it is a directory (EISDIR)',
    );
    closeSync(fd);
  });

  it('a system error without a known code keeps its message', () => {
    const unknown = Object.assign(new Error('EXDEV: cross-device link'), { code: 'EXDEV' });
    expect(systemErrorReason(unknown)).toBe('EXDEV: cross-device link');
    expect(systemErrorReason('a string')).toBe('a string');
  });

  it('isSystemError distinguishes system errors from our own', () => {
    expect(isSystemError(new RangeError('out of range'))).toBe(false);
    expect(isSystemError(errorOf(() => openSync(ABSENT, 'r')))).toBe(true);
  });
});
