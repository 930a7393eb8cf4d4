import type { Diagnostics } from '../../base/diagnostics.ts';
import {
  DW_SECT_abbrev,
  DW_SECT_info,
  DW_SECT_rnglists,
  DW_SECT_str_offsets,
} from './constants.ts';
import { DwarfDamage, type DwarfReader } from './dwarf-reader.ts';
import { DwarfSections, type SectionProvider } from './sections.ts';
import { DwarfUnit, parseUnitHeader } from './unit.ts';
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
  /**
   * Files that are at hand and may hold split units themselves, in sections as those of a `.dwo` or a
   * package: the one with the skeletons, and the program where that is another one. Asked once.
   */
  readonly own?: () => readonly SectionProvider[];
};

const MAX_COLUMNS = 16;
const MAX_ROWS = 1 << 20;

/** Offsets of one unit's contributions to the sections of a package, by DW_SECT. */
type PackageRow = ReadonlyMap<number, number>;

type Package = { sections: DwarfSections; rows: ReadonlyMap<string, PackageRow> };

/**
 * Finds the unit with the code that a skeleton unit stands for: beside the skeleton, in a package, else
 * in its file.
 */
export class SplitUnits {
  readonly #provider: SplitProvider;
  readonly #littleEndian: boolean;
  readonly #diagnostics: Diagnostics;
  #package: Package | null | undefined;
  #own: readonly OwnSections[] | undefined;

  constructor(provider: SplitProvider, littleEndian: boolean, diagnostics: Diagnostics) {
    this.#provider = provider;
    this.#littleEndian = littleEndian;
    this.#diagnostics = diagnostics;
  }

  /** Null, and counted, if it can't be had. */
  find(skeleton: DwarfUnit): DwarfUnit | null {
    try {
      const own = this.#findInOwn(skeleton);
      if (own !== null) return own;
      if (this.#package === undefined) {
        const provide = this.#provider.dwp();
        this.#package = provide && this.#openPackage(provide);
      }
      const packed = this.#package && findInPackage(this.#package, skeleton);
      return packed ?? this.#findInFile(skeleton);
    } catch (error) {
      countDamage(error, 'split-dwarf-damaged', skeleton, this.#diagnostics);
      return null;
    }
  }

  /** Damaged sections there hide neither packages nor files. */
  #findInOwn(skeleton: DwarfUnit): DwarfUnit | null {
    this.#own ??= (this.#provider.own?.() ?? []).flatMap((provide) => this.#openOwn(provide));
    for (const { sections, asPackage } of this.#own) {
      try {
        const unit =
          asPackage === null
            ? findInSections(sections, skeleton)
            : findInPackage(asPackage, skeleton);
        if (unit !== null) return unit;
      } catch (error) {
        countDamage(error, 'split-dwarf-damaged', skeleton, this.#diagnostics);
      }
    }
    return null;
  }

  #findInFile(skeleton: DwarfUnit): DwarfUnit | null {
    const { dwoName, compilationDirectory } = skeleton;
    const provide = this.#provider.dwo({ dwoName, compilationDirectory });
    if (provide === null) {
      this.#diagnostics.count('split-dwarf-missing', dwoName);
      return null;
    }
    const sections = new DwarfSections(provide, this.#littleEndian, '.dwo');
    const unit = findInSections(sections, skeleton);
    if (unit !== null) return unit;
    this.#diagnostics.count('split-dwarf-of-other-build', dwoName);
    return null;
  }

  #openOwn(provide: SectionProvider): OwnSections[] {
    const sections = new DwarfSections(provide, this.#littleEndian, '.dwo');
    if (sections.reader('info').size === 0) return [];
    try {
      return [{ sections, asPackage: this.#openPackage(provide) }];
    } catch (error) {
      if (!(error instanceof DwarfDamage)) throw error;
      this.#diagnostics.count('split-dwarf-damaged', error.message);
      return [];
    }
  }

  #openPackage(provide: SectionProvider): Package | null {
    const sections = new DwarfSections(provide, this.#littleEndian, '.dwo');
    const source = provide('.debug_cu_index');
    if (source === null) return null;
    // The index is a section without the suffix.
    const index = new DwarfSections(() => source, this.#littleEndian).reader('cu_index');
    return { sections, rows: parsePackageIndex(index) };
  }
}

/** Split units in a file that has other units, too. */
type OwnSections = { readonly sections: DwarfSections; readonly asPackage: Package | null };

function findInPackage({ sections, rows }: Package, skeleton: DwarfUnit): DwarfUnit | null {
  const row = rows.get(skeleton.dwoId);
  if (row === undefined) return null;
  const header = parseUnitHeader(sections.reader('info'), row.get(DW_SECT_info) ?? 0);
  const unit = new DwarfUnit(header, sections, noAlternate, skeleton, {
    abbreviations: row.get(DW_SECT_abbrev) ?? 0,
    stringOffsets: row.get(DW_SECT_str_offsets) ?? 0,
    // In version 4 this number was another section's; split units had no range lists then.
    rangeLists: header.version >= 5 ? (row.get(DW_SECT_rnglists) ?? 0) : 0,
  });
  unit.readRoot();
  return unit;
}

/** Among the units of a section without an index. */
function findInSections(sections: DwarfSections, skeleton: DwarfUnit): DwarfUnit | null {
  const reader = sections.reader('info');
  for (let offset = 0; offset < reader.size; ) {
    const header = parseUnitHeader(reader, offset);
    offset = header.end;
    // Version 5 has the id in the header.
    if (header.dwoId !== '' && header.dwoId !== skeleton.dwoId) continue;
    const unit = new DwarfUnit(header, sections, noAlternate, skeleton);
    unit.readRoot();
    if (unit.dwoId === skeleton.dwoId) return unit;
  }
  return null;
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
