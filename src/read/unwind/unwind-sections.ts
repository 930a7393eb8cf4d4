import type { Diagnostics } from '../../base/diagnostics.ts';
import { describeError } from '../../base/system-error.ts';
import { readBuildId } from '../../code/elf/build-id.ts';
import { EM_386, EM_AARCH64, EM_ARM, EM_X86_64, PF_X, PT_LOAD } from '../../code/elf/constants.ts';
import { bytesAt, type ElfFile, findSection, parseElf } from '../../code/elf/elf-file.ts';
import { type SectionDecoders, sectionBytes } from '../../code/elf/section-bytes.ts';
import type { DsoKey } from '../../code/process/types.ts';
import { dsoText } from '../../code/symbols/dso-symbols.ts';
import type { SymbolProvider, SymbolSource } from '../../code/symbols/symbol-request.ts';
import type {
  UnwindArchitecture,
  UnwindSection,
  UnwindSections,
} from '../../code/unwind/module-input.ts';
import { wordBytesOf } from '../../code/unwind/stack-bytes.ts';
import { sectionDecoders } from '../files/section-decoders.ts';
import { throughWindows } from './code-windows.ts';

/** ELF machines. */
const MACHINES: Readonly<Record<UnwindArchitecture, number>> = {
  i386: EM_386,
  arm: EM_ARM,
  'x86-64': EM_X86_64,
  aarch64: EM_AARCH64,
};
/** Mappings start at whole pages; larger ones come out right too, as their offsets are multiples. */
const PAGE_BYTES = 4096;
/** Pieces of code that are read at once where no table has an answer. */
const MOST_TEXT_BYTES = 1 << 16;

/** A file with code: what unwinding asks of it. */
export type UnwindFile = {
  readonly elf: ElfFile;
  readonly source: SymbolSource;
  readonly sections: UnwindSections;
};

/**
 * Opens the file of `dso` and reads its unwind tables; null, with the reason counted, if it can't be had
 * or is not the one recorded, or holds no code of `architecture`. The source stays open for `readText`; who gets it
 * closes it.
 */
export function openUnwindFile(
  dso: DsoKey,
  buildId: string | null,
  provider: SymbolProvider,
  diagnostics: Diagnostics,
  architecture: UnwindArchitecture,
  decoders: SectionDecoders = sectionDecoders,
): UnwindFile | null {
  if (dso.kind !== 'user-file' && dso.kind !== 'vdso') return null;
  const source = provider({ need: dso.kind === 'vdso' ? 'vdso' : 'elf', dso, buildId });
  if (source === null) return null;
  try {
    const elf = parseElf(source, diagnostics);
    if (elf !== null && isRecorded(elf, dso, buildId, diagnostics, architecture)) {
      return { elf, source, sections: readSections(elf, diagnostics, decoders) };
    }
  } catch (error) {
    diagnostics.count('file-unreadable', `${dsoText(dso)}: ${describeError(error)}`);
  }
  source.close?.();
  return null;
}

function isRecorded(
  elf: ElfFile,
  dso: DsoKey,
  buildId: string | null,
  diagnostics: Diagnostics,
  architecture: UnwindArchitecture,
): boolean {
  const { machine, is64, littleEndian } = elf.header;
  const isSameWidth = is64 === (wordBytesOf(architecture) === 8);
  if (machine !== MACHINES[architecture] || !isSameWidth || !littleEndian) {
    // The vDSO at hand is that of 64-bit programs.
    if (dso.kind !== 'vdso') {
      diagnostics.count('unwind-file-of-other-architecture', dsoText(dso));
    }
    return false;
  }
  if (buildId === null || readBuildId(elf, diagnostics) === buildId) return true;
  diagnostics.count('file-of-other-build', dsoText(dso));
  return false;
}

/** The sections that unwinding reads. */
export function readSections(
  elf: ElfFile,
  diagnostics: Diagnostics,
  decoders: SectionDecoders = sectionDecoders,
): UnwindSections {
  const read = (name: string): UnwindSection | null => {
    const bytes = sectionBytes(elf, name, diagnostics, decoders);
    return bytes === null ? null : { bytes, address: findSection(elf, name)?.address ?? 0 };
  };
  return {
    ehFrame: read('.eh_frame'),
    ehFrameHdr: read('.eh_frame_hdr'),
    debugFrame: read('.debug_frame'),
    armIndex: elf.header.machine === EM_ARM ? read('.ARM.exidx') : null,
    armTable: elf.header.machine === EM_ARM ? read('.ARM.extab') : null,
    addressBytes: elf.header.is64 ? 8 : 4,
    textAddress: findSection(elf, '.text')?.address ?? 0,
    gotAddress: (findSection(elf, '.got') ?? findSection(elf, '.got.plt'))?.address ?? 0,
    readText: throughWindows((address, length) => readTextAt(elf, address, length)),
  };
}

/** Code at a file address, cut at the end of its segment; null where there is none. */
export function readTextAt(elf: ElfFile, address: number, length: number): Uint8Array | null {
  return bytesAt(elf, address, Math.min(length, MOST_TEXT_BYTES), PF_X);
}

/**
 * File address minus file offset in the segment that a mapping of code from `fileOffset` on belongs to.
 * The kernel maps whole pages, so a mapping may begin before its segment does:
 *
 *   file     … |  r--  | r-x  segment at offset 0x1f40          |
 *   mapping            |-- from offset 0x1000 ------------------|
 */
export function segmentBias({ programHeaders }: ElfFile, fileOffset: number): number {
  let bias = 0;
  for (const { type, flags, offset, address, fileSize } of programHeaders) {
    if (type !== PT_LOAD || fileSize === 0) continue;
    const firstPage = offset - (offset % PAGE_BYTES);
    if (fileOffset < firstPage || fileOffset >= offset + fileSize) continue;
    bias = address - offset;
    if ((flags & PF_X) !== 0) return bias;
  }
  return bias;
}
