import { countBefore } from '../../base/bisect.ts';
import { getOrMake } from '../../base/group-by.ts';
import { toHex } from '../../base/hex.ts';
import { printable } from '../../base/printable.ts';
import {
  BAD_INSTRUCTION,
  type DecodedInstruction,
  type Decoder,
  decodeInOrder,
} from './decoder.ts';
import { type Reference, readReference } from './operands.ts';
import type { CodeGap, CodeLocation, CodePart, ExtentSource, InstructionSet } from './types.ts';

/** Most bytes of a part that are decoded. */
export const MOST_PART_BYTES = 2 << 20;

/** One place in the part where frames of the profile are. */
export type CodePlace = {
  /** Row of the profile's frame table. */
  readonly frame: number;
  /** Bytes from the start of the part to the lookup address. */
  readonly offset: number;
  readonly samples: number;
};

/** A piece of code, its bytes and what is known of them. */
export type PieceOfCode = Pick<CodePart, 'name' | 'start' | 'size'> & {
  readonly architecture: InstructionSet;
  readonly extent: ExtentSource;
  /** The bytes at an offset from the start; fewer where the code ends early. */
  readonly read: (offset: number, length: number) => Uint8Array;
  /** `malloc@plt`, `main+0x1c`; empty where no symbol is known. */
  readonly nameAt: (address: number) => string;
  /** The source line of the instruction at an offset; null where it is not known. */
  readonly locate: (offset: number) => CodeLocation | null;
};

/** A piece of code before it is decoded. */
export type CodeInput = PieceOfCode &
  Pick<CodePart, 'dso' | 'tier'> & {
    readonly places: readonly CodePlace[];
    /** Bytes that are decoded at most; default `MOST_PART_BYTES`. */
    readonly limit?: number;
  };

/** Decodes a piece of code, as far as it is shown. */
export function disassemblePart(input: CodeInput, decoder: Decoder): CodePart {
  const { places, architecture, start } = input;
  const size = Math.min(input.size, input.limit ?? MOST_PART_BYTES);
  const samples = places.map((place) => place.samples);
  const windows = chooseWindows(
    size,
    places.map(({ offset }) => offset),
    samples,
  );
  const rows = new Rows(windows);
  decodeInOrder(decoder, size, start, input.read, (instruction, bytes) =>
    rows.add(instruction, bytes),
  );
  rows.finish(input.size);
  const locations = new Locations();
  const references = rows.list.map(({ offset, size: length, mnemonic, operands }) =>
    readReference(architecture, mnemonic, operands, start + offset + length),
  );
  const rowAt = new Map(rows.list.map(({ offset }, row) => [offset, row]));
  const targets = references.map((reference) =>
    reference?.isJump ? (rowAt.get(reference.address - start) ?? -1) : -1,
  );
  return {
    name: printable(input.name),
    dso: printable(input.dso),
    tier: input.tier,
    architecture,
    extent: input.extent,
    start,
    size: input.size,
    offset: rows.list.map(({ offset }) => offset),
    bytes: rows.bytes,
    text: rows.list.map(({ mnemonic, operands }) =>
      mnemonic === BAD_INSTRUCTION || operands === '' ? mnemonic : `${mnemonic} ${operands}`,
    ),
    target: targets,
    refers: references.map((reference, row) =>
      reference === null || targets[row] !== -1 ? '' : printable(nameOf(reference, input)),
    ),
    location: rows.list.map(({ offset }) => locations.add(input.locate(offset))),
    locations: locations.list,
    gaps: rows.gaps,
    ...rowsOf(places, rows.list),
  };
}

function nameOf({ address }: Reference, { nameAt, start, size }: CodeInput): string {
  // A jump into what is not shown is told by its distance from the start.
  const offset = address - start;
  return offset > 0 && offset < size ? `+0x${offset.toString(16)}` : nameAt(address);
}

/** Instructions within the windows; what lies between them is counted. */
class Rows {
  readonly list: DecodedInstruction[] = [];
  readonly bytes: string[] = [];
  readonly gaps: CodeGap[] = [];
  readonly #windows: readonly Window[];
  #window = 0;
  #skipped = 0;
  #skippedBytes = 0;
  #end = 0;

  constructor(windows: readonly Window[]) {
    this.#windows = windows;
  }

  add(instruction: DecodedInstruction, bytes: Uint8Array): void {
    const { offset, size } = instruction;
    this.#end = offset + size;
    while (offset >= (this.#windows[this.#window]?.to ?? Number.POSITIVE_INFINITY)) this.#window++;
    if (offset < (this.#windows[this.#window]?.from ?? Number.POSITIVE_INFINITY)) {
      this.#skipped++;
      this.#skippedBytes += size;
      return;
    }
    this.#closeGap();
    this.list.push(instruction);
    this.bytes.push(toHex(bytes));
  }

  /** `size`: of the whole part, of which not all may have been decoded or there. */
  finish(size: number): void {
    this.#skippedBytes += Math.max(0, size - this.#end);
    this.#closeGap();
  }

  #closeGap(): void {
    if (this.#skippedBytes === 0) return;
    this.gaps.push({
      before: this.list.length,
      instructions: this.#skipped,
      bytes: this.#skippedBytes,
    });
    this.#skipped = 0;
    this.#skippedBytes = 0;
  }
}

/** Each location once. */
class Locations {
  readonly list: CodeLocation[] = [];
  readonly #rows = new Map<string, number>();

  add(location: CodeLocation | null): number {
    if (location === null) return -1;
    const { file, line, inlined } = location;
    const key = JSON.stringify([file, line, inlined]);
    return getOrMake(
      this.#rows,
      key,
      () => this.list.push({ file: printable(file), line, inlined: inlined.map(printable) }) - 1,
    );
  }
}

/**
 * The instruction of each frame: the one that its lookup address lies in, which for a return address − 1
 * is the call. Frames whose instruction is not shown have none.
 */
function rowsOf(
  places: readonly CodePlace[],
  instructions: readonly DecodedInstruction[],
): Pick<CodePart, 'frames' | 'rowOfFrame'> {
  const frames: number[] = [];
  const rowOfFrame: number[] = [];
  for (const { frame, offset } of places) {
    const row = countBefore(instructions.length, (at) => instructions[at].offset <= offset) - 1;
    const found = instructions[row];
    const isThere = found !== undefined && offset < found.offset + found.size;
    frames.push(frame);
    rowOfFrame.push(isThere ? row : -1);
  }
  return { frames, rowOfFrame };
}

/** Bytes [from, to), counted from the start of a part. */
type Window = { readonly from: number; readonly to: number };

/** Up to so many bytes a part is shown as a whole: some 4000 instructions. */
const WHOLE_BYTES = 16 << 10;
/** Bytes before and behind a sample that are shown of a longer one. */
const MARGIN_BYTES = 192;
/** Places with samples that are shown of a longer one. */
const MOST_PLACES = 100;

/**
 * Which bytes of a part of `size` bytes are shown: all of a short one, of a long one what is around
 * the places with most samples. Ascending, without touching each other.
 */
function chooseWindows(
  size: number,
  offsets: readonly number[],
  samples: readonly number[],
): readonly Window[] {
  if (size <= WHOLE_BYTES) return [{ from: 0, to: size }];
  const places = [...offsets.keys()]
    .sort((a, b) => samples[b] - samples[a])
    .slice(0, MOST_PLACES)
    .map((index) => offsets[index])
    .sort((a, b) => a - b);
  const windows: { from: number; to: number }[] = [];
  for (const place of places) {
    const from = Math.max(0, place - MARGIN_BYTES);
    const to = Math.min(size, place + MARGIN_BYTES);
    const last = windows.at(-1);
    if (last !== undefined && from <= last.to) last.to = to;
    else windows.push({ from, to });
  }
  return windows;
}
