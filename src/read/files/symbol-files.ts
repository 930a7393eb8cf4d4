import { constants } from 'node:fs';
import { join } from 'node:path';
import { memorySource } from '../../base/byte-source.ts';
import type { PlainCode } from '../../base/diagnostic-code.ts';
import type { Diagnostics } from '../../base/diagnostics.ts';
import { dsoText } from '../../code/symbols/dso-symbols.ts';
import type { SymbolRequest, SymbolSource } from '../../code/symbols/symbol-request.ts';
import type { SymbolSources } from '../../options/reading.ts';
import { isTrustedOwner } from '../../system/accounts/trusted-owner.ts';
import { debugLog } from '../../system/debug-log.ts';
import type { OpenFile } from '../../system/files/open-regular.ts';
import { readVdso } from '../../system/kernel/vdso.ts';
import { livingThread } from '../../system/processes/living-thread.ts';
import { pidInItsNamespace } from '../../system/processes/namespace-pid.ts';
import { uidOfProcess } from '../../system/processes/processes-of-user.ts';
import { type DebugPlaces, usualPlaces } from './debug-places.ts';
import { ElfFiles, type ElfFilesOptions } from './elf-files.ts';
import { findOtherMachine, KernelFiles } from './kernel-files.ts';
import { judgeLeftFile, type RecordedThen } from './left-files.ts';
import { closeUnused, openBelowLogged, openLogged } from './open-logged.ts';
import type { StoredPrograms } from './stored-programs.ts';

const debug = debugLog('symbols');

export type SymbolFilesOptions = SymbolSources &
  RecordedThen & {
    readonly diagnostics: Diagnostics;
    /** Finds where processes of the recording have mapped a file; those that live lead to it. Asked with each file. */
    readonly mappingsOf?: ElfFilesOptions['mappingsOf'];
    /**
     * A file without a build ID must be the mapped one by its device and inode: for those who hand files on, and
     * where the processes run now. Default false: the names of a likely one are better than none.
     */
    readonly mustBeRecorded?: boolean;
    /** Programs whose symbols the recording keeps itself, for those that are gone. */
    readonly stored?: StoredPrograms;
    /** Uids besides root, ourselves and the target's whose perf maps are believed. */
    readonly trustedUids?: readonly number[];
    readonly kallsymsPath?: string;
    /** Folder that JITs write to. */
    readonly perfMapDirectory?: string;
    /** Default: the usual ones of the user who runs this. */
    readonly places?: DebugPlaces;
  };

/**
 * Answers the symbolizer's requests from this machine's files.
 *
 * Paths come from strangers: a DSO or perf map may be a FIFO, a device, a link or gone. Nothing
 * here blocks on opening, only regular files are read, and a perf map, which names code of a
 * process we may trust more than its directory, must be no link and belong to root, to us, or to
 * the target. Everything not used is counted with its reason.
 */
export class SymbolFiles {
  readonly #options: SymbolFilesOptions;
  readonly #elfFiles: ElfFiles;
  readonly #kernelFiles: KernelFiles;
  /** The recorded machine's files, best first. */
  readonly #roots: readonly string[];

  constructor(options: SymbolFilesOptions) {
    this.#options = options;
    const { diagnostics, symfs, archive, debugDir, mappingsOf = () => [] } = options;
    const usual = options.places ?? usualPlaces();
    const places =
      debugDir === undefined
        ? usual
        : { ...usual, debugDirectories: [debugDir, ...usual.debugDirectories] };
    const roots = [archive, symfs].filter((root) => root !== undefined);
    this.#roots = roots;
    this.#elfFiles = new ElfFiles({
      diagnostics,
      mappingsOf,
      places,
      roots,
      hasSymfs: symfs !== undefined,
      mustBeRecorded: options.mustBeRecorded === true,
      ...(options.stored && { stored: options.stored }),
      recordedUntilMs: options.recordedUntilMs ?? null,
    });
    this.#kernelFiles = new KernelFiles({
      ...options,
      places,
      roots,
      mayUseRunning: symfs === undefined,
    });
  }

  /** A `SymbolProvider`. The caller closes what it gets. */
  readonly provide = (request: SymbolRequest): SymbolSource | null => {
    const { need, dso, buildId } = request;
    debug?.(`${need} of ${dsoText(dso)}, build ID ${buildId ?? 'unknown'}`);
    const source = this.#find(request);
    debug?.(`  answer: ${source === null ? 'no file' : (source.file?.path ?? 'bytes in memory')}`);
    return source;
  };

  #find(request: SymbolRequest): SymbolSource | null {
    switch (request.need) {
      case 'elf':
        return this.#elfFiles.openElf(request.dso, request.buildId);
      case 'debug-elf':
        return this.#elfFiles.openDebugFile(request);
      case 'debug-alt':
        return this.#elfFiles.openAltFile(request);
      case 'split-dwarf':
        return this.#elfFiles.openSplitDwarf(request);
      case 'dwarf-package':
        return this.#elfFiles.openDwarfPackage(request.dso);
      case 'kallsyms':
        return this.#kernelFiles.open(request.buildId);
      case 'kernel-image':
        return this.#kernelFiles.openImage(request.buildId);
      case 'perf-map':
        return request.dso.kind === 'jit' ? this.#openPerfMap(request.dso.pid) : null;
      case 'vdso':
        return this.#readVdso(request.buildId);
    }
  }

  #openPerfMap(pid: number): SymbolSource | null {
    const directory = this.#options.perfMapDirectory ?? '/tmp';
    const name = join(directory, `perf-${pid}.map`);
    const { symfs, archive } = this.#options;
    const roots = [archive, symfs].filter((root) => root !== undefined);
    const copies = roots.map((root) => join(root, name));
    const candidates = symfs === undefined ? [...copies, name] : copies;
    const innerPid = symfs === undefined ? pidInItsNamespace(pid) : null;
    // In a container the JIT writes into its own /tmp and calls itself by its own pid.
    const inner = innerPid === null ? null : join(directory, `perf-${innerPid}.map`);
    const root = `/proc/${livingThread(pid)}/root`;
    if (inner !== null) candidates.splice(-1, 0, join(root, inner));
    let reason = 'ENOENT';
    for (const path of candidates) {
      const file =
        inner !== null && path === join(root, inner)
          ? openBelowLogged(root, inner, constants.O_NOFOLLOW)
          : openLogged(path, constants.O_NOFOLLOW);
      if (typeof file === 'string') {
        if (file !== 'ENOENT') this.#count('perf-map-unused', `${path}: ${file}`);
        reason = file;
        continue;
      }
      if (!this.#isTrusted(file.uid, pid)) {
        this.#count('perf-map-unused', `${path}: owned by uid ${file.uid}`);
        closeUnused(file, path, `owned by uid ${file.uid}`);
        return null;
      }
      if (!copies.includes(path) && !this.#isOfRecording(file, path, pid)) {
        closeUnused(file, path, 'not of the recording');
        return null;
      }
      if ((file.mode & constants.S_IWOTH) !== 0) this.#count('perf-map-writable-by-all', path);
      return file.source;
    }
    if (reason === 'ENOENT') {
      this.#count('perf-map-missing', candidates.at(-1));
    }
    return null;
  }

  #isOfRecording(file: OpenFile, path: string, pid: number): boolean {
    const belief = judgeLeftFile(file, pid, this.#options);
    if (typeof belief === 'object') this.#count('perf-map-unused', `${path}: ${belief.refused}`);
    else if (belief === 'doubtful') this.#count('names-doubtful', path);
    return typeof belief !== 'object';
  }

  #isTrusted(owner: number, pid: number): boolean {
    const { trustedUids = [] } = this.#options;
    const target = uidOfProcess(pid);
    return isTrustedOwner(owner, target === null ? trustedUids : [...trustedUids, target]);
  }

  /**
   * The recorded vDSO by its build ID, or ours: every process has the same, and the reader checks its
   * build ID.
   */
  #readVdso(buildId: string | null): SymbolSource | null {
    for (const root of this.#roots) {
      const file = openLogged(join(root, '[vdso]'));
      if (typeof file !== 'string') return file.source;
    }
    const kept = buildId === null ? null : this.#elfFiles.openVdso(buildId);
    if (kept !== null) return kept;
    if (this.#options.symfs !== undefined) return null;
    const machine = findOtherMachine(this.#options.recordedOn);
    if (buildId === null && machine !== null) {
      const why = { cause: 'other-machine', machine } as const;
      this.#options.diagnostics.count({ code: 'names-missing', subject: '[vdso]', why });
      return null;
    }
    const bytes = readVdso();
    if (bytes === null) this.#count('vdso-unreadable');
    return bytes === null ? null : memorySource(bytes);
  }

  #count(code: PlainCode, detail = ''): void {
    this.#options.diagnostics.count(code, detail);
  }
}
