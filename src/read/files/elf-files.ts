import { constants } from 'node:fs';
import { join } from 'node:path';
import type { ByteSource } from '../../base/byte-source.ts';
import { type Absence, Diagnostics } from '../../base/diagnostics.ts';
import { isSystemError } from '../../base/system-error.ts';
import { readBuildId } from '../../code/elf/build-id.ts';
import { parseElf } from '../../code/elf/elf-file.ts';
import type { DsoKey } from '../../code/process/types.ts';
import type { SymbolRequest, SymbolSource } from '../../code/symbols/symbol-request.ts';
import type { OpenFile } from '../../system/files/open-regular.ts';
import { livingThread } from '../../system/processes/living-thread.ts';
import {
  altPlaces,
  type DebugPlaces,
  debugPlacesByBuildId,
  debugPlacesByLink,
  elfPlaces,
  splitDwarfPlaces,
  vdsoPlaces,
} from './debug-places.ts';
import { closeUnused, openBelowLogged, openLogged } from './open-logged.ts';
import type { StoredPrograms } from './stored-programs.ts';

export type ElfFilesOptions = {
  readonly diagnostics: Diagnostics;
  readonly places: DebugPlaces;
  /** Directories that hold the recorded machine's files by their paths, best first. */
  readonly roots: readonly string[];
  /** The user named one of them: this machine's own files are not the recorded ones. */
  readonly hasSymfs: boolean;
  /** Limits files without a build ID to the mapped file by its inode, or one that everybody may read. */
  readonly mustBeRecorded: boolean;
  /** Processes met so far; those still alive show their files under /proc/PID/root. */
  readonly pids: () => readonly number[];
  /** Programs that the recording itself keeps. */
  readonly stored?: StoredPrograms;
  /** When the recording was over, milliseconds since 1970; null: not known. */
  readonly recordedUntilMs: number | null;
};

/** More processes than this are not asked for a file that is not in our own root. */
const MAX_ROOTS = 16;
const DELETED = ' (deleted)';
const OTHER_BUILD = 'the build ID differs';
const PROCESS_ROOT = /^(\/proc\/\d+\/root)(\/.*)$/s;

/** Finds mapped files, their debug files, and the parts of these that lie elsewhere. */
export class ElfFiles {
  readonly #options: ElfFilesOptions;
  /** Paths by build ID at which its debug file was looked for, as links to others are relative to them. */
  readonly #debugPlaces = new Map<string, readonly string[]>();
  /** How many candidates come before a debug file that the recording keeps. */
  readonly #storedAttempt = new Map<SymbolSource, number>();

  constructor(options: ElfFilesOptions) {
    this.#options = options;
  }

  /**
   * The file mapped as `dso`. With a build ID only a file that has it; without one the file at the
   * path, with a note if its inode is another, or if it changed since.
   */
  openElf(dso: DsoKey, buildId: string | null): SymbolSource | null {
    if (dso.kind !== 'user-file' || !dso.path.startsWith('/')) return null;
    const path = dso.path.endsWith(DELETED) ? dso.path.slice(0, -DELETED.length) : dso.path;
    const candidates = this.#candidates(path);
    if (buildId !== null) return this.#openByBuildId(candidates, path, buildId, dso);
    // A program that was built again has often the inode of the old one.
    const stored = this.#options.hasSymfs ? null : this.#openStored(dso);
    return stored ?? this.#openByInode(candidates, path, dso.fileId);
  }

  /** The `attempt`th existing candidate: by build ID, then the places where debuglinks point. */
  openDebugFile(request: SymbolRequest & { need: 'debug-elf' }): SymbolSource | null {
    const { dso, buildId, debuglink, attempt } = request;
    const { places } = this.#options;
    const isFile = dso.kind === 'user-file' && dso.path.startsWith('/');
    const byId = buildId === null ? [] : debugPlacesByBuildId(buildId, places);
    const byLink =
      debuglink !== null && isFile ? debugPlacesByLink(dso.path, debuglink.name, places) : [];
    if (buildId !== null) this.#debugPlaces.set(buildId, [...byId, ...byLink]);
    const candidates = [...this.#underRoots(byId), ...byId, ...this.#underRoots(byLink)];
    const path = isFile ? dso.path : null;
    const found = openNth(candidates, attempt, path, (file, error) =>
      this.#countMissing(path ?? `${buildId}`, { cause: 'debug-file-unreadable', file, error }),
    );
    return found ?? this.#openStoredDebug(dso, attempt);
  }

  /** It comes behind all other candidates, once in each search. */
  #openStoredDebug(dso: DsoKey, attempt: number): SymbolSource | null {
    const stored = this.#options.stored?.('debug', dso) ?? null;
    if (stored === null) return null;
    const first = this.#storedAttempt.get(stored) ?? attempt;
    this.#storedAttempt.set(stored, first);
    return first === attempt ? stored : null;
  }

  openAltFile(request: SymbolRequest & { need: 'debug-alt' }): SymbolSource | null {
    const { path, buildId, linkedFrom, dso, attempt } = request;
    const from = linkedFrom === null ? [] : (this.#debugPlaces.get(linkedFrom) ?? []);
    const own = dso.kind === 'user-file' ? [dso.path] : [];
    const found = altPlaces(path, buildId, [...from, ...own], this.#options.places);
    return openNth([...this.#underRoots(found), ...found], attempt, null);
  }

  openSplitDwarf(request: SymbolRequest & { need: 'split-dwarf' }): SymbolSource | null {
    const { dso, compDir, name, attempt } = request;
    if (dso.kind !== 'user-file') return null;
    return openNth(this.#underRoots(splitDwarfPlaces(dso.path, compDir, name)), attempt, null);
  }

  /** `app.dwp` beside `app`. */
  openDwarfPackage(dso: DsoKey): SymbolSource | null {
    if (dso.kind !== 'user-file' || !dso.path.startsWith('/')) return null;
    return openNth(this.#underRoots([`${dso.path}.dwp`]), 0, null);
  }

  /** A vDSO of this build, of whichever machine. */
  openVdso(buildId: string): SymbolSource | null {
    const places = vdsoPlaces(buildId, this.#options.places);
    for (const candidate of new Set([...this.#underRoots(places), ...places])) {
      const file = openLogged(candidate);
      if (typeof file === 'string') continue;
      if (buildIdOf(file.source) === buildId) return file.source;
      closeUnused(file, candidate, OTHER_BUILD);
    }
    return null;
  }

  /** Paths at which a file of this path may be. */
  #candidates(path: string): string[] {
    const { hasSymfs, pids } = this.#options;
    if (hasSymfs) return this.#underRoots([path]);
    const roots = pids()
      .slice(0, MAX_ROOTS)
      .map((pid) => `/proc/${livingThread(pid)}/root`);
    return [...this.#underRoots([path]), ...roots.map((root) => root + path)];
  }

  /** Each path below the roots, best root first; and as it is, unless that is another machine's. */
  #underRoots(paths: readonly string[]): string[] {
    const { roots, hasSymfs } = this.#options;
    const below = roots.flatMap((root) => paths.map((path) => join(root, path)));
    return hasSymfs ? below : [...below, ...paths];
  }

  #openStored(dso: DsoKey): SymbolSource | null {
    return this.#options.stored?.('program', dso) ?? null;
  }

  #openByBuildId(
    candidates: string[],
    path: string,
    buildId: string,
    dso: DsoKey,
  ): SymbolSource | null {
    const { places } = this.#options;
    const ofOtherBuild: string[] = [];
    let reason = '';
    const byId = elfPlaces(buildId, places);
    // By build ID this machine's caches are as good as the recorded one's.
    for (const candidate of new Set([...candidates, ...this.#underRoots(byId), ...byId])) {
      const file = openCandidate(candidate);
      if (typeof file === 'string') {
        if (reason === '') reason = file;
        continue;
      }
      let refused = OTHER_BUILD;
      try {
        if (buildIdOf(file.source) === buildId) return file.source;
        ofOtherBuild.push(candidate);
      } catch (error) {
        if (!isSystemError(error)) throw error;
        refused = error.code;
        if (reason === '') reason = error.code;
      }
      closeUnused(file, candidate, refused);
    }
    const stored = this.#openStored(dso);
    if (stored !== null && buildIdOf(stored) === buildId) return stored;
    const [file] = ofOtherBuild;
    if (file === undefined) this.#countMissing(path, { cause: 'unreadable', error: reason });
    else this.#countMissing(path, { cause: 'other-build', file }, `build ID ${buildId}`);
    return null;
  }

  #openByInode(candidates: string[], path: string, fileId: string): SymbolSource | null {
    const { roots, hasSymfs, mustBeRecorded, diagnostics } = this.#options;
    // A copy has another inode.
    const inode = hasSymfs ? null : (/^\d+:\d+:(\d+)$/.exec(fileId)?.[1] ?? null);
    let other: OpenFile | null = null;
    let reason = '';
    for (const candidate of candidates) {
      const file = openCandidate(candidate);
      if (typeof file === 'string') {
        if (reason === '') reason = file;
        continue;
      }
      const isCopy = roots.some((root) => candidate.startsWith(root));
      const isLikely = inode === null && (!mustBeRecorded || hasSymfs);
      if (isLikely || isCopy || String(file.inode) === inode) {
        other?.source.close?.();
        this.#noteChange(file, path, isCopy);
        return file.source;
      }
      if (other === null) other = file;
      else closeUnused(file, candidate, 'the inode differs');
    }
    if (other === null) {
      this.#countMissing(path, { cause: 'unreadable', error: reason });
      return null;
    }
    if (mustBeRecorded && (other.mode & constants.S_IROTH) === 0) {
      closeUnused(other, path, 'the inode differs, and it is not readable for everybody');
      this.#countMissing(path, { cause: 'unproven' });
      return null;
    }
    // Some file systems report other inodes in mappings than in stat, so this is no proof.
    diagnostics.count('file-inode-differs', path);
    this.#noteChange(other, path, false);
    return other.source;
  }

  #countMissing(dso: string, why: Absence, detail = ''): void {
    this.#options.diagnostics.count({ code: 'names-missing', subject: dso, why }, detail);
  }

  /** A program that was built again has often the inode that the old one gave up. */
  #noteChange({ modifiedMs }: OpenFile, path: string, isCopy: boolean): void {
    const { hasSymfs, recordedUntilMs, diagnostics } = this.#options;
    if (isCopy || hasSymfs || recordedUntilMs === null) return;
    if (modifiedMs > recordedUntilMs) diagnostics.count('names-doubtful', path);
  }
}

/** Opens a file in the root of a process, which may be a container's, as the process would find it. */
function openCandidate(path: string): OpenFile | string {
  const [, root, below] = PROCESS_ROOT.exec(path) ?? [];
  return root !== undefined && below !== undefined
    ? openBelowLogged(root, below)
    : openLogged(path);
}

/** Null if it is no ELF file, or has none. */
export function buildIdOf(source: ByteSource): string | null {
  const uncounted = new Diagnostics();
  const elf = parseElf(source, uncounted);
  return elf === null ? null : readBuildId(elf, uncounted);
}

/** Nothing is there. */
const ABSENT = new Set(['ENOENT', 'ENOTDIR']);

/**
 * The `attempt`th of `candidates` that can be opened, `except` aside. `onRefused` is told each that is
 * there and can't be.
 */
function openNth(
  candidates: readonly string[],
  attempt: number,
  except: string | null,
  onRefused?: (candidate: string, code: string) => void,
): SymbolSource | null {
  let skip = attempt;
  for (const candidate of new Set(candidates)) {
    if (candidate === except) continue;
    const file = openLogged(candidate);
    if (typeof file === 'string') {
      if (!ABSENT.has(file)) onRefused?.(candidate, file);
      continue;
    }
    if (skip-- === 0) return file.source;
    file.source.close?.();
  }
  return null;
}
