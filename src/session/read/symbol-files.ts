import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { memorySource } from '../../base/byte-source.ts';
import type { Diagnostics } from '../../base/diagnostics.ts';
import { parseHexAddress } from '../../base/u64.ts';
import type { DsoKey } from '../../process/types.ts';
import type { SymbolRequest, SymbolSource } from '../../symbols/symbol-request.ts';
import { readKernelBuildId } from '../record/host-info.ts';

export const NO_PERF_MAP = 'no perf map for JIT code (for Node: --perf-basic-prof)';

/** Where names come from instead of this machine's own files, as perf's options of these names. */
export type SymbolSources = {
  /** Directory under which the recorded machine's files lie, by the paths that it had them at. */
  readonly symfs?: string;
  /** Copy of the recorded machine's /proc/kallsyms. */
  readonly kallsyms?: string;
};

export type SymbolFilesOptions = SymbolSources & {
  readonly diagnostics: Diagnostics;
  /** Processes of the recording; those still alive show their files under /proc/PID/root. */
  readonly pids?: readonly number[];
  /** Uids besides root, ourselves and the target's whose perf maps are believed. */
  readonly trustedUids?: readonly number[];
  readonly kallsymsPath?: string;
  /** Where JITs write. */
  readonly perfMapDirectory?: string;
  readonly debugDirectory?: string;
};

/** More processes than this are not asked for a file that is not in our own root. */
const MAX_ROOTS = 16;
const DELETED = ' (deleted)';

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

  constructor(options: SymbolFilesOptions) {
    this.#options = options;
  }

  /** A `SymbolProvider`. The caller closes what it gets. */
  readonly provide = (request: SymbolRequest): SymbolSource | null => {
    switch (request.need) {
      case 'elf':
        return this.#openElf(request.dso);
      case 'debug-elf':
        return this.#openDebugFile(request);
      case 'kallsyms':
        return this.#readKallsyms(request.buildId);
      case 'perf-map':
        return request.dso.kind === 'jit' ? this.#openPerfMap(request.dso.pid) : null;
      case 'vdso':
        return this.#readVdso();
    }
  };

  #openElf(dso: DsoKey): SymbolSource | null {
    if (dso.kind !== 'user-file' || !dso.path.startsWith('/')) return null;
    const path = dso.path.endsWith(DELETED) ? dso.path.slice(0, -DELETED.length) : dso.path;
    const { symfs } = this.#options;
    if (symfs !== undefined) {
      // A copy has another inode; the build ID decides.
      const file = openRegular(join(symfs, path));
      if (typeof file !== 'string') return file.source;
      this.#count('file can not be read', `${join(symfs, path)}: ${file}`);
      return null;
    }
    const inode = /^\d+:\d+:(\d+)$/.exec(dso.fileId)?.[1] ?? null;
    const candidates = [path, ...this.#rootsOfProcesses().map((root) => root + path)];
    let other: OpenFile | null = null;
    for (const candidate of candidates) {
      const file = openRegular(candidate);
      if (typeof file === 'string') continue;
      if (inode === null || String(file.inode) === inode) {
        other?.source.close?.();
        return file.source;
      }
      if (other === null) other = file;
      else file.source.close?.();
    }
    if (other === null) {
      const reason = openRegular(path);
      this.#count('file can not be read', `${path}: ${typeof reason === 'string' ? reason : ''}`);
      return null;
    }
    // Some file systems report other inodes in mappings than in stat, so this is no proof; the
    // build ID, where the recording has one, decides.
    this.#count('file may have been replaced since the recording (inode differs)', path);
    return other.source;
  }

  /** Live processes that see other files than we do, or may. */
  #rootsOfProcesses(): string[] {
    const pids = this.#options.pids ?? [];
    return pids.slice(0, MAX_ROOTS).map((pid) => `/proc/${pid}/root`);
  }

  /** The `attempt`th existing candidate: by build ID, then the places where debuglinks point. */
  #openDebugFile(request: SymbolRequest & { need: 'debug-elf' }): SymbolSource | null {
    const { dso, buildId, debuglink, attempt } = request;
    const root = this.#options.debugDirectory ?? '/usr/lib/debug';
    const candidates: string[] = [];
    if (buildId !== null && buildId.length > 2) {
      candidates.push(join(root, '.build-id', buildId.slice(0, 2), `${buildId.slice(2)}.debug`));
    }
    if (debuglink !== null && dso.kind === 'user-file' && dso.path.startsWith('/')) {
      const folder = dirname(dso.path);
      candidates.push(
        join(folder, debuglink.name),
        join(folder, '.debug', debuglink.name),
        join(root, folder, debuglink.name),
      );
    }
    let skip = attempt;
    for (const candidate of candidates) {
      if (dso.kind === 'user-file' && candidate === dso.path) continue;
      const file = openRegular(candidate);
      if (typeof file === 'string') continue;
      if (skip-- === 0) return file.source;
      file.source.close?.();
    }
    return null;
  }

  #readKallsyms(buildId: string | null): SymbolSource | null {
    const given = this.#options.kallsyms;
    if (given === undefined && this.#options.symfs !== undefined) return null;
    const running =
      buildId === null || given !== undefined ? null : readKernelBuildId(this.#options.diagnostics);
    if (running !== null && running !== buildId) {
      this.#count('the recorded kernel is not the one running, kernel symbols not used');
      return null;
    }
    const path = given ?? this.#options.kallsymsPath ?? '/proc/kallsyms';
    try {
      return memorySource(readProcFile(path));
    } catch (error) {
      this.#count('file can not be read', `${path}: ${codeOf(error)}`);
      return null;
    }
  }

  #openPerfMap(pid: number): SymbolSource | null {
    const directory = this.#options.perfMapDirectory ?? '/tmp';
    const candidates = [join(directory, `perf-${pid}.map`)];
    const { symfs } = this.#options;
    if (symfs !== undefined) candidates[0] = join(symfs, candidates[0] as string);
    const innerPid = symfs === undefined ? pidInItsNamespace(pid) : null;
    // In a container the JIT writes into its own /tmp and calls itself by its own pid.
    if (innerPid !== null) {
      candidates.unshift(join(`/proc/${pid}/root`, directory, `perf-${innerPid}.map`));
    }
    let reason = 'ENOENT';
    for (const path of candidates) {
      const file = openRegular(path, constants.O_NOFOLLOW);
      if (typeof file === 'string') {
        if (file !== 'ENOENT') this.#count('perf map not used', `${path}: ${file}`);
        reason = file;
        continue;
      }
      if (!this.#isTrusted(file.uid, pid)) {
        this.#count('perf map not used', `${path}: owned by uid ${file.uid}`);
        file.source.close?.();
        return null;
      }
      if ((file.mode & constants.S_IWOTH) !== 0) this.#count('perf map is writable by all', path);
      return file.source;
    }
    if (reason === 'ENOENT') {
      this.#count(NO_PERF_MAP, candidates.at(-1));
    }
    return null;
  }

  #isTrusted(owner: number, pid: number): boolean {
    const ours = process.geteuid?.() ?? -1;
    if (owner === 0 || owner === ours) return true;
    // Under sudo the target runs as the invoking user, and may be gone by now.
    if (ours === 0 && owner === Number(process.env.SUDO_UID)) return true;
    if (this.#options.trustedUids?.includes(owner)) return true;
    try {
      return statSync(`/proc/${pid}`).uid === owner;
    } catch {
      return false;
    }
  }

  /** Every process has the same vDSO, so ours serves; its build ID is checked by the reader. */
  #readVdso(): SymbolSource | null {
    if (this.#options.symfs !== undefined) return null;
    let fd = -1;
    try {
      const line = /^([0-9a-f]+)-([0-9a-f]+) .*\[vdso\]$/m.exec(
        readFileSync('/proc/self/maps', 'utf8'),
      );
      if (line === null) return null;
      const start = parseHexAddress(line[1] as string);
      const bytes = new Uint8Array(parseHexAddress(line[2] as string) - start);
      fd = openSync('/proc/self/mem', constants.O_RDONLY);
      const length = readSync(fd, bytes, 0, bytes.length, start);
      return memorySource(bytes.subarray(0, length));
    } catch (error) {
      this.#count('file can not be read', `[vdso]: ${codeOf(error)}`);
      return null;
    } finally {
      if (fd >= 0) closeSync(fd);
    }
  }

  #count(reason: string, example = ''): void {
    this.#options.diagnostics.count(reason, example);
  }
}

type OpenFile = {
  readonly source: SymbolSource;
  readonly uid: number;
  readonly mode: number;
  readonly inode: number | bigint;
};

/** Opens a regular file without ever waiting for one; otherwise the reason, an errno's name. */
function openRegular(path: string, flags = 0): OpenFile | string {
  let fd = -1;
  try {
    // Opening a device may do something, so look first; what is opened is looked at again.
    if (flags === 0 && !statSync(path).isFile()) return 'not a regular file';
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY | flags);
    const { size, uid, mode, ino } = fstatSync(fd);
    if ((mode & constants.S_IFMT) !== constants.S_IFREG) {
      closeSync(fd);
      return 'not a regular file';
    }
    return { source: fileSource(fd, size), uid, mode, inode: ino };
  } catch (error) {
    if (fd >= 0) closeSync(fd);
    return codeOf(error) === 'ELOOP' ? 'a symbolic link' : codeOf(error);
  }
}

/** Reads with pread: no position, so nothing to share. */
function fileSource(fd: number, size: number): SymbolSource {
  let isOpen = true;
  return {
    size,
    read(offset, length) {
      const wanted = Math.max(0, Math.min(length, size - offset));
      const bytes = new Uint8Array(wanted);
      let done = 0;
      while (done < wanted) {
        const count = readSync(fd, bytes, done, wanted - done, offset + done);
        if (count === 0) break;
        done += count;
      }
      return done === wanted ? bytes : bytes.subarray(0, done);
    },
    close() {
      if (isOpen) closeSync(fd);
      isOpen = false;
    },
  };
}

/** The pid by which a live process knows itself; null if it is gone. */
function pidInItsNamespace(pid: number): number | null {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const pids = /^NSpid:\s+(.*)$/m.exec(status)?.[1]?.trim().split(/\s+/);
    return pids === undefined ? null : Number(pids.at(-1));
  } catch {
    return null;
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}

/** The kernel's symbol list has 5 MB. */
const PROC_FILE_BYTES = 8 << 20;

/**
 * A file of /proc, whose size is not known before. The kernel hands it out a page at a time, and
 * `readFileSync` would take a new buffer of 64 KiB for each of them.
 */
function readProcFile(path: string): Buffer {
  const fd = openSync(path, constants.O_RDONLY);
  try {
    let bytes = Buffer.allocUnsafeSlow(PROC_FILE_BYTES);
    let length = 0;
    for (;;) {
      const count = readSync(fd, bytes, length, bytes.length - length, null);
      if (count === 0) return bytes.subarray(0, length);
      length += count;
      if (length < bytes.length) continue;
      const larger = Buffer.allocUnsafeSlow(bytes.length * 2);
      bytes.copy(larger);
      bytes = larger;
    }
  } finally {
    closeSync(fd);
  }
}
