import { constants } from 'node:fs';
import { join } from 'node:path';
import type { ByteSource } from '../../base/byte-source.ts';
import { type Absence, Diagnostics } from '../../base/diagnostics.ts';
import { isSystemError } from '../../base/system-error.ts';
import { readBuildId } from '../../code/elf/build-id.ts';
import { parseElf } from '../../code/elf/elf-file.ts';
import type { DsoKey } from '../../code/process/types.ts';
import type { SymbolRequest, SymbolSource } from '../../code/symbols/symbol-request.ts';
import {
  type FileMapping,
  isFileOfMapping,
  type MappedPlace,
  placesOfMapping,
} from '../../system/files/mapped-file.ts';
import type { OpenFile } from '../../system/files/open-regular.ts';
import {
  altPlaces,
  type DebugPlaces,
  debugPlacesByBuildId,
  debugPlacesByLink,
  elfPlaces,
  splitDwarfPlaces,
  vdsoPlaces,
} from './debug-places.ts';
import { closeUnused, logged, openLogged } from './open-logged.ts';
import type { StoredPrograms } from './stored-programs.ts';

export type ElfFilesOptions = {
  readonly diagnostics: Diagnostics;
  readonly places: DebugPlaces;
  /** Directories that hold the recorded machine's files by their paths, best first. */
  readonly roots: readonly string[];
  /** The user named one of them: this machine's own files are not the recorded ones. */
  readonly hasSymfs: boolean;
  /**
   * Limits files without a build ID to the mapped one by its device and inode; where the file system does not let that
   * be known, to one that everybody may read.
   */
  readonly mustBeRecorded: boolean;
  /** Finds where processes of the recording have mapped a file, the best to ask first; those that live lead to it. */
  readonly mappingsOf: (dso: DsoKey) => Iterable<FileMapping>;
  /** Programs that the recording itself keeps. */
  readonly stored?: StoredPrograms;
  /** When the recording was over, milliseconds since 1970; null: not known. */
  readonly recordedUntilMs: number | null;
};

/** A place of a mapped file; `isMapped`: as a process that has mapped it reaches it. */
type Candidate = MappedPlace & { readonly isMapped: boolean };

/** More processes than this are not asked for a file that is not in our own root: most of them have ended. */
const MAX_PROCESSES = 64;
const DELETED = ' (deleted)';
const OTHER_BUILD = 'the build ID differs';

/** Finds mapped files, their debug files, and the parts of these that lie elsewhere. */
export class ElfFiles {
  readonly #options: ElfFilesOptions;
  /** Paths by build ID, and by path, at which its debug file was looked for: links to others are relative to them. */
  readonly #debugPlaces = new Map<string, readonly string[]>();
  /** How many candidates come before a debug file that the recording keeps. */
  readonly #storedAttempt = new Map<SymbolSource, number>();

  constructor(options: ElfFilesOptions) {
    this.#options = options;
  }

  /**
   * The file mapped as `dso`, at its path or as the processes that have mapped it reach it. With a build ID only a file
   * that has it; without one the file of the recorded device and inode, else a likely one with a note. A path is looked
   * up below the root of no other process: it has another file there.
   */
  openElf(dso: DsoKey, buildId: string | null): SymbolSource | null {
    if (dso.kind !== 'user-file' || !dso.path.startsWith('/')) return null;
    const path = dso.path.endsWith(DELETED) ? dso.path.slice(0, -DELETED.length) : dso.path;
    if (buildId !== null) return this.#openByBuildId(path, buildId, dso);
    // A program that was built again has often the inode of the old one.
    const stored = this.#options.hasSymfs ? null : this.#openStored(dso);
    return stored ?? this.#openByInode(path, dso);
  }

  /** The `attempt`th existing candidate: by build ID, then the places where debuglinks point. */
  openDebugFile(request: SymbolRequest & { need: 'debug-elf' }): SymbolSource | null {
    const { dso, buildId, debuglink, attempt } = request;
    const { places } = this.#options;
    const isFile = dso.kind === 'user-file' && dso.path.startsWith('/');
    const byId = buildId === null ? [] : debugPlacesByBuildId(buildId, places);
    const byLink =
      debuglink !== null && isFile ? debugPlacesByLink(dso.path, debuglink.name, places) : [];
    const keys = [...(buildId === null ? [] : [buildId]), ...(isFile ? [dso.path] : [])];
    for (const key of keys) this.#debugPlaces.set(key, [...byId, ...byLink]);
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

  /** `app.dwp` beside `app`, or `app.debug.dwp` beside its debug file, as GDB and LLDB have it. */
  openDwarfPackage(dso: DsoKey): SymbolSource | null {
    if (dso.kind !== 'user-file' || !dso.path.startsWith('/')) return null;
    const owners = [dso.path, ...(this.#debugPlaces.get(dso.path) ?? [])];
    return openNth(this.#underRoots(owners.map((path) => `${path}.dwp`)), 0, null);
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

  /** The places of a mapped file, best first. */
  *#candidates(path: string, dso: DsoKey): Iterable<Candidate> {
    const { hasSymfs, mappingsOf } = this.#options;
    for (const below of this.#underRoots([path])) {
      yield { path: below, open: () => openLogged(below), isMapped: false };
    }
    if (hasSymfs) return;
    let left = MAX_PROCESSES;
    for (const mapping of mappingsOf(dso)) {
      if (left-- === 0) return;
      for (const place of placesOfMapping(path, mapping)) {
        yield { path: place.path, open: () => logged(place.path, place.open()), isMapped: true };
      }
    }
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

  #openByBuildId(path: string, buildId: string, dso: DsoKey): SymbolSource | null {
    const { places } = this.#options;
    const ofOtherBuild: string[] = [];
    let reason = '';
    const byId = elfPlaces(buildId, places);
    // By build ID this machine's caches are as good as the recorded one's.
    const caches = [...new Set([...this.#underRoots(byId), ...byId])];
    const all = [
      ...this.#candidates(path, dso),
      ...caches.map((cache) => ({ path: cache, open: () => openLogged(cache) })),
    ];
    for (const { path: candidate, open } of all) {
      const file = open();
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

  #openByInode(path: string, dso: DsoKey & { kind: 'user-file' }): SymbolSource | null {
    const { roots, hasSymfs, mustBeRecorded, diagnostics } = this.#options;
    const isUnknown = dso.fileId === '' && (!mustBeRecorded || hasSymfs);
    let other: OpenFile | null = null;
    let isOtherFile = false;
    let isReached = false;
    let reason = '';
    for (const { path: candidate, open, isMapped } of this.#candidates(path, dso)) {
      const file = open();
      if (typeof file === 'string') {
        if (reason === '') reason = file;
        continue;
      }
      // A copy has another inode.
      const isCopy = hasSymfs || roots.some((root) => candidate.startsWith(root));
      const isSame = isFileOfMapping(file, dso.fileId);
      if (isUnknown || isCopy || isSame === true) {
        other?.source.close?.();
        this.#noteChange(file, path, isCopy);
        return file.source;
      }
      isReached ||= isMapped;
      // One that may be it is better than one that is not, and the process's own better than ours.
      if (other === null || (isSame === null && (isOtherFile || isMapped))) {
        other?.source.close?.();
        other = file;
        isOtherFile = isSame === false;
      } else closeUnused(file, candidate, 'the device or inode differs');
    }
    if (other === null) {
      this.#countMissing(path, { cause: 'unreadable', error: reason });
      return null;
    }
    const mayBeUsed = !mustBeRecorded || (other.mode & constants.S_IROTH) !== 0;
    if ((isOtherFile && (isReached || mustBeRecorded)) || !mayBeUsed) {
      closeUnused(other, path, 'the device or inode differs');
      this.#countMissing(path, { cause: 'unproven' });
      return null;
    }
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
