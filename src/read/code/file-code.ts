import { Diagnostics } from '../../base/diagnostics.ts';
import type { InstructionSet } from '../../code/disassembly/types.ts';
import { readBuildId } from '../../code/elf/build-id.ts';
import { type ElfFile, parseElf } from '../../code/elf/elf-file.ts';
import { isWithoutCode } from '../../code/elf/naming-ranges.ts';
import type { DsoKey } from '../../code/process/types.ts';
import { dsoText } from '../../code/symbols/dso-symbols.ts';
import { SegmentMap } from '../../code/symbols/elf-symbols.ts';
import type { SymbolRequest, SymbolSource } from '../../code/symbols/symbol-request.ts';
import { CfiTable } from '../../code/unwind/cfi-table.ts';
import { absenceText } from '../../findings/diagnostic-text.ts';
import { mayBeShown } from '../files/access.ts';
import { SymbolFiles, type SymbolFilesOptions } from '../files/symbol-files.ts';
import { readSections } from '../unwind/unwind-sections.ts';
import { architectureOf } from './machine.ts';

/** A mapped file with code, opened; whoever opened it closes it. */
export class CodeFile {
  readonly architecture: InstructionSet;
  readonly #source: SymbolSource;
  readonly #elf: ElfFile;
  readonly #name: string;
  readonly #segments: SegmentMap;
  #table: CfiTable | null = null;

  constructor(source: SymbolSource, elf: ElfFile, architecture: InstructionSet, name: string) {
    this.#source = source;
    this.#elf = elf;
    this.#name = name;
    this.#segments = new SegmentMap(elf);
    this.architecture = architecture;
  }

  /** Bytes at an offset in the file, as frames have their addresses. */
  read(offset: number, length: number): Uint8Array {
    return this.#source.read(offset, length);
  }

  /** Whether code is not in the file, though its symbols are. */
  isWithoutCode(): boolean {
    return isWithoutCode(this.#elf);
  }

  toFileAddress(offset: number): number {
    return this.#segments.toFileAddress(offset);
  }

  /** The start and end of the function around an offset, by the frame tables; null: they don't say. */
  rangeAt(offset: number): { readonly start: number; readonly end: number } | null {
    const uncounted = new Diagnostics();
    this.#table ??= new CfiTable(readSections(this.#elf, uncounted), this.#name, uncounted);
    const address = this.toFileAddress(offset);
    const range = this.#table.rangeAt(address);
    if (range === null) return null;
    return { start: range.start - address + offset, end: range.end - address + offset };
  }

  close(): void {
    this.#source.close?.();
  }
}

/**
 * Opens the file of `dso`; a sentence that says why where that can't be. An archive may have its symbols
 * alone: then the same build may still be on this machine.
 */
export function openCodeFile(
  dso: DsoKey,
  buildId: string | null,
  options: Omit<SymbolFilesOptions, 'diagnostics'>,
  recording: string,
): CodeFile | string {
  const file = openFirstFile(dso, buildId, options, recording);
  if (typeof file === 'string' || !file.isWithoutCode()) return file;
  file.close();
  const { archive, stored: _, ...elsewhere } = options;
  if (archive !== undefined && buildId !== null) {
    const whole = openFirstFile(dso, buildId, elsewhere, recording);
    if (typeof whole !== 'string') {
      if (!whole.isWithoutCode()) return whole;
      whole.close();
    }
  }
  return `${dsoText(dso)}: its symbols were stored without its code (perf-ts archive --full stores both)`;
}

function openFirstFile(
  dso: DsoKey,
  buildId: string | null,
  options: Omit<SymbolFilesOptions, 'diagnostics'>,
  recording: string,
): CodeFile | string {
  const diagnostics = new Diagnostics();
  const name = dsoText(dso);
  const need = dso.kind === 'vdso' ? 'vdso' : 'elf';
  const request: SymbolRequest = { need, dso, buildId };
  const source = new SymbolFiles({ ...options, diagnostics }).provide(request);
  if (source === null) return whyAbsent(name, diagnostics);
  const file = readCodeFile(source, name, buildId, recording);
  if (typeof file === 'string') source.close?.();
  return file;
}

function readCodeFile(
  source: SymbolSource,
  name: string,
  buildId: string | null,
  recording: string,
): CodeFile | string {
  if (!mayBeShown(source, recording)) {
    return `${name}: another user's, and not for everybody to read`;
  }
  const uncounted = new Diagnostics();
  const elf = parseElf(source, uncounted);
  if (elf === null) return `${name}: not an ELF file`;
  if (buildId !== null && readBuildId(elf, uncounted) !== buildId) {
    return `${name}: not the file that was recorded (build ID differs)`;
  }
  const architecture = architectureOf(elf.header.machine);
  if (architecture === null || !elf.header.littleEndian) {
    return `${name}: code of ELF machine ${elf.header.machine} is not disassembled`;
  }
  return new CodeFile(source, elf, architecture, name);
}

/** Why the search for the file found none, as a sentence. */
function whyAbsent(name: string, diagnostics: Diagnostics): string {
  for (const entry of diagnostics.entries()) {
    const isOfFile = entry.code === 'names-missing' && entry.subject === name;
    if (isOfFile) return `${name}: ${absenceText(name, entry.why)}`;
  }
  return `${name}: the file is not at hand`;
}
