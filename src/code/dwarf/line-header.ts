import * as dw from './constants.ts';
import { type DwarfReader, damaged } from './dwarf-reader.ts';
import { skipStep, skipValue } from './form-size.ts';
import type { DwarfSections } from './sections.ts';

const MAX_FILES = 0xffff;
const LENGTH_64 = 0xffffffff;

/** Sections that a path can lie in, as `PathTable.section` numbers them. */
const SECTIONS = ['line', 'line_str', 'str'] as const;
const ALTERNATE = SECTIONS.length;
/** A path in a form that is not known. */
const NOWHERE = -1;

/** Paths that are decoded when asked for: section, offset in it, index of the directory. */
export class PathTable {
  readonly section: number[] = [];
  readonly offset: number[] = [];
  readonly directory: number[] = [];

  add(section: number, offset: number, directory: number): void {
    if (this.section.length >= MAX_FILES) damaged();
    this.section.push(section);
    this.offset.push(offset);
    this.directory.push(directory);
  }
}

/** The header of a line program; `reader` then stands at the program's first opcode. */
export type LineHeader = {
  readonly version: number;
  readonly end: number;
  readonly minInstructionLength: number;
  readonly opsPerInstruction: number;
  readonly lineBase: number;
  readonly lineRange: number;
  readonly opcodeBase: number;
  /** Operands of the standard opcode at the index. */
  readonly opcodeLengths: Uint8Array;
  readonly addressSize: number;
  readonly directories: PathTable;
  readonly files: PathTable;
};

/**
 * Reads the header at `offset` of `.debug_line`. Throws `DwarfDamage`.
 *
 *   length, u16 version, [5: u8 address size, u8 segment size], offset header length,
 *   u8 minimum instruction length, [4, 5: u8 operations per instruction], u8 default is_stmt,
 *   s8 line base, u8 line range, u8 opcode base, u8 lengths[opcode base − 1],
 *   2…4: directories "…\0" … "\0", files { "…\0", uleb directory, uleb time, uleb size } … "\0"
 *   5:   u8 formats, { uleb content, uleb form }, uleb count, directories; the same for files
 */
export function parseLineHeader(
  reader: DwarfReader,
  offset: number,
  unitAddressSize: number,
): LineHeader {
  reader.seek(offset);
  let length = reader.u32();
  const is64 = length === LENGTH_64;
  if (is64) length = reader.u64();
  const end = Math.min(reader.at + length, reader.size);
  reader.seek(reader.at, end);
  const version = reader.u16();
  if (version < 2 || version > 5) damaged();
  let addressSize = unitAddressSize;
  if (version >= 5) {
    addressSize = reader.u8();
    reader.u8();
  }
  const headerLength = reader.offset(is64);
  const program = reader.at + headerLength;
  const minInstructionLength = reader.u8();
  const opsPerInstruction = version >= 4 ? reader.u8() : 1;
  reader.u8();
  const lineBase = reader.s8();
  const lineRange = reader.u8();
  const opcodeBase = reader.u8();
  const opcodeLengths = new Uint8Array(256);
  for (let opcode = 1; opcode < opcodeBase; opcode++) opcodeLengths[opcode] = reader.u8();
  const directories = new PathTable();
  const files = new PathTable();
  if (version >= 5) {
    parseEntries(reader, directories, addressSize, is64);
    parseEntries(reader, files, addressSize, is64);
  } else {
    parseOldTables(reader, directories, files);
  }
  reader.seek(program, end);
  return {
    version,
    end,
    minInstructionLength,
    opsPerInstruction: Math.max(1, opsPerInstruction),
    lineBase,
    lineRange,
    opcodeBase,
    opcodeLengths,
    addressSize,
    directories,
    files,
  };
}

function parseOldTables(reader: DwarfReader, directories: PathTable, files: PathTable): void {
  // Directory 0 is the compilation's and not listed; files are counted from 1.
  directories.add(NOWHERE, 0, 0);
  files.add(NOWHERE, 0, 0);
  for (;;) {
    const start = reader.at;
    reader.skipString();
    if (reader.at === start + 1) break;
    directories.add(0, start, 0);
  }
  for (;;) {
    const start = reader.at;
    reader.skipString();
    if (reader.at === start + 1) break;
    files.add(0, start, reader.uleb());
    reader.skipLeb();
    reader.skipLeb();
  }
}

/** `DW_LNE_define_file`: one more file, within the program. */
export function defineFile(reader: DwarfReader, files: PathTable): void {
  const start = reader.at;
  reader.skipString();
  files.add(0, start, reader.uleb());
}

function parseEntries(
  reader: DwarfReader,
  paths: PathTable,
  addressSize: number,
  is64: boolean,
): void {
  const formatCount = reader.u8();
  const formats: { content: number; form: number }[] = [];
  for (let i = 0; i < formatCount; i++) {
    formats.push({ content: reader.uleb(), form: reader.uleb() });
  }
  const count = reader.uleb();
  if (formatCount === 0 && count > 0) damaged();
  for (let i = 0; i < count; i++) {
    const start = reader.at;
    let section = NOWHERE;
    let offset = 0;
    let directory = 0;
    for (const { content, form } of formats) {
      if (content === dw.DW_LNCT_path) {
        section = pathSection(form);
        if (section === 0) {
          offset = reader.at;
          reader.skipString();
        } else if (section !== NOWHERE) {
          offset = reader.offset(is64);
        } else skipForm(reader, form, addressSize, is64);
      } else if (content === dw.DW_LNCT_directory_index) {
        directory = readIndex(reader, form, addressSize, is64);
      } else skipForm(reader, form, addressSize, is64);
    }
    // Forms without bytes would let a header of 600 bytes take millions of steps, for each unit that has it.
    if (reader.at === start) damaged();
    paths.add(section, offset, directory);
  }
}

function pathSection(form: number): number {
  switch (form) {
    case dw.DW_FORM_string:
      return 0;
    case dw.DW_FORM_line_strp:
      return 1;
    case dw.DW_FORM_strp:
      return 2;
    case dw.DW_FORM_strp_sup:
    case dw.DW_FORM_GNU_strp_alt:
      return ALTERNATE;
    default:
      return NOWHERE;
  }
}

function readIndex(reader: DwarfReader, form: number, addressSize: number, is64: boolean): number {
  switch (form) {
    case dw.DW_FORM_data1:
      return reader.u8();
    case dw.DW_FORM_data2:
      return reader.u16();
    case dw.DW_FORM_udata:
      return reader.uleb();
    default:
      skipForm(reader, form, addressSize, is64);
      return 0;
  }
}

function skipForm(reader: DwarfReader, form: number, addressSize: number, is64: boolean): void {
  skipValue(reader, skipStep(form, addressSize, 5, is64), addressSize, 5, is64);
}

/**
 * The path of file `index`: joined with its directory, and that with the compilation's. Empty if
 * there is no such file.
 */
export function filePath(
  { version, directories, files }: LineHeader,
  index: number,
  compilationDirectory: string,
  sections: DwarfSections,
  alternate: () => DwarfSections | null,
): string {
  const name = text(files, index);
  if (name === '' || name.startsWith('/')) return name;
  const directoryIndex = files.directory[index];
  let directory = text(directories, directoryIndex);
  // In version 5 directory 0 is the compilation's.
  if (!directory.startsWith('/') && !(version >= 5 && directoryIndex === 0 && directory !== '')) {
    directory = join(compilationDirectory, directory);
  }
  return join(directory, name);

  function text(paths: PathTable, row: number): string {
    const section = paths.section[row] ?? NOWHERE;
    if (section === NOWHERE) return '';
    const offset = paths.offset[row];
    if (section === ALTERNATE) return alternate()?.string('str', offset) ?? '';
    if (section === 0) return sections.string('line', offset);
    return sections.string(SECTIONS[section] as string, offset);
  }
}

function join(directory: string, name: string): string {
  if (directory === '' || name === '') return directory + name;
  return directory.endsWith('/') ? directory + name : `${directory}/${name}`;
}
