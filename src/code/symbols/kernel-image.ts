import type { Diagnostics } from '../../base/diagnostics.ts';
import { type ElfFile, findSymtab, parseElf } from '../elf/elf-file.ts';
import { hasElfMagic } from '../elf/header.ts';
import { readSymbolColumns, type SymbolFilter } from '../elf/symbol-columns.ts';
import type { KernelReference } from '../process/process-table.ts';
import { loadElfSymbols } from './elf-symbols.ts';
import type { SymbolSource } from './symbol-request.ts';
import type { SymbolTable } from './symbol-table.ts';

/** Symbols of a kernel image, and how far from there the recorded kernel lay. */
export type KernelImageSymbols = {
  readonly table: SymbolTable;
  /** Recorded address − address in the image. */
  readonly shift: number;
};

/** Whether `source` is an ELF file, a `vmlinux`, and no list of symbols. */
export function isKernelImage(source: SymbolSource): boolean {
  return hasElfMagic(source.read(0, 4));
}

/**
 * The symbols of a `vmlinux`. Its addresses are those it was linked at; where the kernel was put in
 * memory follows from the recorded address of one symbol, mostly `_text`. Null, with the reason
 * counted, where that is not known: names would be wrong.
 */
export function loadKernelImage(
  source: SymbolSource,
  reference: KernelReference | null,
  diagnostics: Diagnostics,
): KernelImageSymbols | null {
  const elf = parseElf(source, diagnostics);
  if (elf === null) return null;
  const shift = kernelImageShift(elf, reference, diagnostics);
  if (shift === null) {
    diagnostics.count('kernel-unnamed', 'where the image lay in memory is not recorded');
    return null;
  }
  return { table: loadElfSymbols(elf, null, (name) => name, diagnostics), shift };
}

/** Recorded address − address in the image; null where the recording does not report it. */
export function kernelImageShift(
  elf: ElfFile,
  reference: KernelReference | null,
  diagnostics: Diagnostics,
): number | null {
  const linkedAt = reference && findAddress(elf, reference.symbol, diagnostics);
  return reference === null || linkedAt === null ? null : reference.address - linkedAt;
}

/** Found by its name: a table shows one of the names at an address, and `_text` has aliases. */
function findAddress(elf: ElfFile, name: string, diagnostics: Diagnostics): number | null {
  const symtab = findSymtab(elf);
  if (symtab === null) return null;
  const hasName: SymbolFilter = (_type, _visibility, _section, offset, strings) =>
    strings.byteAt(offset + name.length) === 0 && strings.at(offset) === name;
  const { length, value } = readSymbolColumns(elf, symtab, hasName, diagnostics);
  return length === 0 ? null : value[0];
}
