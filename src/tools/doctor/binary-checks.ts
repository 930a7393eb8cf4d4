import { existsSync } from 'node:fs';
import { Diagnostics } from '../../base/diagnostics.ts';
import { FailedError } from '../../base/errors.ts';
import { readBuildId } from '../../code/elf/build-id.ts';
import { EM_AARCH64, EM_X86_64, STT_FUNC } from '../../code/elf/constants.ts';
import { type ElfFile, findDynsym, findSymtab, parseElf } from '../../code/elf/elf-file.ts';
import type { ElfSection } from '../../code/elf/sections.ts';
import { readSymbolColumns, type SymbolColumns } from '../../code/elf/symbol-columns.ts';
import { findGoTable } from '../../code/golang/find-go-table.ts';
import { findFrameBounds } from '../../code/symbols/frame-bounds.ts';
import { openFileSource } from '../../read/files/file-source.ts';
import { readTextAt } from '../../read/unwind/unwind-sections.ts';
import { type Check, type DoctorReport, passed, warning } from './check.ts';

/** Smaller functions call nothing, so that no stack needs their frame pointer. */
const LEAST_BYTES = 64;
/** Functions looked at, spread over the file: shares are good to a percent or two. */
const MOST_FUNCTIONS = 4000;
/** A frame pointer is set up within so many bytes of a function's start. */
const PROLOGUE_BYTES = 24;
const MOST_KEPT = 0.8;

/**
 * Checks the stacks through one program or library: whether its functions keep frame pointers
 * (`--call-graph fp`), whether it has unwind tables (`dwarf`, `auto`), and whether it can be named.
 *
 * Throws `FailedError` where `path` is no ELF file that can be read.
 */
export function examineBinary(path: string): DoctorReport {
  if (!existsSync(path)) throw new FailedError(`no such file: ${path}`);
  const source = openFileSource(path);
  try {
    const diagnostics = new Diagnostics();
    const elf = parseElf(source, diagnostics);
    if (elf === null) throw new FailedError(`${path}: not an ELF file`);
    const listed = listFunctions(elf, diagnostics);
    const checks = [
      checkFramePointers(elf, listed),
      checkTables(elf),
      checkSymbols(listed, readBuildId(elf, diagnostics)),
    ];
    return { schema: 'perf-ts/doctor@1', ready: true, checks };
  } finally {
    source.close?.();
  }
}

/** Functions that are large enough to call others. */
type ListedFunctions = {
  /** The table that lists them. */
  readonly from: '.symtab' | '.gopclntab' | '.eh_frame' | '.dynsym';
  /** File addresses. */
  readonly starts: readonly number[];
};

function listFunctions(elf: ElfFile, diagnostics: Diagnostics): ListedFunctions {
  const symtab = findSymtab(elf);
  if (symtab !== null) return { from: '.symtab', starts: readSymbols(elf, symtab, diagnostics) };
  const go = findGoTable(elf, diagnostics);
  const bounds = go?.table.functions() ?? findFrameBounds(elf, diagnostics);
  if (bounds !== null) {
    const { start, end } = bounds;
    const starts = [...start].filter((from, row) => end[row] - from >= LEAST_BYTES);
    return { from: go === null ? '.eh_frame' : '.gopclntab', starts };
  }
  const dynsym = findDynsym(elf);
  return { from: '.dynsym', starts: dynsym === null ? [] : readSymbols(elf, dynsym, diagnostics) };
}

function readSymbols(elf: ElfFile, section: ElfSection, diagnostics: Diagnostics): number[] {
  const symbols: SymbolColumns = readSymbolColumns(
    elf,
    section,
    (type) => type === STT_FUNC,
    diagnostics,
  );
  const starts: number[] = [];
  for (let i = 0; i < symbols.length; i++) {
    if (symbols.size[i] >= LEAST_BYTES) starts.push(symbols.value[i]);
  }
  return starts;
}

function checkFramePointers(elf: ElfFile, { from, starts: functions }: ListedFunctions): Check {
  const name = 'frame-pointers';
  const matters =
    'perf-ts record --call-graph fp follows frame pointers, and loses callers without';
  const fix = [
    'build with -fno-omit-frame-pointer (C, C++), -C force-frame-pointers=yes (Rust)',
    'or record with --call-graph dwarf, or auto',
  ];
  if (from === '.gopclntab') return passed(name, 'Go keeps them', matters);
  const { machine } = elf.header;
  const isSetUp = machine === EM_X86_64 ? setsUpX86 : machine === EM_AARCH64 ? setsUpArm : null;
  if (isSetUp === null) {
    return passed(name, `not known for this architecture (e_machine ${machine})`, matters);
  }
  const step = Math.max(1, functions.length / MOST_FUNCTIONS);
  let looked = 0;
  let kept = 0;
  for (let at = 0; at < functions.length; at += step) {
    const start = functions[Math.floor(at)];
    const text = readTextAt(elf, start, PROLOGUE_BYTES);
    if (text === null) continue;
    looked++;
    if (isSetUp(text)) kept++;
  }
  if (looked === 0) return warning(name, 'no functions to look at', matters, fix);
  const share = kept / looked;
  const found = `${Math.round(100 * share)}% of ${looked} functions set one up`;
  return share >= MOST_KEPT ? passed(name, found, matters) : warning(name, found, matters, fix);
}

/** `push %rbp` and later `mov %rsp,%rbp`: 55 … 48 89 e5, or 48 8b ec. */
function setsUpX86(text: Uint8Array): boolean {
  const push = text.indexOf(0x55);
  for (let i = push + 1; push >= 0 && i + 2 < text.length; i++) {
    if (text[i] !== 0x48) continue;
    if (text[i + 1] === 0x89 && text[i + 2] === 0xe5) return true;
    if (text[i + 1] === 0x8b && text[i + 2] === 0xec) return true;
  }
  return false;
}

/** `mov x29, sp` or `add x29, sp, #n`: 0x910003fd with any immediate. */
function setsUpArm(text: Uint8Array): boolean {
  const view = new DataView(text.buffer, text.byteOffset, text.byteLength);
  for (let at = 0; at + 4 <= text.length; at += 4) {
    if ((view.getUint32(at, true) & 0xff8003ff) >>> 0 === 0x910003fd) return true;
  }
  return false;
}

function checkTables(elf: ElfFile): Check {
  const name = 'unwind-tables';
  const matters = 'perf-ts record --call-graph dwarf, or auto, finds callers by these tables';
  const tables = ['.eh_frame', '.debug_frame'].flatMap((section) => {
    const found = elf.sections.find((one) => one.name === section);
    return found === undefined ? [] : [`${section} of ${found.size} bytes`];
  });
  if (tables.length > 0) return passed(name, tables.join(', '), matters);
  const fix = ['build with -fasynchronous-unwind-tables', 'or keep frame pointers'];
  return warning(name, 'neither .eh_frame nor .debug_frame', matters, fix);
}

function checkSymbols({ from, starts }: ListedFunctions, buildId: string | null): Check {
  const name = 'symbols';
  const matters = 'functions go by their symbols; a build ID finds those of a stripped file';
  const id = buildId === null ? 'no build ID' : `build ID ${buildId}`;
  if (from === '.symtab') return passed(name, `.symtab; ${id}`, matters);
  if (from === '.gopclntab') return passed(name, `.gopclntab; ${id}`, matters);
  const listed =
    from === '.eh_frame'
      ? `${starts.length} functions told apart by .eh_frame, without names`
      : `.dynsym only, ${starts.length} functions`;
  const found = `stripped: ${listed}; ${id}`;
  return warning(name, found, matters, ['install its debug symbols, or do not strip']);
}
