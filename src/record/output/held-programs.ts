import { basename } from 'node:path';
import { textOfBytes } from '../../base/byte-text.ts';
import { Diagnostics } from '../../base/diagnostics.ts';
import { readBuildId } from '../../code/elf/build-id.ts';
import { type ElfFile, parseElf } from '../../code/elf/elf-file.ts';
import { programAttachment } from '../../formats/perf-data/program-attachment.ts';
import { scanRecords } from '../../formats/perf-data/scan-records.ts';
import { hasMmapBuildId } from '../../kernel/perf-event/mmap-build-id.ts';
import {
  type FileMapping,
  isFileOfMapping,
  placesOfMapping,
} from '../../system/files/mapped-file.ts';
import { type OpenFile, openRegular } from '../../system/files/open-regular.ts';
import { livingThread } from '../../system/processes/living-thread.ts';
import { silentPlaces } from '../../system/strangers/silent-places.ts';

/**
 * Files that packages install are replaced by updates, which keep debug files by build ID. Runtimes come
 * in versions of their own, and their symbols are larger than most recordings.
 */
export const INSTALLED = /^\/(usr\/(?!local\/)|lib|bin\/|sbin\/|nix\/store\/|gnu\/store\/|snap\/)/;
const RUNTIME = /^(node|nodejs|bun|deno|electron|java|python[\d.]*)$/;

/** Suffix that the kernel adds to the path of a file that is gone. */
const DELETED = ' (deleted)';
/** Files that are held open; those after them are opened at the end, if they are still there. */
const MOST_HELD = 64;
/** Diagnostics that nobody reads: oddities of a program are reported where it is named. */
export const UNCOUNTED = new Diagnostics();

/** Offsets in an MMAP2, behind its header: pid, tid, address, length, offset, device and inode. */
const MMAP = { pid: 8, start: 16, length: 24, fileId: 40, inode: 48, name: 72 } as const;
const TWO_32 = 2 ** 32;

/** A file that was mapped as code. */
export type Program = FileMapping & {
  readonly path: string;
  /** The ID that `fileIdOf` gives: build ID, or device and inode. */
  readonly fileId: string;
  readonly buildId: string | null;
};

/** Addresses at which a program was mapped in some process. */
export type CodeRange = { readonly start: number; readonly end: number; readonly program: Program };

/**
 * The programs that packages do not install, at each place where they were mapped, once. Hot: once per mapping, of which a
 * build of thousands of processes has a hundred thousand, most of them of few files.
 */
export function findPrograms(codeMappings: Uint8Array): CodeRange[] {
  const bytes = Buffer.from(codeMappings.buffer, codeMappings.byteOffset, codeMappings.length);
  /** Programs by the bytes of a record behind its addresses; null: is not looked for. */
  const met = new Map<string, { readonly program: Program; ends: Map<number, number> } | null>();
  const programs = new Map<string, Program>();
  const ranges: CodeRange[] = [];
  scanRecords(codeMappings, (view, offset, size) => {
    const misc = view.getUint16(offset + 4, true);
    const nameEnd = bytes.subarray(offset + MMAP.name, offset + size).indexOf(0);
    const end = nameEnd < 0 ? offset + size : offset + MMAP.name + nameEnd;
    const key = `${misc}${bytes.toString('latin1', offset + MMAP.fileId, end)}`;
    let known = met.get(key);
    if (known === undefined) {
      const path = textOfBytes(bytes.subarray(offset + MMAP.name, end));
      const program = isLookedFor(path) ? programOf(view, offset, size, misc, path) : null;
      if (program !== null) {
        const id = programAttachment('program', program.fileId, path);
        if (!programs.has(id)) programs.set(id, program);
        known = { program: programs.get(id) as Program, ends: new Map() };
      }
      met.set(key, known ?? null);
    }
    if (known === undefined || known === null) return;
    const first = numberAt(view, offset + MMAP.start);
    const last = first + numberAt(view, offset + MMAP.length);
    if ((known.ends.get(first) ?? 0) >= last) return;
    known.ends.set(first, last);
    ranges.push({ start: first, end: last, program: known.program });
  });
  return ranges;
}

function isLookedFor(path: string): boolean {
  if (!path.startsWith('/') || path.startsWith('//')) return false;
  if (INSTALLED.test(path) && !path.endsWith(DELETED)) return false;
  return !RUNTIME.test(basename(path));
}

function programOf(
  view: DataView,
  offset: number,
  size: number,
  misc: number,
  path: string,
): Program {
  const pid = view.getInt32(offset + MMAP.pid, true);
  const start = numberAt(view, offset + MMAP.start);
  const end = start + numberAt(view, offset + MMAP.length);
  const at = offset + MMAP.fileId;
  if (hasMmapBuildId({ view, offset, misc, end: offset + size })) {
    const bytes = new Uint8Array(view.buffer, view.byteOffset + at + 4, view.getUint8(at));
    const buildId = Buffer.from(bytes).toString('hex');
    return { path, pid, fileId: buildId, buildId, start, end };
  }
  const inode = view.getBigUint64(offset + MMAP.inode, true);
  const device = `${view.getUint32(at, true)}:${view.getUint32(at + 4, true)}`;
  return { path, pid, fileId: `${device}:${inode}`, buildId: null, start, end };
}

/** User addresses are below 2^47. */
function numberAt(view: DataView, offset: number): number {
  return view.getUint32(offset + 4, true) * TWO_32 + view.getUint32(offset, true);
}

/** An open program; closed by who holds it. */
type Held = { readonly elf: ElfFile; readonly close: () => void };

/**
 * The programs of a recording, open: files may be gone before it ends. `go run` removes its program, packers
 * remove what they unpacked, and what was deleted before can be reached while it runs.
 */
export class HeldPrograms {
  /** Null: could not be opened. */
  readonly #held = new Map<string, Held | null>();

  /** Programs on file systems that have not answered yet. */
  #waiting: Program[] = [];

  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** Opens the programs of these MMAP2 records that are not open yet, and those that wait. */
  hold(codeMappings: Uint8Array): void {
    const found = findPrograms(codeMappings).map(({ program }) => program);
    for (const program of [...this.#waiting.splice(0), ...found]) {
      if (this.#held.size >= MOST_HELD) return;
      if (!mayWait(program)) this.open(program);
      else if (this.#waiting.length < MOST_HELD) this.#waiting.push(program);
    }
  }

  /** The program as it was mapped; null if it can't be had. Valid until it is closed. */
  open(program: Program): ElfFile | null {
    const key = programAttachment('program', program.fileId, program.path);
    const known = this.#held.get(key);
    if (known !== undefined && known !== null) return known.elf;
    const held = openProgram(program);
    this.#held.set(key, held);
    return held?.elf ?? null;
  }

  closeOne({ fileId, path }: Program): void {
    const key = programAttachment('program', fileId, path);
    this.#held.get(key)?.close();
    this.#held.delete(key);
  }

  close(): void {
    for (const held of this.#held.values()) held?.close();
    this.#held.clear();
  }
}

/**
 * Reads a program at its path, or below the root of its process, which differs in a container; where nothing at
 * that path is what was mapped, through the mapping itself, for which other rights are needed, or as the program
 * that the process runs.
 */
function openProgram(program: Program): Held | null {
  const { path, pid } = program;
  if (mayWait(program)) return null;
  const places = [
    () => openRegular(path),
    ...placesOfMapping(path, program).map((place) => place.open),
    () => openRegular(`/proc/${livingThread(pid)}/exe`),
  ];
  for (const open of places) {
    const opened = open();
    if (typeof opened === 'string') continue;
    const elf = parseElf(opened.source, UNCOUNTED);
    const close = () => opened.source.close?.();
    if (elf !== null && isRecorded(program, elf, opened)) return { elf, close };
    close();
  }
  return null;
}

function mayWait(program: Program): boolean {
  return pathsOfProgram(program).some((path) => silentPlaces.mayWait(path));
}

/** The paths at which a program is looked for first; the links of `/proc` lead to the same. */
export function pathsOfProgram({ path, pid }: Program): readonly string[] {
  return [path, `/proc/${pid}/root${path}`];
}

function isRecorded({ buildId, fileId }: Program, elf: ElfFile, opened: OpenFile): boolean {
  if (buildId === null) return isFileOfMapping(opened, fileId) === true;
  return readBuildId(elf, UNCOUNTED) === buildId;
}
