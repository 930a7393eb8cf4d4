import { countBefore } from '../../base/bisect.ts';
import { SP } from './arm-registers.ts';
import type { CfiRow } from './cfi-row.ts';
import { runExceptionProgram } from './exception-program.ts';
import { FOUND } from './found.ts';
import type { UnwindSection } from './module-input.ts';
import { SectionReader } from './section-reader.ts';

const ENTRY_BYTES = 8;
const CANNOT_UNWIND = 1;
const IS_INLINE = 0x80000000;
/** Instructions of a function: no compiler writes as many. */
const MOST_BYTES = 1024;

/**
 * The functions of `.ARM.exidx`, sorted by address, and how to unwind them:
 *
 *   u32 start         31 bits from here to the function, which goes on to the next one's start
 *   u32 content       1: can't be unwound
 *                     1 0000000 b b b: three bytes of instructions
 *                     else 31 bits from here to an entry of .ARM.extab
 *
 *   entry of .ARM.extab, personality 0 to 2 of the standard:
 *   u32 1 000 i i i i …    i = 0: three bytes of instructions
 *                          i = 1, 2: u8 n, two bytes of instructions; n words of them follow
 *   with another personality, as that of C++:
 *   u32 31 bits from here to its function; u8 n; three bytes; n words of instructions
 *
 * Bytes of instructions stand in their words from the highest down. Written for exceptions, they hold
 * at calls: in a prologue or an epilogue they state what is pushed between the two. Only at the first
 * instruction of a function is it known that nothing is.
 *
 * Specification: [Exception Handling ABI for the Arm
 * Architecture](https://github.com/ARM-software/abi-aa/blob/main/ehabi32/ehabi32.rst), sections 6 and 7, 10.
 */
export class ExceptionIndex {
  /** Reader of expressions, of which such tables have none. */
  readonly reader: SectionReader;
  readonly #index: DataView;
  readonly #indexAddress: number;
  readonly #length: number;
  readonly #table: DataView;
  readonly #tableAddress: number;
  readonly #program = new Uint8Array(MOST_BYTES);
  #programLength = 0;

  constructor(index: UnwindSection, table: UnwindSection | null) {
    this.reader = new SectionReader(index, 4);
    this.#index = viewOf(index.bytes);
    this.#indexAddress = index.address;
    this.#length = Math.floor(index.bytes.length / ENTRY_BYTES);
    this.#table = viewOf(table?.bytes ?? new Uint8Array(0));
    this.#tableAddress = table?.address ?? 0;
  }

  /** Leaves in `row` what holds at the file address `address`. Returns `FOUND`. */
  findRow(address: number, row: CfiRow): number {
    const entry = this.#find(address);
    if (entry < 0) return FOUND.NOTHING;
    const content = this.#index.getUint32(entry * ENTRY_BYTES + 4, true);
    // Linkers write it also for code that was built without tables: there a frame pointer may help.
    if (content === CANNOT_UNWIND) return FOUND.NOTHING;
    if (address === this.#startOf(entry)) {
      row.clear();
      row.setCfa(SP, 0);
      return FOUND.ROW;
    }
    const isRead =
      content >= IS_INLINE ? this.#readInline(content) : this.#readEntry(entry, content);
    if (!isRead) return FOUND.DAMAGED;
    return runExceptionProgram(this.#program.subarray(0, this.#programLength), row);
  }

  /** The last entry that starts at or before `address`, −1 if there is none. */
  #find(address: number): number {
    return countBefore(this.#length, (entry) => this.#startOf(entry) <= address) - 1;
  }

  #startOf(entry: number): number {
    const at = entry * ENTRY_BYTES;
    return wrap(this.#indexAddress + at + signed31(this.#index.getUint32(at, true)));
  }

  #readInline(content: number): boolean {
    this.#programLength = 0;
    // Only the first of the standard's personalities has its instructions in the index.
    if ((content >>> 24) % 128 !== 0) return false;
    this.#push(content, 3);
    return true;
  }

  #readEntry(entry: number, content: number): boolean {
    this.#programLength = 0;
    const place = this.#indexAddress + entry * ENTRY_BYTES + 4;
    let at = wrap(place + signed31(content)) - this.#tableAddress;
    let word = this.#tableWord(at);
    let words = 0;
    if (word >= IS_INLINE) {
      const personality = (word >>> 24) & 0x7f;
      if (personality > 2) return false;
      if (personality > 0) words = (word >>> 16) & 0xff;
      this.#push(word, personality === 0 ? 3 : 2);
    } else {
      at += 4;
      word = this.#tableWord(at);
      words = word >>> 24;
      this.#push(word, 3);
    }
    for (let i = 0; i < words && !Number.isNaN(word); i++) {
      at += 4;
      word = this.#tableWord(at);
      this.#push(word, 4);
    }
    return !Number.isNaN(word) && this.#programLength <= MOST_BYTES;
  }

  /** The lower `count` bytes of `word`, the highest first. At most 255 words come, so all fit. */
  #push(word: number, count: number): void {
    for (let shift = 8 * (count - 1); shift >= 0; shift -= 8) {
      this.#program[this.#programLength++] = (word >>> shift) & 0xff;
    }
  }

  #tableWord(at: number): number {
    if (!(at >= 0 && at + 4 <= this.#table.byteLength)) return Number.NaN;
    return this.#table.getUint32(at, true);
  }
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function signed31(word: number): number {
  return (word << 1) >> 1;
}

function wrap(address: number): number {
  return address < 0 ? address + 2 ** 32 : address;
}
