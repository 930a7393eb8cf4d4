import { systemErrorReason } from '../../base/system-error.ts';
import type { ElfFile } from '../../code/elf/elf-file.ts';
import { type FileRange, namingRanges } from '../../code/elf/naming-ranges.ts';
import { findDebugFile, has } from '../../code/symbols/debug-file.ts';
import type { Attachment } from '../../formats/perf-data/appendix.ts';
import {
  bytesOfParts,
  encodeParts,
  type ProgramPart,
  programAttachment,
} from '../../formats/perf-data/program-attachment.ts';
import { SymbolFiles } from '../../read/files/symbol-files.ts';
import { actAs } from '../../system/accounts/file-identity.ts';
import {
  type CodeRange,
  type HeldPrograms,
  INSTALLED,
  type Program,
  UNCOUNTED,
} from './held-programs.ts';
import { AttachmentPacking } from './packed-attachment.ts';

/** Maximum bytes of one program, and of all; a program that only DWARF makes larger is kept without it. */
const MOST_BYTES = 32 << 20;
const MOST_BYTES_OF_ALL = 64 << 20;
/**
 * Time that keeping them may take: of this process, and in all. A program that starts thousands of others, each of
 * another file, would else keep the end of its recording for as long as it likes.
 */
const MOST_CPU_MS = 500;
const MOST_MS = 2000;

/** `NativeBinding.findMetOwners` for the samples of one recording. */
export type FindMet = (starts: Float64Array, ends: Float64Array, owners: Uint32Array) => Uint8Array;

/**
 * The symbols, unwinding tables and DWARF of the programs that samples were taken in, while they are
 * still those that ran: the next build has the same path. `ranges`: where they were mapped. `held` has what was opened
 * while it ran; `owner` is the recording's; `keepsCode`: stack dumps are unwound later.
 *
 * Samples are not decoded for that: every word of them that may be an address in a program counts. A
 * word that is none costs a file too many, no more. No recording ends for it.
 */
export function collectPrograms(
  ranges: readonly CodeRange[],
  findMet: FindMet,
  held: HeldPrograms,
  owner: { readonly uid: number; readonly gid: number },
  keepsCode: boolean,
  notify: (notice: string) => void,
  hasTakenLong = watchTime(),
): Attachment[] {
  try {
    if (ranges.length === 0) return [];
    const met = metPrograms(ranges, findMet);
    // The recording names its files, and its owner gets what is read of them.
    const { attachments, left } = actAs({ uid: owner.uid, gid: owner.gid }, () =>
      storePrograms(met, held, keepsCode, hasTakenLong),
    );
    if (left > 0) {
      notify(
        `symbols of ${left} of ${met.length} programs are not in the recording, since those of the others took long: they are looked up in the programs' files when it is read`,
      );
    }
    return attachments;
  } catch (error) {
    notify(`symbols of the programs are not in the recording: ${systemErrorReason(error)}`);
    return [];
  }
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

function storePrograms(
  met: readonly Program[],
  held: HeldPrograms,
  keepsCode: boolean,
  hasTakenLong: () => boolean,
): { readonly attachments: Attachment[]; readonly left: number } {
  const attachments: Attachment[] = [];
  let room = MOST_BYTES_OF_ALL;
  const packing = new AttachmentPacking();
  const store = (part: ProgramPart, { fileId, path }: Program, elf: ElfFile): void => {
    const bytes = symbolsOf(elf, keepsCode, Math.min(room, MOST_BYTES));
    if (bytes === null) return;
    room -= bytes.length;
    attachments.push(packing.pack(programAttachment(part, fileId, path), bytes));
  };
  let left = met.length;
  for (const program of met) {
    const elf = held.open(program);
    if (elf !== null) {
      store('program', program, elf);
      if (!has(elf, 'symbols') || !has(elf, 'dwarf')) storeDebugFile(program, elf, store);
    }
    held.closeOne(program);
    left--;
    if (hasTakenLong()) break;
  }
  return { attachments, left };
}

/** Whether more time has passed since than keeping programs may take. */
function watchTime(): () => boolean {
  const cpu = process.cpuUsage();
  const ms = performance.now();
  return () => {
    const { user, system } = process.cpuUsage(cpu);
    return (user + system) / 1000 > MOST_CPU_MS || performance.now() - ms > MOST_MS;
  };
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

/** Null if it has more than `most` bytes of symbols. */
function symbolsOf(elf: ElfFile, keepsCode: boolean, most: number): Uint8Array | null {
  for (const dwarf of [true, false]) {
    const ranges: FileRange[] | null = namingRanges(elf, { code: keepsCode, dwarf });
    if (ranges !== null && bytesOfParts(ranges) <= most) return encodeParts(elf.source, ranges);
  }
  return null;
}
