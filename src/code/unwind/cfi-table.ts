import { lastAtMost } from '../../base/bisect.ts';
import type { Diagnostics } from '../../base/diagnostics.ts';
import { GrowableFloat64 } from '../../base/growable-columns.ts';
import { sortedOrder, valuesAt } from '../../base/sorted-order.ts';
import { LR as ARM_LINK_REGISTER } from './arm-registers.ts';
import { CfiProgram } from './cfi-program.ts';
import type { CfiRow } from './cfi-row.ts';
import { EhFrameHdr } from './eh-frame-hdr.ts';
import { ExceptionIndex } from './exception-index.ts';
import { FOUND } from './found.ts';
import { Fde, FrameEntries } from './frame-entries.ts';
import type { UnwindSections } from './module-input.ts';
import type { PointerBases, SectionReader } from './section-reader.ts';

const NO_BASES: PointerBases = { text: 0, data: 0 };

/**
 * The frame tables of one file: `.eh_frame` first, then `.debug_frame`, then those for exceptions of
 * 32-bit Arm, which hold at calls only, not at any instruction.
 */
export class CfiTable {
  /** Reader of the section that the last row came from: its expressions lie there. */
  reader: SectionReader | null = null;
  /** Property of the last row. */
  isSignalFrame = false;
  returnAddressRegister = 0;
  readonly #ehFrame: FrameEntries | null;
  readonly #hdr: EhFrameHdr | null;
  readonly #debugFrame: FrameEntries | null;
  readonly #bases: PointerBases;
  readonly #diagnostics: Diagnostics;
  readonly #name: string;
  readonly #exceptions: ExceptionIndex | null;
  #ehFrameIndex: FdeIndex | null = null;
  #debugFrameIndex: FdeIndex | null = null;
  readonly #fde = new Fde();
  readonly #program = new CfiProgram();

  constructor(sections: UnwindSections, name: string, diagnostics: Diagnostics) {
    const { ehFrame, ehFrameHdr, debugFrame } = sections;
    this.#bases = { text: sections.textAddress, data: sections.gotAddress };
    const { addressBytes = 8 } = sections;
    this.#ehFrame = ehFrame && new FrameEntries(ehFrame, true, this.#bases, addressBytes);
    this.#hdr = ehFrame && ehFrameHdr && EhFrameHdr.parse(ehFrameHdr);
    this.#debugFrame = debugFrame && new FrameEntries(debugFrame, false, NO_BASES, addressBytes);
    this.#exceptions = sections.armIndex
      ? new ExceptionIndex(sections.armIndex, sections.armTable ?? null)
      : null;
    this.#diagnostics = diagnostics;
    this.#name = name;
  }

  /** Leaves in `row` what holds at the file address `address`. Returns `FOUND`. */
  findRow(address: number, row: CfiRow): number {
    const inEhFrame = this.#ehFrame && this.#findEhFrame(this.#ehFrame, address);
    if (inEhFrame) return this.#evaluate(inEhFrame, address, row);
    const debugFrame = this.#debugFrame;
    if (debugFrame !== null) {
      this.#debugFrameIndex ??= new FdeIndex(debugFrame);
      if (this.#covers(debugFrame, this.#debugFrameIndex.find(address), address)) {
        return this.#evaluate(debugFrame, address, row);
      }
    }
    return this.#exceptions === null
      ? FOUND.NOTHING
      : this.#evaluateException(this.#exceptions, address, row);
  }

  #evaluateException(exceptions: ExceptionIndex, address: number, row: CfiRow): number {
    const found = exceptions.findRow(address, row);
    this.reader = exceptions.reader;
    this.isSignalFrame = false;
    this.returnAddressRegister = ARM_LINK_REGISTER;
    if (found === FOUND.DAMAGED) {
      this.#diagnostics.count('unwind-table-damaged', this.#name);
    }
    return found;
  }

  /**
   * Begin and end of the function that covers the file address `address`; null: no entry does.
   */
  rangeAt(address: number): { readonly start: number; readonly end: number } | null {
    let isCovered = this.#ehFrame !== null && this.#findEhFrame(this.#ehFrame, address) !== null;
    if (!isCovered && this.#debugFrame !== null) {
      this.#debugFrameIndex ??= new FdeIndex(this.#debugFrame);
      const offset = this.#debugFrameIndex.find(address);
      isCovered = this.#covers(this.#debugFrame, offset, address);
    }
    return isCovered ? { start: this.#fde.start, end: this.#fde.end } : null;
  }

  #findEhFrame(entries: FrameEntries, address: number): FrameEntries | null {
    if (this.#hdr !== null) {
      const offset = this.#hdr.find(address) - entries.reader.address;
      return this.#covers(entries, offset, address) ? entries : null;
    }
    this.#ehFrameIndex ??= new FdeIndex(entries);
    return this.#covers(entries, this.#ehFrameIndex.find(address), address) ? entries : null;
  }

  /** Reads the entry at `offset`; whether it is a function's that covers `address`. */
  #covers(entries: FrameEntries, offset: number, address: number): boolean {
    if (!(offset >= 0 && offset < entries.reader.bytes.length)) return false;
    const fde = this.#fde;
    entries.readEntry(offset, fde);
    return fde.cie !== null && address >= fde.start && address < fde.end;
  }

  #evaluate(entries: FrameEntries, address: number, row: CfiRow): number {
    const fde = this.#fde;
    const { reader } = entries;
    if (fde.cie === null || !this.#program.evaluate(reader, fde, this.#bases, address, row)) {
      this.#diagnostics.count('unwind-table-damaged', this.#name);
      return FOUND.DAMAGED;
    }
    this.reader = reader;
    this.isSignalFrame = fde.cie.isSignalFrame;
    this.returnAddressRegister = fde.cie.returnAddressRegister;
    return FOUND.ROW;
  }
}

/**
 * The functions of a section in the order of their addresses, made once where the file brings no
 * table. Overlapping entries don't occur in what linkers write; of two with one start, one wins.
 */
class FdeIndex {
  readonly #starts: Float64Array;
  readonly #offsets: Float64Array;

  constructor(entries: FrameEntries) {
    const starts = new GrowableFloat64();
    const offsets = new GrowableFloat64();
    const fde = new Fde();
    for (let offset = 0; offset >= 0; ) {
      const next = entries.readEntry(offset, fde);
      // A start of 0 is that of a function which the linker threw away.
      if (fde.cie !== null && fde.start !== 0) {
        starts.push(fde.start);
        offsets.push(offset);
      }
      offset = next;
    }
    const unsorted = starts.array;
    const order = sortedOrder(unsorted, starts.length);
    this.#starts = valuesAt(unsorted, order);
    this.#offsets = valuesAt(offsets.array, order);
  }

  get length(): number {
    return this.#starts.length;
  }

  /** Offset of the entry of the last function that starts at or before `address`, −1 if none. */
  find(address: number): number {
    const row = lastAtMost(this.#starts, address);
    return row < 0 ? -1 : this.#offsets[row];
  }
}
