import { getOrMake } from '../../base/group-by.ts';
import type { UnwindSection } from './module-input.ts';
import { DW_EH_PE, type PointerBases, SectionReader } from './section-reader.ts';

/** The part that the FDEs of one producer share. Offsets count from the section's start. */
export type Cie = {
  readonly codeAlignment: number;
  readonly dataAlignment: number;
  /** DWARF number of the column that stands for the return address. */
  readonly returnAddressRegister: number;
  /** How the FDEs encode addresses. */
  readonly addressEncoding: number;
  readonly hasAugmentationData: boolean;
  /** The frame is that of a signal trampoline: its "return address" is the interrupted ip. */
  readonly isSignalFrame: boolean;
  readonly programStart: number;
  readonly programEnd: number;
};

/** One function's entry; filled again and again. Addresses are file addresses. */
export class Fde {
  cie: Cie | null = null;
  start = 0;
  /** Address behind the last byte. */
  end = 0;
  programStart = 0;
  programEnd = 0;
}

const EXTENDED_LENGTH = 0xffffffff;
const DEBUG_FRAME_CIE_ID = 0xffffffff;

/**
 * The entries of one `.eh_frame` or `.debug_frame`:
 *
 *   u32 length;            // 0xffffffff: u64 length follows. 0: padding (.eh_frame)
 *   u32 id;                // .eh_frame: 0 is a CIE, else bytes back from here to the FDE's CIE
 *                          // .debug_frame: 0xffffffff is a CIE, else the CIE's offset; u64 if long
 *   CIE: u8 version; char augmentation[]; {u8 address size, segment size} if version ≥ 4
 *        uleb code alignment; sleb data alignment; u8 (version 1) or uleb return address register
 *        {uleb length; …} if the augmentation starts with 'z'; then the initial program
 *   FDE: pointer start; pointer length; {uleb length; …} if 'z'; then the program
 *
 * Specification: DWARF 5 section 6.4; LSB core "Exception Frames".
 */
export class FrameEntries {
  readonly reader: SectionReader;
  readonly #isEhFrame: boolean;
  readonly #bases: PointerBases;
  /** CIEs by offset; null: damaged. */
  readonly #cies = new Map<number, Cie | null>();

  constructor(
    section: UnwindSection,
    isEhFrame: boolean,
    bases: PointerBases,
    addressBytes: 4 | 8 = 8,
  ) {
    this.reader = new SectionReader(section, addressBytes);
    this.#isEhFrame = isEhFrame;
    this.#bases = bases;
  }

  /**
   * Reads the entry at `offset` into `fde`. Returns the offset of the next entry, −1 if there is
   * none; `fde.cie` is null if the entry is a CIE or can't be used.
   */
  readEntry(offset: number, fde: Fde): number {
    fde.cie = null;
    const reader = this.reader;
    reader.window(offset, reader.bytes.length);
    let length = reader.u32();
    if (reader.failed) return -1;
    if (length === 0) return this.#isEhFrame ? reader.at : -1;
    const isLong = length === EXTENDED_LENGTH;
    if (isLong) length = reader.i64();
    const body = reader.at;
    const end = body + length;
    if (reader.failed || !(length > 0) || end > reader.bytes.length) return -1;
    reader.window(body, end);
    const cieOffset = this.#cieOffset(isLong);
    if (cieOffset >= 0 && !reader.failed) this.#readFde(cieOffset, fde);
    return end;
  }

  /** Reads the id at the cursor: where the entry's CIE lies, −1 if the entry is one itself. */
  #cieOffset(isLong: boolean): number {
    const reader = this.reader;
    const position = reader.at;
    if (this.#isEhFrame) {
      const back = reader.u32();
      return back === 0 ? -1 : position - back;
    }
    if (!isLong) {
      const id = reader.u32();
      return id === DEBUG_FRAME_CIE_ID ? -1 : id;
    }
    return reader.i64();
  }

  #readFde(cieOffset: number, fde: Fde): void {
    const reader = this.reader;
    const { at, end } = reader;
    const cie = this.#cieAt(cieOffset);
    if (cie === null) return;
    reader.window(at, end);
    const start = reader.pointer(cie.addressEncoding, this.#bases);
    const length = reader.pointer(cie.addressEncoding & DW_EH_PE.FORMAT, this.#bases);
    if (cie.hasAugmentationData) reader.skip(reader.uleb());
    if (reader.failed || !Number.isSafeInteger(start) || !(length > 0)) return;
    fde.cie = cie;
    fde.start = start;
    fde.end = start + length;
    fde.programStart = reader.at;
    fde.programEnd = end;
  }

  #cieAt(offset: number): Cie | null {
    return getOrMake(this.#cies, offset, () => this.#parseCie(offset));
  }

  #parseCie(offset: number): Cie | null {
    const reader = this.reader;
    reader.window(offset, reader.bytes.length);
    let length = reader.u32();
    const isLong = length === EXTENDED_LENGTH;
    if (isLong) length = reader.i64();
    const end = reader.at + length;
    if (reader.failed || !(length > 0) || end > reader.bytes.length) return null;
    reader.window(reader.at, end);
    if (this.#cieOffset(isLong) !== -1) return null;
    const version = reader.u8();
    if (version !== 1 && version !== 3 && version !== 4) return null;
    const augmentation = this.#text();
    if (version === 4) {
      const addressSize = reader.u8();
      const segmentSize = reader.u8();
      if (addressSize !== reader.addressBytes || segmentSize !== 0) return null;
    }
    // Written by GCC 2: a pointer to its own exception tables.
    if (augmentation.startsWith('eh')) reader.skip(reader.addressBytes);
    const codeAlignment = reader.uleb();
    const dataAlignment = reader.sleb();
    const returnAddressRegister = version === 1 ? reader.u8() : reader.uleb();
    let addressEncoding: number = DW_EH_PE.ABSPTR;
    let isSignalFrame = false;
    let programStart = reader.at;
    const hasAugmentationData = augmentation.startsWith('z');
    if (hasAugmentationData) {
      const dataLength = reader.uleb();
      programStart = reader.at + dataLength;
      for (const letter of augmentation.slice(1)) {
        if (letter === 'R') addressEncoding = reader.u8();
        else if (letter === 'L') reader.u8();
        else if (letter === 'P') reader.pointer(reader.u8(), this.#bases);
        else if (letter === 'S') isSignalFrame = true;
        // 'B' (return addresses signed with key B) and 'G' (tagged stack) change nothing here. What
        // follows an unknown letter is skipped by the length.
        else if (letter !== 'B' && letter !== 'G') break;
      }
    } else if (augmentation !== '' && augmentation !== 'eh') {
      return null;
    }
    if (reader.failed || programStart > end) return null;
    return {
      codeAlignment,
      dataAlignment,
      returnAddressRegister,
      addressEncoding,
      hasAugmentationData,
      isSignalFrame,
      programStart,
      programEnd: end,
    };
  }

  #text(): string {
    const reader = this.reader;
    let text = '';
    for (let byte = reader.u8(); byte !== 0 && text.length < 16; byte = reader.u8()) {
      text += String.fromCharCode(byte);
    }
    return text;
  }
}
