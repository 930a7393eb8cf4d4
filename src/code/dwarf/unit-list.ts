import { lastAtMost } from '../../base/bisect.ts';
import type { PlainCode } from '../../base/diagnostic-code.ts';
import type { Diagnostics } from '../../base/diagnostics.ts';
import * as dw from './constants.ts';
import { DwarfDamage, type DwarfReader } from './dwarf-reader.ts';
import type { DwarfSections } from './sections.ts';
import { DwarfUnit, parseUnitHeader } from './unit.ts';

/** Units that may still be met, in all files that are open at the same time. */
export type UnitRoom = { left: number };

/** Chromium has 40 000. A unit takes ten bytes of a section at least, and 400 in memory. */
const MOST_UNITS = 1 << 19;

export function newUnitRoom(): UnitRoom {
  return { left: MOST_UNITS };
}

/**
 * The units of one `.debug_info`. They follow each other without a table, so the headers are walked
 * from the front, as far as is asked for; a unit whose offset is known is read by itself. Each
 * unit is one object, however it was come by, and its root DIE is read once.
 */
export class UnitList {
  readonly #sections: DwarfSections;
  readonly #alternate: () => DwarfSections | null;
  readonly #diagnostics: Diagnostics;
  readonly #room: UnitRoom;
  readonly #byOffset = new Map<number, DwarfUnit>();
  /** Units walked so far, in the order of their offsets. */
  readonly #walked: DwarfUnit[] = [];
  #walkedOffsets = new Float64Array(0);
  /** Offset at which the walk goes on. */
  #next = 0;
  #isWhole = false;
  readonly #withRoot = new Set<DwarfUnit>();

  constructor(
    sections: DwarfSections,
    alternate: () => DwarfSections | null,
    diagnostics: Diagnostics,
    room: UnitRoom,
  ) {
    this.#sections = sections;
    this.#room = room;
    this.#alternate = alternate;
    this.#diagnostics = diagnostics;
  }

  /** The unit that begins at `offset`, root read; null where none can be read. */
  at(offset: number): DwarfUnit | null {
    let unit: DwarfUnit | null;
    try {
      unit = this.#parse(this.#sections.reader('info'), offset);
    } catch (error) {
      if (!(error instanceof DwarfDamage)) throw error;
      return null;
    }
    this.readRoot(unit);
    return unit;
  }

  /** The unit whose bytes hold `offset`, root read; null if there is none. */
  holding(offset: number): DwarfUnit | null {
    this.#walkTo(offset);
    const count = this.#walked.length;
    if (this.#walkedOffsets.length !== count) {
      this.#walkedOffsets = Float64Array.from(this.#walked, (unit) => unit.offset);
    }
    const unit = this.#walked[lastAtMost(this.#walkedOffsets, offset, count)];
    if (unit === undefined || offset >= unit.end) return null;
    this.readRoot(unit);
    return unit;
  }

  /** All units in the order of their offsets; `readRoot` has to be called for each. */
  all(): readonly DwarfUnit[] {
    this.#walkTo(Number.POSITIVE_INFINITY);
    return this.#walked;
  }

  /** Reads the root DIE of `unit`, unless that was done before or there is nothing to find in it. */
  readRoot(unit: DwarfUnit): void {
    if (this.#withRoot.has(unit)) return;
    this.#withRoot.add(unit);
    if (unit.rootOffset === 0) {
      this.#diagnostics.count('dwarf-version-unknown', `version ${unit.version}`);
      return;
    }
    if (unit.unitType === dw.DW_UT_type || unit.unitType === dw.DW_UT_split_type) return;
    try {
      unit.readRoot();
    } catch (error) {
      countDamage(error, 'dwarf-unit-damaged', unit, this.#diagnostics);
    }
  }

  /** Parses headers until one ends behind `offset`. */
  #walkTo(offset: number): void {
    if (this.#isWhole || offset < this.#next) return;
    const reader = this.#sections.reader('info');
    while (this.#next <= offset) {
      if (this.#next >= reader.size) {
        this.#isWhole = true;
        return;
      }
      try {
        const unit = this.#parse(reader, this.#next);
        this.#walked.push(unit);
        this.#next = unit.end;
      } catch (error) {
        const at = { offset: this.#next };
        countDamage(error, 'dwarf-unit-header-damaged', at, this.#diagnostics);
        this.#isWhole = true;
      }
      if (this.#isWhole) return;
    }
  }

  #parse(reader: DwarfReader, offset: number): DwarfUnit {
    let unit = this.#byOffset.get(offset);
    if (unit === undefined) {
      if (this.#room.left === 0) throw new DwarfDamage('there are more units than any program has');
      this.#room.left--;
      unit = new DwarfUnit(parseUnitHeader(reader, offset), this.#sections, this.#alternate);
      this.#byOffset.set(offset, unit);
    }
    return unit;
  }
}

/** Counts damage under `code`; what is no damage is thrown again. */
export function countDamage(
  error: unknown,
  code: PlainCode,
  unit: { readonly offset: number },
  diagnostics: Diagnostics,
): void {
  if (!(error instanceof DwarfDamage)) throw error;
  diagnostics.count(code, `unit at offset ${unit.offset}: ${error.message}`);
}
