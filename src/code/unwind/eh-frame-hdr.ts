import { countBefore } from '../../base/bisect.ts';
import type { UnwindSection } from './module-input.ts';
import { DW_EH_PE, SectionReader } from './section-reader.ts';

/** The one encoding of tables that linkers write: pairs of s32 that count from the section. */
const TABLE_ENCODING = DW_EH_PE.DATAREL | DW_EH_PE.SDATA4;
const PAIR_SIZE = 8;

/**
 * The sorted table of `.eh_frame_hdr`:
 *
 *   u8 version (1); u8 eh_frame_ptr encoding; u8 fde_count encoding; u8 table encoding
 *   eh_frame_ptr; fde_count; { start of function; address of its FDE } [fde_count]
 *
 * Specification: LSB core "Exception Frames", section 10.6.2.
 */
export class EhFrameHdr {
  readonly #view: DataView;
  readonly #address: number;
  readonly #table: number;
  readonly length: number;

  private constructor(section: UnwindSection, table: number, length: number) {
    const { bytes } = section;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#address = section.address;
    this.#table = table;
    this.length = length;
  }

  /** Null if the section has no table that can be searched. */
  static parse(section: UnwindSection): EhFrameHdr | null {
    const reader = new SectionReader(section);
    const bases = { text: 0, data: section.address };
    if (reader.u8() !== 1) return null;
    const pointerEncoding = reader.u8();
    const countEncoding = reader.u8();
    const tableEncoding = reader.u8();
    reader.pointer(pointerEncoding, bases);
    const count = reader.pointer(countEncoding, bases);
    if (reader.failed || tableEncoding !== TABLE_ENCODING || !(count > 0)) return null;
    const fits = Math.floor((section.bytes.length - reader.at) / PAIR_SIZE);
    return new EhFrameHdr(section, reader.at, Math.min(count, fits));
  }

  /** File address of the FDE of the last function that starts at or before `address`; NaN. */
  find(address: number): number {
    const view = this.#view;
    const wanted = address - this.#address;
    const table = this.#table;
    const row =
      countBefore(this.length, (at) => view.getInt32(table + at * PAIR_SIZE, true) <= wanted) - 1;
    return row < 0 ? Number.NaN : this.#address + view.getInt32(table + row * PAIR_SIZE + 4, true);
  }
}
