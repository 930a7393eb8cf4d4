import type { Diagnostics } from '../base/diagnostics.ts';
import {
  DW_SECT_abbrev,
  DW_SECT_info,
  DW_SECT_rnglists,
  DW_SECT_str_offsets,
} from './constants.ts';
import { DwarfDamage, type DwarfReader } from './dwarf-reader.ts';
import { DwarfSections, type SectionProvider } from './sections.ts';
import { parseUnitHeader, Unit } from './unit.ts';
import { countDamage } from './unit-list.ts';

/** Which split file a skeleton unit stands for. */
export type SplitRequest = {
  /** DW_AT_dwo_name: a path, relative to the directory. */
  readonly dwoName: string;
  readonly compilationDirectory: string;
};

export type SplitProvider = {
  /** Sections of a `.dwo` file; null if it can't be had. */
  readonly dwo: (request: SplitRequest) => SectionProvider | null;
  /** Sections of the file's package (`.dwp`); null if there is none. Asked once. */
  readonly dwp: () => SectionProvider | null;
};

const MAX_COLUMNS = 16;
const MAX_ROWS = 1 << 20;

/** Offsets of one unit's contributions to the sections of a package, by DW_SECT. */
type PackageRow = ReadonlyMap<number, number>;

/** Finds the unit with the code that a skeleton unit stands for: in a package, else in its file. */
export class SplitUnits {
  readonly #provider: SplitProvider;
  readonly #littleEndian: boolean;
  readonly #diagnostics: Diagnostics;
  #package: { sections: DwarfSections; rows: ReadonlyMap<string, PackageRow> } | null | undefined;

  constructor(provider: SplitProvider, littleEndian: boolean, diagnostics: Diagnostics) {
    this.#provider = provider;
    this.#littleEndian = littleEndian;
    this.#diagnostics = diagnostics;
  }

  /** Null, and counted, if it can't be had. */
  find(skeleton: Unit): Unit | null {
    try {
      return this.#findInPackage(skeleton) ?? this.#findInFile(skeleton);
    } catch (error) {
      countDamage(error, 'split DWARF damaged', skeleton, this.#diagnostics);
      return null;
    }
  }

  #findInFile(skeleton: Unit): Unit | null {
    const { dwoName, compilationDirectory, dwoId } = skeleton;
    const provide = this.#provider.dwo({ dwoName, compilationDirectory });
    if (provide === null) {
      this.#diagnostics.count('split DWARF file (.dwo) not found', dwoName);
      return null;
    }
    const sections = new DwarfSections(provide, this.#littleEndian, '.dwo');
    const reader = sections.reader('info');
    for (let offset = 0; offset < reader.size; ) {
      const header = parseUnitHeader(reader, offset);
      offset = header.end;
      const unit = new Unit(header, sections, noAlternate, skeleton);
      unit.readRoot();
      if (unit.dwoId === dwoId) return unit;
    }
    this.#diagnostics.count('split DWARF file (.dwo) is of another build', dwoName);
    return null;
  }

  #findInPackage(skeleton: Unit): Unit | null {
    this.#package ??= this.#openPackage();
    const row = this.#package?.rows.get(skeleton.dwoId);
    if (this.#package === null || row === undefined) return null;
    const { sections } = this.#package;
    const header = parseUnitHeader(sections.reader('info'), row.get(DW_SECT_info) ?? 0);
    const unit = new Unit(header, sections, noAlternate, skeleton, {
      abbreviations: row.get(DW_SECT_abbrev) ?? 0,
      stringOffsets: row.get(DW_SECT_str_offsets) ?? 0,
      // In version 4 this number was another section's; split units had no range lists then.
      rangeLists: header.version >= 5 ? (row.get(DW_SECT_rnglists) ?? 0) : 0,
    });
    unit.readRoot();
    return unit;
  }

  #openPackage() {
    const provide = this.#provider.dwp();
    if (provide === null) return null;
    const sections = new DwarfSections(provide, this.#littleEndian, '.dwo');
    const source = provide('.debug_cu_index');
    if (source === null) return null;
    // The index is a section without the suffix.
    const index = new DwarfSections(() => source, this.#littleEndian).reader('cu_index');
    return { sections, rows: parsePackageIndex(index) };
  }
}

const noAlternate = () => null;

/**
 * `.debug_cu_index`: a hash table from dwo id to row, and a table of contributions.
 *
 *   u32 version (5: u16 and u16 padding), u32 columns, u32 units, u32 slots,
 *   u64 id[slots], u32 row[slots] (from 1; 0: empty), u32 section[columns],
 *   u32 offset[units][columns], u32 size[units][columns]
 */
function parsePackageIndex(reader: DwarfReader): Map<string, PackageRow> {
  const rows = new Map<string, PackageRow>();
  reader.seek(4);
  const columns = reader.u32();
  const units = reader.u32();
  const slots = reader.u32();
  const ids = reader.at;
  const offsets = ids + slots * 12 + columns * 4;
  const isPossible = columns <= MAX_COLUMNS && units <= MAX_ROWS && slots <= 4 * MAX_ROWS;
  if (!isPossible || offsets + units * columns * 4 > reader.size) {
    throw new DwarfDamage('package index larger than its section');
  }
  const sections: number[] = [];
  reader.seek(ids + slots * 12);
  for (let i = 0; i < columns; i++) sections.push(reader.u32());
  for (let slot = 0; slot < slots; slot++) {
    reader.seek(ids + slots * 8 + slot * 4);
    const row = reader.u32();
    if (row === 0 || row > units) continue;
    reader.seek(offsets + (row - 1) * columns * 4);
    const contributions = new Map<number, number>();
    for (const section of sections) contributions.set(section, reader.u32());
    let id = '';
    for (const byte of reader.peek(ids + slot * 8, 8)) {
      id += byte.toString(16).padStart(2, '0');
    }
    rows.set(id, contributions);
  }
  return rows;
}
