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
  findPrograms,
  type HeldPrograms,
  INSTALLED,
  type Program,
  UNCOUNTED,
} from './held-programs.ts';
import { AttachmentPacking } from './packed-attachment.ts';

/** Maximum bytes of one program, and of all; a program that only DWARF makes larger is kept without it. */
const MOST_BYTES = 32 << 20;
const MOST_BYTES_OF_ALL = 64 << 20;

/** `NativeBinding.findMetOwners` for the samples of one recording. */
export type FindMet = (starts: Float64Array, ends: Float64Array, owners: Uint32Array) => Uint8Array;

/**
 * The symbols, unwinding tables and DWARF of the programs that samples were taken in, while they are
 * still those that ran: the next build has the same path. `codeMappings`: the MMAP2 records of
 * executable mappings. `held` has what was opened while it ran; `owner` is the recording's; `keepsCode`:
 * stack dumps are unwound later.
 *
 * Samples are not decoded for that: every word of them that may be an address in a program counts. A
 * word that is none costs a file too many, no more. No recording ends for it.
 */
export function collectPrograms(
  codeMappings: Uint8Array,
  findMet: FindMet,
  held: HeldPrograms,
  owner: { readonly uid: number; readonly gid: number },
  keepsCode: boolean,
  notify: (notice: string) => void,
): Attachment[] {
  try {
    const ranges = findPrograms(codeMappings);
    if (ranges.length === 0) return [];
    const met = metPrograms(ranges, findMet);
    // The recording names its files, and its owner gets what is read of them.
    return actAs({ uid: owner.uid, gid: owner.gid }, () => storePrograms(met, held, keepsCode));
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
): Attachment[] {
  const attachments: Attachment[] = [];
  let room = MOST_BYTES_OF_ALL;
  const packing = new AttachmentPacking();
  const store = (part: ProgramPart, { fileId, path }: Program, elf: ElfFile): void => {
    const bytes = symbolsOf(elf, keepsCode, Math.min(room, MOST_BYTES));
    if (bytes === null) return;
    room -= bytes.length;
    attachments.push(packing.pack(programAttachment(part, fileId, path), bytes));
  };
  for (const program of met) {
    const elf = held.open(program);
    if (elf === null) continue;
    store('program', program, elf);
    if (!has(elf, 'symbols') || !has(elf, 'dwarf')) storeDebugFile(program, elf, store);
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

/** Null if it has more than `most` bytes of symbols. */
function symbolsOf(elf: ElfFile, keepsCode: boolean, most: number): Uint8Array | null {
  for (const dwarf of [true, false]) {
    const ranges: FileRange[] | null = namingRanges(elf, { code: keepsCode, dwarf });
    if (ranges !== null && bytesOfParts(ranges) <= most) return encodeParts(elf.source, ranges);
  }
  return null;
}
