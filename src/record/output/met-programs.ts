import { basename } from 'node:path';
import { textOfBytes } from '../../base/byte-text.ts';
import { Diagnostics } from '../../base/diagnostics.ts';
import { systemErrorReason } from '../../base/system-error.ts';
import { readBuildId } from '../../code/elf/build-id.ts';
import { type ElfFile, parseElf } from '../../code/elf/elf-file.ts';
import { type FileRange, namingRanges } from '../../code/elf/naming-ranges.ts';
import { findDebugFile, has } from '../../code/symbols/debug-file.ts';
import type { Attachment } from '../../formats/perf-data/appendix.ts';
import {
  bytesOfParts,
  encodeParts,
  type ProgramPart,
  programAttachment,
} from '../../formats/perf-data/program-attachment.ts';
import { scanRecords } from '../../formats/perf-data/scan-records.ts';
import { hasMmapBuildId } from '../../kernel/perf-event/mmap-build-id.ts';
import { SymbolFiles } from '../../read/files/symbol-files.ts';
import { actAs } from '../../system/accounts/file-identity.ts';
import { openRegularBelow } from '../../system/files/open-below.ts';
import { type OpenFile, openRegular } from '../../system/files/open-regular.ts';
import { livingThread } from '../../system/processes/living-thread.ts';
import { packedAttachment } from './packed-attachment.ts';

/**
 * Files that packages install are replaced by updates, which keep debug files by build ID. Runtimes come
 * in versions of their own, and their symbols are larger than most recordings.
 */
const INSTALLED = /^\/(usr\/(?!local\/)|lib|bin\/|sbin\/|nix\/store\/|gnu\/store\/|snap\/)/;
const RUNTIME = /^(node|nodejs|bun|deno|electron|java|python[\d.]*)$/;

/** Maximum bytes of one program, and of all; a program that only DWARF makes larger is kept without it. */
const MOST_BYTES = 32 << 20;
const MOST_BYTES_OF_ALL = 64 << 20;
/** Diagnostics that nobody reads: oddities of a program are reported where it is named. */
const UNCOUNTED = new Diagnostics();

/** Offsets in an MMAP2, behind its header: pid, tid, address, length, offset, device and inode. */
const MMAP = { pid: 8, start: 16, length: 24, fileId: 40, inode: 48, name: 72 } as const;
const TWO_32 = 2 ** 32;

/** A file that was mapped as code. */
type Program = {
  readonly path: string;
  readonly pid: number;
  /** The ID that `fileIdOf` gives: build ID, or device and inode. */
  readonly fileId: string;
  readonly buildId: string | null;
  readonly inode: bigint;
};

/** Addresses at which a program was mapped in some process. */
type CodeRange = { readonly start: number; readonly end: number; readonly program: Program };

/** `NativeBinding.findMetOwners` for the samples of one recording. */
export type FindMet = (starts: Float64Array, ends: Float64Array, owners: Uint32Array) => Uint8Array;

/**
 * The symbols, unwinding tables and DWARF of the programs that samples were taken in, while they are
 * still those that ran: the next build has the same path. `codeMappings`: the MMAP2 records of
 * executable mappings. `owner` is the recording's; `keepsCode`: stack dumps are unwound later.
 *
 * Samples are not decoded for that: every word of them that may be an address in a program counts. A
 * word that is none costs a file too many, no more. No recording ends for it.
 */
export function collectPrograms(
  codeMappings: Uint8Array,
  findMet: FindMet,
  owner: { readonly uid: number; readonly gid: number },
  keepsCode: boolean,
  notify: (notice: string) => void,
): Attachment[] {
  try {
    const ranges = findPrograms(codeMappings);
    if (ranges.length === 0) return [];
    const met = metPrograms(ranges, findMet);
    // The recording names its files, and its owner gets what is read of them.
    const isOurs = process.geteuid?.() !== 0 || owner.uid === 0;
    const store = () => storePrograms(met, keepsCode);
    return isOurs ? store() : actAs({ uid: owner.uid, gid: owner.gid }, store);
  } catch (error) {
    notify(`symbols of the programs are not in the recording: ${systemErrorReason(error)}`);
    return [];
  }
}

function findPrograms(codeMappings: Uint8Array): CodeRange[] {
  const programs = new Map<string, Program>();
  const ranges: CodeRange[] = [];
  scanRecords(codeMappings, (view, offset, size) => {
    const misc = view.getUint16(offset + 4, true);
    const bytes = codeMappings.subarray(0, offset + size);
    const path = textOfBytes(
      bytes.subarray(offset + MMAP.name, bytes.indexOf(0, offset + MMAP.name)),
    );
    if (!path.startsWith('/') || path.startsWith('//') || INSTALLED.test(path)) return;
    if (RUNTIME.test(basename(path))) return;
    const program = programOf(view, offset, size, misc, path);
    const key = programAttachment('program', program.fileId, path);
    const known = programs.get(key) ?? program;
    programs.set(key, known);
    const start = numberAt(view, offset + MMAP.start);
    const end = start + numberAt(view, offset + MMAP.length);
    ranges.push({ start, end, program: known });
  });
  return ranges;
}

/** Programs with a word in the samples that may be an address in them. */
function metPrograms(ranges: readonly CodeRange[], findMet: FindMet): Program[] {
  const programs = [...new Set(ranges.map(({ program }) => program))];
  const ownerOf = new Map(programs.map((program, owner) => [program, owner]));
  const met = findMet(
    Float64Array.from(ranges, ({ start }) => start),
    Float64Array.from(ranges, ({ end }) => end),
    Uint32Array.from(ranges, ({ program }) => ownerOf.get(program) ?? 0),
  );
  return programs.filter((_, owner) => met[owner] === 1);
}

function programOf(
  view: DataView,
  offset: number,
  size: number,
  misc: number,
  path: string,
): Program {
  const pid = view.getInt32(offset + MMAP.pid, true);
  const at = offset + MMAP.fileId;
  if (hasMmapBuildId({ view, offset, misc, end: offset + size })) {
    const bytes = new Uint8Array(view.buffer, view.byteOffset + at + 4, view.getUint8(at));
    const buildId = Buffer.from(bytes).toString('hex');
    return { path, pid, fileId: buildId, buildId, inode: 0n };
  }
  const inode = view.getBigUint64(offset + MMAP.inode, true);
  const device = `${view.getUint32(at, true)}:${view.getUint32(at + 4, true)}`;
  return { path, pid, fileId: `${device}:${inode}`, buildId: null, inode };
}

/** User addresses are below 2^47. */
function numberAt(view: DataView, offset: number): number {
  return view.getUint32(offset + 4, true) * TWO_32 + view.getUint32(offset, true);
}

function storePrograms(met: readonly Program[], keepsCode: boolean): Attachment[] {
  const attachments: Attachment[] = [];
  let room = MOST_BYTES_OF_ALL;
  const store = (part: ProgramPart, { fileId, path }: Program, elf: ElfFile): void => {
    const bytes = symbolsOf(elf, keepsCode, Math.min(room, MOST_BYTES));
    if (bytes === null) return;
    room -= bytes.length;
    attachments.push(packedAttachment(programAttachment(part, fileId, path), bytes));
  };
  for (const program of met) {
    const opened = openProgram(program);
    if (opened === null) continue;
    try {
      const elf = parseElf(opened.source, UNCOUNTED);
      if (elf === null || !isRecorded(program, elf, opened)) continue;
      store('program', program, elf);
      if (!has(elf, 'symbols') || !has(elf, 'dwarf')) storeDebugFile(program, elf, store);
    } finally {
      opened.source.close?.();
    }
  }
  return attachments;
}

/** The debug file beside a stripped program, which the next build replaces as well. */
function storeDebugFile(
  program: Program,
  elf: ElfFile,
  store: (part: ProgramPart, program: Program, elf: ElfFile) => void,
): void {
  const { provide } = new SymbolFiles({ diagnostics: UNCOUNTED });
  const dso = { kind: 'user-file', path: program.path, fileId: program.fileId } as const;
  const missing = has(elf, 'symbols') ? 'dwarf' : 'symbols';
  const debug = findDebugFile(elf, dso, provide, UNCOUNTED, missing);
  if (debug === null) return;
  if (!INSTALLED.test(debug.source.file?.path ?? '')) store('debug', program, debug.elf);
  debug.source.close?.();
}

function isRecorded({ buildId, inode }: Program, elf: ElfFile, opened: OpenFile): boolean {
  if (buildId === null) return BigInt(opened.inode) === inode;
  return readBuildId(elf, UNCOUNTED) === buildId;
}

/** Null if it has more than `most` bytes of symbols. */
function symbolsOf(elf: ElfFile, keepsCode: boolean, most: number): Uint8Array | null {
  for (const dwarf of [true, false]) {
    const ranges: FileRange[] | null = namingRanges(elf, { code: keepsCode, dwarf });
    if (ranges !== null && bytesOfParts(ranges) <= most) return encodeParts(elf.source, ranges);
  }
  return null;
}

/** Reads a program at its path, or below the root of its process, which differs in a container. */
function openProgram({ path, pid, buildId, inode }: Program): OpenFile | null {
  const here = openRegular(path);
  if (typeof here !== 'string' && (buildId !== null || BigInt(here.inode) === inode)) return here;
  if (typeof here !== 'string') here.source.close?.();
  const there = openRegularBelow(`/proc/${livingThread(pid)}/root`, path);
  return typeof there === 'string' ? null : there;
}
