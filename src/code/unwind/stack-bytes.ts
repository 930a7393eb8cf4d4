// Hot: once per frame.

import type { UnwindArchitecture } from './module-input.ts';
import type { StackReader } from './types.ts';

const TWO_32 = 2 ** 32;

/** The stack copy of one sample. One object is set again and again. */
abstract class StackCopy {
  protected view: DataView = new DataView(new ArrayBuffer(0));
  /** Offset of the copy in `view`. */
  protected offset = 0;
  start = 0;
  /** The last address of a whole word. */
  protected lastWord = -1;
  end = 0;

  abstract readonly wordBytes: 4 | 8;

  /**
   * The copy is the `length` bytes at `offset` of `view`, whose first lies at the absolute address
   * `start`: the stack pointer of the sample.
   */
  set(view: DataView, offset: number, length: number, start: number): void {
    this.view = view;
    this.offset = offset;
    this.start = start;
    this.end = start + length;
    this.lastWord = this.end - this.wordBytes;
  }

  /** Moves the copy, which was put at an address that is not its own. */
  move(bytes: number): void {
    this.start += bytes;
    this.end += bytes;
    this.lastWord += bytes;
  }
}

/** The stack copy of a sample of 64-bit code. */
export class StackBytes extends StackCopy implements StackReader {
  readonly wordBytes = 8;

  readWord(address: number): number {
    if (!(address >= this.start && address <= this.lastWord)) return Number.NaN;
    const at = address - this.start + this.offset;
    return this.view.getInt32(at + 4, true) * TWO_32 + this.view.getUint32(at, true);
  }

  readPointer(address: number): number {
    if (!(address >= this.start && address <= this.lastWord)) return Number.NaN;
    const at = address - this.start + this.offset;
    return this.view.getUint16(at + 4, true) * TWO_32 + this.view.getUint32(at, true);
  }
}

/** The stack copy of a sample of 32-bit code. Its addresses are positive, those of the kernel too. */
export class StackBytes32 extends StackCopy implements StackReader {
  readonly wordBytes = 4;

  readWord(address: number): number {
    if (!(address >= this.start && address <= this.lastWord)) return Number.NaN;
    return this.view.getUint32(address - this.start + this.offset, true);
  }

  readPointer(address: number): number {
    const word = this.readWord(address);
    return word % 2 === 1 ? word - 1 : word;
  }
}

/** An empty one of the width of `architecture`'s words. */
export function createStackBytes(architecture: UnwindArchitecture): StackBytes | StackBytes32 {
  return wordBytesOf(architecture) === 4 ? new StackBytes32() : new StackBytes();
}

export function wordBytesOf(architecture: UnwindArchitecture): 4 | 8 {
  return architecture === 'i386' || architecture === 'arm' ? 4 : 8;
}
