import { spawnSync } from 'node:child_process';
import {
  chownSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { FailedError, UsageError } from '../../base/errors.ts';
import { helperEnvironment } from '../system-programs.ts';

const MARKER = 'perf-ts-archive.json';
const TAR_ENDING = /\.(tar|tar\.gz|tgz|tar\.xz|tar\.zst)$/;

export function isTarName(output: string): boolean {
  return TAR_ENDING.test(output);
}

/** Marks `directory` as the archive of `recording`; returns the marker's name. */
export function writeMarker(directory: string, recording: string): string {
  const marker = { version: 1, recording: basename(recording) };
  writeFileSync(join(directory, MARKER), `${JSON.stringify(marker)}\n`, { mode: 0o600 });
  return MARKER;
}

/** Throws `UsageError` unless nothing, or an archive that may be replaced, is at `output`. */
export function checkReplaceable(output: string, isTar: boolean): void {
  const entry = lstatSync(output, { throwIfNoEntry: false });
  if (entry === undefined) return;
  if (isTar && entry.isFile()) return;
  if (!isTar && entry.isDirectory() && isArchive(output)) return;
  const what = isTar ? 'a tar file' : 'an archive of perf-ts';
  throw new UsageError(`cannot write ${output}: it is there, and is not ${what}`, [
    'name another place with -o',
  ]);
}

function isArchive(directory: string): boolean {
  try {
    const marker: unknown = JSON.parse(readFileSync(join(directory, MARKER), 'utf8'));
    return (marker as { version?: unknown }).version === 1;
  } catch {
    return false;
  }
}

/** Puts a directory that is whole in the place of an earlier one. */
export function replaceDirectory(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true });
  renameSync(from, to);
}

/**
 * The one directory in `holder` as a tar file, by the system's tar, which knows holes and every kind
 * of compression. Throws `FailedError` with tar's words.
 */
export function writeTar(holder: string, output: string): void {
  const entry = readdirSync(holder)[0] as string;
  const named = join(holder, basename(output));
  // The compression is chosen by the name's ending.
  const words = ['--sparse', '--auto-compress', '-cf', named, '-C', holder, entry];
  const run = spawnSync('tar', words, { encoding: 'utf8', env: helperEnvironment() });
  if (run.error || run.status !== 0) {
    const why = run.error?.message ?? run.stderr.trim();
    throw new FailedError(`cannot write ${output}: tar: ${why}`, [
      'without a .tar ending -o makes a directory',
    ]);
  }
  renameSync(named, output);
}

/** Under sudo the archive belongs to whom the recording belongs to. */
export function ownAs(recording: string, output: string, paths: readonly string[]): void {
  if (process.geteuid?.() !== 0) return;
  const { uid, gid } = statSync(recording);
  if (uid === 0) return;
  for (const path of [output, ...paths]) chownSync(path, uid, gid);
}
