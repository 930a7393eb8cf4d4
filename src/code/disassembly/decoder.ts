/** One decoded instruction; what is none is `(bad)` and has the size that decoding goes on after. */
export type DecodedInstruction = {
  /** Bytes from the start of the bytes that were decoded. */
  readonly offset: number;
  readonly size: number;
  readonly mnemonic: string;
  readonly operands: string;
};

/** Decoder of one instruction set; made where the library is loaded. */
export type Decoder = {
  /** Instructions of `bytes`, which lie at `address` (signed form), without a hole between them. */
  decode(bytes: Uint8Array, address: number): readonly DecodedInstruction[];
};

export const BAD_INSTRUCTION = '(bad)';

/** The longest of x86. */
const MOST_INSTRUCTION_BYTES = 15;

const CHUNK_BYTES = 4096;

/**
 * Goes through code from its first byte on, as an instruction of x86 can only be found behind the one
 * before. `read` gives the bytes at an offset from the start, fewer where the code ends early.
 */
export function decodeInOrder(
  decoder: Decoder,
  size: number,
  address: number,
  read: (offset: number, length: number) => Uint8Array,
  visit: (instruction: DecodedInstruction, bytes: Uint8Array) => void,
): void {
  let at = 0;
  while (at < size) {
    const wanted = Math.min(size - at, CHUNK_BYTES + MOST_INSTRUCTION_BYTES);
    const bytes = read(at, wanted);
    if (bytes.length === 0) return;
    // An instruction that begins in the overlap may be cut off here; the next chunk has it whole.
    const isLast = at + bytes.length >= size || bytes.length < wanted;
    let next = bytes.length;
    for (const { offset, size: length, mnemonic, operands } of decoder.decode(
      bytes,
      address + at,
    )) {
      if (!isLast && offset >= CHUNK_BYTES) {
        next = offset;
        break;
      }
      visit(
        { offset: at + offset, size: length, mnemonic, operands },
        bytes.subarray(offset, offset + length),
      );
    }
    at += Math.max(1, next);
    if (isLast) return;
  }
}
