import { closeSync, existsSync, realpathSync } from 'node:fs';
import { basename, join } from 'node:path';
import { memorySource } from '../../base/byte-source.ts';
import type { Diagnostics } from '../../base/diagnostics.ts';
import { describeError } from '../../base/system-error.ts';
import { nameOfVersion } from '../../code/javascript/v8-name.ts';
import { readCodeEvents } from '../../code/jit/code-events.ts';
import type { CodeTable } from '../../code/jit/code-table.ts';
import { JitCode } from '../../code/jit/jit-code.ts';
import { readJitdump } from '../../code/jit/jitdump.ts';
import { readMapLog } from '../../code/jit/map-log.ts';
import { MAX_PERF_MAP_BYTES, readWholePerfMap } from '../../code/jit/perf-map.ts';
import type { ProcessTable } from '../../code/process/process-table.ts';
import type { SymbolSource } from '../../code/symbols/symbol-request.ts';
import type { PerfData } from '../../formats/perf-data/reader.ts';
import type { SymbolSources } from '../../options/reading.ts';
import { noteAsked } from '../../system/asked-files.ts';
import { fileSource } from '../../system/files/open-regular.ts';
import { openTrusted } from '../../system/files/trusted-file.ts';
import { pidInItsNamespace } from '../../system/processes/namespace-pid.ts';
import { uidOfProcess } from '../../system/processes/processes-of-user.ts';
import { statOrNull } from '../../system/small-file.ts';
import { judgeLeftFile, type RecordedThen, recordedThen } from '../files/left-files.ts';
import { StoredFiles } from '../files/stored-files.ts';
import { SymbolFiles } from '../files/symbol-files.ts';
import { CODE_EVENTS_ATTACHMENT, PERF_MAP_ATTACHMENT } from './attachment-names.ts';
import { dumpWriter, jitdumpAttachment, MAX_STORED_JITDUMP_BYTES } from './dump-name.ts';
import { withAnnouncedLines, withDumpedLines } from './v8-lines.ts';

const CLOCK_MONOTONIC = 1;
/** Bytes of a map with what the recorder adds to it: 32 for each look at it. */
const MAX_LOG_BYTES = MAX_PERF_MAP_BYTES + (64 << 20);

export type JitFilesOptions = SymbolSources & {
  readonly data: PerfData;
  readonly processes: ProcessTable;
  readonly diagnostics: Diagnostics;
  /** The recording; its owner's files are believed, as the recording is. */
  readonly path: string;
};

/**
 * The JIT code of a recording. Of each process, best first: the jitdumps that it mapped, as the
 * recording keeps them or as they are now, then what V8 announced to the recorder, then the perf map
 * that the recorder read while it grew, else the one that is there now.
 */
export function openJitCode(options: JitFilesOptions): JitCode {
  const files = new JitFiles(options, ownersOfFile(options.path));
  return new JitCode(
    options.processes.dsos,
    (pid) => files.tablesOf(pid),
    (pid) => files.announces(pid),
  );
}

/** The JIT code by which stacks are unwound: frame tables are in jitdumps, and V8 announces its bytecode. */
export function openUnwindingCode(options: JitFilesOptions): JitCode {
  const files = new JitFiles(options, ownersOfFile(options.path));
  return new JitCode(
    options.processes.dsos,
    (pid) => files.announcedOf(pid),
    (pid) => files.announces(pid),
  );
}

class JitFiles {
  readonly #options: JitFilesOptions;
  readonly #owners: readonly number[];
  readonly #stored: StoredFiles;

  constructor(options: JitFilesOptions, owners: readonly number[]) {
    this.#options = options;
    this.#owners = owners;
    this.#stored = new StoredFiles(options.data, options.diagnostics);
  }

  dumpsOf(pid: number): CodeTable[] {
    const dumps: CodeTable[] = [];
    for (const path of this.#options.processes.jitdumps.get(pid) ?? []) {
      const dump = this.#readJitdump(path, pid);
      if (dump !== null) dumps.push(dump);
    }
    return dumps;
  }

  /** Whether V8 announced the code of the process. */
  announces(pid: number): boolean {
    return this.#stored.has(`${CODE_EVENTS_ATTACHMENT}${pid}`);
  }

  announcedOf(pid: number): CodeTable[] {
    const tables = this.dumpsOf(pid);
    const events = this.#codeEvents(pid);
    if (events !== null) tables.push(events);
    return tables;
  }

  tablesOf(pid: number): CodeTable[] {
    const tables = this.announcedOf(pid);
    const map = this.#storedMap(pid) ?? (tables.length === 0 ? this.#mapNow(pid) : null);
    if (map !== null) tables.push(map);
    return tables;
  }

  #codeEvents(pid: number): CodeTable | null {
    const { data, diagnostics } = this.#options;
    const bytes = this.#stored.read(`${CODE_EVENTS_ATTACHMENT}${pid}`, MAX_LOG_BYTES);
    if (bytes === null) return null;
    return withAnnouncedLines(readCodeEvents(bytes, data.startTime, diagnostics, nameOfVersion));
  }

  #storedMap(pid: number): CodeTable | null {
    const { data, diagnostics } = this.#options;
    const log = this.#stored.read(`${PERF_MAP_ATTACHMENT}${pid}`, MAX_LOG_BYTES);
    return log === null ? null : readMapLog(log, data.startTime, diagnostics);
  }

  /** The map as it is now, after the fact: no line of it has a time. */
  #mapNow(pid: number): CodeTable | null {
    const { diagnostics, symfs, archive, data, path } = this.#options;
    const files = new SymbolFiles({
      ...recordedThen(data, path),
      diagnostics,
      trustedUids: this.#owners,
      ...(symfs !== undefined && { symfs }),
      ...(archive !== undefined && { archive }),
    });
    const dso = { kind: 'jit', pid } as const;
    const source = files.provide({ need: 'perf-map', dso, buildId: null });
    if (source === null) return null;
    try {
      if (source.size > MAX_PERF_MAP_BYTES) {
        diagnostics.count('perf-map-too-large', `${source.size} bytes`);
      }
      const bytes = source.read(0, Math.min(source.size, MAX_PERF_MAP_BYTES));
      return readWholePerfMap(bytes, diagnostics);
    } catch (error) {
      diagnostics.count('file-unreadable', `perf map of ${pid}: ${describeError(error)}`);
      return null;
    } finally {
      source.close?.();
    }
  }

  #readJitdump(path: string, pid: number): CodeTable | null {
    const { diagnostics, data } = this.#options;
    const then = recordedThen(data, this.#options.path);
    const source =
      storedJitdump(this.#stored, path, pid) ??
      openJitdump(path, pid, { ...this.#options, ...then, owners: this.#owners });
    if (source === null) return null;
    try {
      const isSameClock = hasMonotonicClock(data);
      if (!isSameClock) diagnostics.count('jitdump-of-other-clock', path);
      const startTime = isSameClock ? data.startTime : null;
      const read = { diagnostics, name: path, pid: writerOf(path, pid), startTime };
      const dump = readJitdump(source, read);
      return dump && withDumpedLines(dump);
    } catch (error) {
      diagnostics.count('jitdump-unused', `${path}: ${describeError(error)}`);
      return null;
    } finally {
      source.close?.();
    }
  }
}

/** A jitdump that `pid` mapped at `recordedPath`; null, with the reason counted, if it is not used. */
export function openJitdump(
  recordedPath: string,
  pid: number,
  options: Pick<SymbolSources, 'symfs' | 'archive'> &
    RecordedThen & {
      readonly diagnostics: Diagnostics;
      readonly owners: readonly number[];
    },
): SymbolSource | null {
  const { diagnostics, symfs, archive, owners } = options;
  const refuse = (reason: string): null => {
    diagnostics.count('jitdump-unused', `${recordedPath}: ${reason}`);
    return null;
  };
  if (Number.isNaN(writerOf(recordedPath, pid))) {
    return refuse(`mapped by process ${pid}, whose it is not`);
  }
  const roots = [archive, symfs].filter((root) => root !== undefined);
  const copies = roots.map((root) => join(root, recordedPath));
  for (const path of [...copies, recordedPath]) noteAsked(path);
  const copy = copies.find((path) => existsSync(path));
  const path = copy ?? recordedPath;
  // The kernel told the path with all links resolved: one that has them now leads elsewhere.
  if (copy === undefined && !isWithoutLinks(path)) return refuse('a symbolic link or gone');
  const targetUid = uidOfProcess(pid);
  const file = openTrusted(path, targetUid === null ? owners : [...owners, targetUid]);
  if (file.kind === 'refused') return refuse(file.reason);
  const belief = copy === undefined ? judgeLeftFile(file, pid, options) : 'believed';
  if (typeof belief === 'object') {
    closeSync(file.fd);
    return refuse(belief.refused);
  }
  // Its entries have times: what came after the recording names none of its samples.
  return fileSource(file.fd, file.size, path);
}

/** The number by which process `pid` knows itself, if the file's name has it; NaN if not. */
export function writerOf(path: string, pid: number): number {
  return dumpWriter(path, [pid]) ?? dumpWriter(path, [pidInItsNamespace(pid)]) ?? Number.NaN;
}

/** The jitdump that the recorder took into the recording; null if there is none. */
export function storedJitdump(stored: StoredFiles, path: string, pid: number): SymbolSource | null {
  const name = jitdumpAttachment(pid, basename(path));
  const bytes = stored.read(name, MAX_STORED_JITDUMP_BYTES);
  return bytes === null ? null : memorySource(bytes);
}

/** Jitdumps count in CLOCK_MONOTONIC; perf's own clock is another. */
function hasMonotonicClock({ attrs }: PerfData): boolean {
  const attr = attrs[0]?.attr;
  return attr?.flags.useClockid === true && attr.clockid === CLOCK_MONOTONIC;
}

/** Whom to believe besides root and us: the recording is theirs too. */
export function ownersOfFile(path: string): number[] {
  const file = statOrNull(path);
  return file === null ? [] : [file.uid];
}

function isWithoutLinks(path: string): boolean {
  try {
    return realpathSync(path) === path;
  } catch {
    return false;
  }
}
