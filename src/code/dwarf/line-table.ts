import { lastAtMost, lastOffsetAtMost } from '../../base/bisect.ts';
import { NONE } from '../../base/brand.ts';
import { sortedOrder } from '../../base/sorted-order.ts';
import { isRemoved } from './address-ranges.ts';
import * as dw from './constants.ts';
import { DwarfDamage, type DwarfReader } from './dwarf-reader.ts';
import { defineFile, type LineHeader, parseLineHeader } from './line-header.ts';

/** A sequence is code in one piece; a longer one is damage. */
const MAX_SEQUENCE_BYTES = 2 ** 32;
const MAX_COLUMN = 0xffff;
/** Stands for a file beyond those that a row can name; no unit has so many. */
const NO_FILE = 0xffff;
const FIRST_CAPACITY = 1 << 14;

/**
 * The rows of a line program. A sequence is a run of code without gaps: the addresses from
 * `start[s]` to `end[s]`, rows `firstRow[s]` to `firstRow[s + 1]`. Sequences are sorted by start.
 * A row holds from its address (`start[s] + offset[row]`) to that of the next row. Where the program
 * makes several at one address, only the last one is kept.
 */
export type LineTable = {
  readonly header: LineHeader;
  readonly start: Float64Array;
  readonly end: Float64Array;
  /** Rows of sequence `s`: from here, `rowCount[s]` of them. */
  readonly firstRow: Int32Array;
  readonly rowCount: Int32Array;
  readonly offset: Uint32Array;
  /** Index into the header's files. */
  readonly file: Uint16Array;
  /** Line from 1; 0: the compiler states that no line made this code. */
  readonly line: Uint32Array;
  readonly column: Uint16Array;
  /** The program could not be read to its end. */
  readonly isDamaged: boolean;
};

/** Rows as they come; reused by all tables, which take exact copies. */
class RowBuffer {
  length = 0;
  /** First row of the sequence at hand. */
  first = 0;
  address = new Float64Array(FIRST_CAPACITY);
  file = new Uint16Array(FIRST_CAPACITY);
  line = new Uint32Array(FIRST_CAPACITY);
  column = new Uint16Array(FIRST_CAPACITY);

  /** The last of the rows at one address holds, and gcc writes three: it takes their place. */
  add(address: number, file: number, line: number, column: number): void {
    let row = this.length - 1;
    if (row < this.first || this.address[row] !== address) {
      if (this.length === this.address.length) this.#grow();
      row = this.length++;
      this.address[row] = address;
    }
    this.file[row] = file;
    this.line[row] = line;
    this.column[row] = column;
  }

  #grow(): void {
    const capacity = this.length * 2;
    const address = new Float64Array(capacity);
    address.set(this.address);
    this.address = address;
    const file = new Uint16Array(capacity);
    file.set(this.file);
    this.file = file;
    const line = new Uint32Array(capacity);
    line.set(this.line);
    this.line = line;
    const column = new Uint16Array(capacity);
    column.set(this.column);
    this.column = column;
  }
}

/** Runs line programs. One for a file, since it keeps the memory that rows grow in. */
export class LineProgram {
  readonly #rows = new RowBuffer();

  /**
   * The table of the program at `offset` of `.debug_line`. A program makes at most a row a byte, so it
   * ends. Throws `DwarfDamage` if its header is unreadable; rows before damage are kept.
   */
  run(reader: DwarfReader, offset: number, unitAddressSize: number): LineTable {
    const header = parseLineHeader(reader, offset, unitAddressSize);
    this.#rows.length = 0;
    this.#rows.first = 0;
    const sequences: number[] = [];
    let isDamaged = false;
    try {
      this.#execute(reader, header, sequences);
    } catch (error) {
      if (!(error instanceof DwarfDamage)) throw error;
      isDamaged = true;
    }
    return this.#finish(header, sequences, isDamaged);
  }

  // Hot: once per row.
  #execute(reader: DwarfReader, header: LineHeader, sequences: number[]): void {
    const { minInstructionLength, opsPerInstruction, lineBase, opcodeBase } = header;
    const lineRange = Math.max(1, header.lineRange);
    const rows = this.#rows;
    let address = 0;
    let opIndex = 0;
    let file = 1;
    let line = 1;
    let column = 0;
    const constAdvance = Math.floor((255 - opcodeBase) / lineRange);
    while (!reader.isAtEnd) {
      const opcode = reader.u8();
      if (opcode >= opcodeBase) {
        const adjusted = opcode - opcodeBase;
        const advance = (adjusted / lineRange) | 0;
        if (opsPerInstruction === 1) address += minInstructionLength * advance;
        else moveOperations(advance);
        line = (line + lineBase + (adjusted - advance * lineRange)) >>> 0;
        rows.add(address, file, line, column > MAX_COLUMN ? 0 : column);
        continue;
      }
      switch (opcode) {
        case 0: {
          const length = reader.uleb();
          const next = reader.at + length;
          const extended = length === 0 ? 0 : reader.u8();
          if (extended === dw.DW_LNE_end_sequence) {
            if (rows.length > rows.first) sequences.push(rows.first, rows.length, address);
            rows.first = rows.length;
            address = 0;
            opIndex = 0;
            file = 1;
            line = 1;
            column = 0;
          } else if (extended === dw.DW_LNE_set_address) {
            address = reader.address(length - 1);
            opIndex = 0;
          } else if (extended === dw.DW_LNE_define_file) {
            defineFile(reader, header.files);
          }
          reader.skip(next - reader.at);
          break;
        }
        case dw.DW_LNS_copy:
          rows.add(address, file, line, column > MAX_COLUMN ? 0 : column);
          break;
        case dw.DW_LNS_advance_pc:
          moveOperations(reader.uleb());
          break;
        case dw.DW_LNS_advance_line:
          line = (line + reader.sleb()) >>> 0;
          break;
        case dw.DW_LNS_set_file:
          file = Math.min(reader.uleb(), NO_FILE);
          break;
        case dw.DW_LNS_set_column:
          column = reader.uleb();
          break;
        case dw.DW_LNS_negate_stmt:
        case dw.DW_LNS_set_basic_block:
          break;
        case dw.DW_LNS_const_add_pc:
          moveOperations(constAdvance);
          break;
        case dw.DW_LNS_fixed_advance_pc:
          address += reader.u16();
          opIndex = 0;
          break;
        default:
          for (let i = header.opcodeLengths[opcode]; i > 0; i--) reader.skipLeb();
      }
    }

    /** An instruction of VLIW machines holds several operations. */
    function moveOperations(count: number): void {
      const total = opIndex + count;
      address += minInstructionLength * Math.floor(total / opsPerInstruction);
      opIndex = total % opsPerInstruction;
    }
  }

  /** `found` has for each sequence its first row, the row after its last, and its end address. */
  #finish(header: LineHeader, found: readonly number[], isDamaged: boolean): LineTable {
    const rows = this.#rows;
    const length = rows.length;
    const offset = new Uint32Array(length);
    const good: number[] = [];
    for (let i = 0; i < found.length; i += 3) {
      const first = found[i];
      const last = found[i + 1];
      const start = rows.address[first];
      const size = found[i + 2] - start;
      if (!(size > 0 && size < MAX_SEQUENCE_BYTES) || isRemoved(start)) continue;
      // Addresses only rise in a sequence; one that falls is damage and holds nothing.
      let highest = 0;
      for (let row = first; row < last; row++) {
        highest = Math.max(highest, Math.min(rows.address[row] - start, size));
        offset[row] = highest;
      }
      good.push(i);
    }
    const starts = Float64Array.from(good, (i) => rows.address[found[i]]);
    const order = sortedOrder(starts);
    const at = (part: number) => (rank: number) => found[good[rank] + part];
    return {
      header,
      start: Float64Array.from(order, (rank) => starts[rank]),
      end: Float64Array.from(order, at(2)),
      firstRow: Int32Array.from(order, at(0)),
      rowCount: Int32Array.from(order, (rank) => at(1)(rank) - at(0)(rank)),
      offset,
      file: rows.file.slice(0, length),
      line: rows.line.slice(0, length),
      column: rows.column.slice(0, length),
      isDamaged,
    };
  }
}

/** The row that holds at `address`, −1 if none does. */
// Hot: once per address.
export function findLineRow(table: LineTable, address: number): number {
  const sequence = lastAtMost(table.start, address);
  if (sequence < 0 || address >= table.end[sequence]) return NONE;
  const target = address - table.start[sequence];
  const first = table.firstRow[sequence];
  const row = lastOffsetAtMost(table.offset, target, first, first + table.rowCount[sequence]);
  return row < first ? NONE : row;
}
