import { lastAtMost } from '../../base/bisect.ts';
import type { Diagnostics } from '../../base/diagnostics.ts';
import { GrowableFloat64 } from '../../base/growable-columns.ts';
import { sortedOrder, valuesAt } from '../../base/sorted-order.ts';
import type { Spans } from '../../base/spans.ts';
import { AddressRanges, areWithin, isRemoved, mergeRanges, readRanges } from './address-ranges.ts';
import { type AddressSets, readAddressSets } from './address-sets.ts';
import * as dw from './constants.ts';
import { ValueKind } from './form-value.ts';
import type { DwarfSections } from './sections.ts';
import type { DwarfUnit } from './unit.ts';
import { countDamage, UnitList, type UnitRoom } from './unit-list.ts';

const MAX_RANGES = 1 << 24;

/** A unit that has an address set, compared with what its root DIE states. */
type CheckedUnit = {
  readonly unit: DwarfUnit;
  /** The root's ranges where the set claims more than these; null where the set may be believed. */
  readonly rootRanges: Spans | null;
};

/**
 * Which units have code at an address.
 *
 * `.debug_aranges` says it without all units being read. Of the units it names, the root DIE is read,
 * and has to agree: the first set that is found wrong, or to lack code that its unit has, ends the
 * belief in all of them. For an address that no set covers the roots of all units are read, since
 * some producers write no sets.
 */
export class UnitIndex {
  readonly #list: UnitList;
  readonly #sections: DwarfSections;
  readonly #diagnostics: Diagnostics;
  readonly #offsets = new Float64Array(MOST_CANDIDATES);
  readonly #checked = new Map<number, CheckedUnit | null>();
  #sets: AddressSets | null = null;
  /** Ranges of the sets, as long as they are believed. */
  #bySet: RangeIndex | null = null;
  /** Ranges of the roots of all units, read when no set helps. */
  #byRoot: RangeIndex | null = null;

  constructor(
    sections: DwarfSections,
    alternate: () => DwarfSections | null,
    diagnostics: Diagnostics,
    room: UnitRoom,
  ) {
    this.#sections = sections;
    this.#diagnostics = diagnostics;
    this.#list = new UnitList(sections, alternate, diagnostics, room);
  }

  /** The unit whose bytes hold `offset` of `.debug_info`; null if there is none. */
  unitAt(offset: number): DwarfUnit | null {
    return this.#list.holding(offset);
  }

  /** Writes into `out` the units with code at `address`; returns how many. */
  // Hot: once per address.
  find(address: number, out: DwarfUnit[]): number {
    if (this.#sets === null) {
      this.#sets = readAddressSets(this.#sections.reader('aranges'));
      this.#bySet = new RangeIndex(this.#sets.ranges, this.#sets.unitOffsets);
    }
    if (this.#bySet !== null) {
      const count = this.#bySet.find(address, this.#offsets);
      if (count > 0 && this.#takeChecked(address, count, out)) return count;
    }
    this.#byRoot ??= this.#indexRoots();
    const count = this.#byRoot.find(address, this.#offsets);
    for (let i = 0; i < count; i++) {
      out[i] = this.#list.at(this.#offsets[i]) as DwarfUnit;
    }
    return count;
  }

  /** The units at `#offsets` into `out`; false, and no more belief, if a set is wrong. */
  #takeChecked(address: number, count: number, out: DwarfUnit[]): boolean {
    for (let i = 0; i < count; i++) {
      const offset = this.#offsets[i];
      let checked = this.#checked.get(offset);
      if (checked === undefined) {
        checked = this.#check(offset);
        this.#checked.set(offset, checked);
      }
      if (checked === null || !agrees(checked, address)) {
        this.#diagnostics.count('dwarf-aranges-differ', `unit at offset ${offset}`);
        this.#bySet = null;
        return false;
      }
      out[i] = checked.unit;
    }
    return true;
  }

  /** Null where no unit begins at `offset`, or where its set lacks some of its code. */
  #check(offset: number): CheckedUnit | null {
    const unit = this.#list.at(offset);
    if (unit === null || !isUnitTag(unit.rootTag)) return null;
    const ranges = new AddressRanges();
    this.#addRootRanges(unit, ranges);
    // As old compilers left it: only the set states where the code is.
    if (ranges.length === 0) return { unit, rootRanges: null };
    const ofRoot = mergeRanges(ranges);
    const ofSet = new AddressRanges();
    this.#addSet(offset, ofSet);
    if (!areWithin(ranges, mergeRanges(ofSet))) return null;
    // LLVM's sets hold variables too.
    return { unit, rootRanges: areWithin(ofSet, ofRoot) ? null : ofRoot };
  }

  #indexRoots(): RangeIndex {
    const ranges = new AddressRanges();
    const unitOffsets = new GrowableFloat64();
    for (const unit of this.#list.all()) {
      this.#list.readRoot(unit);
      this.#addRootRanges(unit, ranges);
      if (ranges.length === unitOffsets.length) this.#addSet(unit.offset, ranges);
      while (unitOffsets.length < ranges.length) unitOffsets.push(unit.offset);
      if (ranges.length > MAX_RANGES) break;
    }
    return new RangeIndex(ranges, unitOffsets.finish());
  }

  #addRootRanges(unit: DwarfUnit, out: AddressRanges): void {
    try {
      if (unit.ranges.kind !== ValueKind.other) readRanges(unit, unit.ranges, MAX_RANGES, out);
      else if (!Number.isNaN(unit.highPc) && !isRemoved(unit.lowPc)) {
        out.add(unit.lowPc, unit.highPc);
      }
    } catch (error) {
      countDamage(error, 'dwarf-range-list-damaged', unit, this.#diagnostics);
    }
  }

  /** The ranges in the sets of the unit at `offset`. */
  #addSet(offset: number, out: AddressRanges): void {
    const { ranges, rowsOfUnit } = this.#sets as AddressSets;
    const rows = rowsOfUnit.get(offset) ?? [];
    for (let i = 0; i < rows.length; i += 2) {
      for (let row = rows[i]; row < rows[i + 1]; row++) {
        out.add(ranges.start.array[row], ranges.end.array[row]);
      }
    }
  }
}

function agrees({ rootRanges }: CheckedUnit, address: number): boolean {
  return rootRanges === null || rootRanges.has(address, address + 1);
}

function isUnitTag(tag: number): boolean {
  return (
    tag === dw.DW_TAG_compile_unit ||
    tag === dw.DW_TAG_partial_unit ||
    tag === dw.DW_TAG_skeleton_unit
  );
}

/** Units whose ranges overlap: one address may lie in so many. */
const MOST_CANDIDATES = 16;

/** Ranges that may overlap, each of a unit, sorted so that those over an address are found. */
class RangeIndex {
  readonly #start: Float64Array;
  readonly #end: Float64Array;
  /** The highest end up to this row: bounds how far back an address may still be covered. */
  readonly #highestEnd: Float64Array;
  readonly #unitOffset: Float64Array;

  /** The `i`th range is of the unit at `unitOffsets[i]` of `.debug_info`. */
  constructor(ranges: AddressRanges, unitOffsets: Float64Array) {
    const starts = ranges.start.finish();
    const order = sortedOrder(starts);
    this.#start = valuesAt(starts, order);
    this.#end = valuesAt(ranges.end.array, order);
    this.#unitOffset = valuesAt(unitOffsets, order);
    let highest = Number.NEGATIVE_INFINITY;
    this.#highestEnd = this.#end.map((end) => {
      highest = Math.max(highest, end);
      return highest;
    });
  }

  /** Writes into `out` the offsets of at most `MOST_CANDIDATES` units; returns how many. */
  // Hot: once per address.
  find(address: number, out: Float64Array): number {
    let count = 0;
    let row = lastAtMost(this.#start, address);
    for (let looked = 0; row >= 0 && looked < MOST_CANDIDATES; row--, looked++) {
      if (this.#highestEnd[row] <= address) break;
      if (address >= this.#end[row]) continue;
      const unit = this.#unitOffset[row];
      if (count === 0 || out[count - 1] !== unit) out[count++] = unit;
    }
    return count;
  }
}
