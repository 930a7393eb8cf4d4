import * as dw from './constants.ts';
import { DwarfDamage } from './dwarf-reader.ts';
import { type FormValue, readForm, stringOf, ValueKind } from './form-value.ts';
import type { DwarfUnit } from './unit.ts';

/** Origin, specification, and a few more that no compiler writes. */
const MAX_HOPS = 16;

/** The unit that holds the DIE at `offset`; null if there is none. */
export type FindUnit = (offset: number, isAlternate: boolean, from: DwarfUnit) => DwarfUnit | null;

/**
 * The name of the function at `die`: its linkage name, else its name; both are often on the DIE
 * that it refers to as its origin or specification. Empty if none is found.
 */
export function readFunctionName(
  unit: DwarfUnit,
  die: number,
  isAlternate: boolean,
  findUnit: FindUnit,
): string {
  let current = isAlternate ? findUnit(die, true, unit) : unit;
  let at = die;
  let name = '';
  const value: FormValue = { kind: 0, value: 0 };
  const text: FormValue = { kind: 0, value: 0 };
  for (let hop = 0; hop < MAX_HOPS && current !== null; hop++) {
    if (at < current.rootOffset || at >= current.end) {
      current = findUnit(at, false, current);
      if (current === null) break;
    }
    try {
      const reader = current.sections.reader('info');
      const { attribute, form, implicitConst, ...abbreviations } = rowsOf(current);
      reader.seek(at);
      const row = abbreviations.rowOf(reader.uleb());
      if (row < 0) break;
      text.kind = ValueKind.other;
      let next = -1;
      let isNextAlternate = false;
      for (let i = abbreviations.first(row); i < abbreviations.first(row + 1); i++) {
        readForm(reader, form[i], implicitConst[i], current, value);
        switch (attribute[i]) {
          case dw.DW_AT_linkage_name:
          case dw.DW_AT_MIPS_linkage_name: {
            const linkage = stringOf(current, value);
            if (linkage !== '') return linkage;
            break;
          }
          case dw.DW_AT_name:
            Object.assign(text, value);
            break;
          case dw.DW_AT_abstract_origin:
          case dw.DW_AT_specification:
            isNextAlternate = value.kind === ValueKind.alternateReference;
            if (isNextAlternate || value.kind === ValueKind.reference) next = value.value;
        }
      }
      if (name === '') name = stringOf(current, text);
      if (next < 0) break;
      at = next;
      if (isNextAlternate) current = findUnit(at, true, current);
    } catch (error) {
      if (!(error instanceof DwarfDamage)) throw error;
      break;
    }
  }
  return name;
}

function rowsOf(unit: DwarfUnit) {
  const table = unit.abbreviations();
  return {
    attribute: table.attribute,
    form: table.form,
    implicitConst: table.implicitConst,
    rowOf: (code: number) => table.rowOf(code),
    first: (row: number) => table.firstAttribute[row],
  };
}
