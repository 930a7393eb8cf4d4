import { decodeText } from '../base/text.ts';
import type { TracepointField } from '../kernel/tracepoint/format-file.ts';
import type { TracepointFormat } from '../kernel/tracepoint/tracepoint-format.ts';
import { isContextMarkerAt, type KernelAddresses, writeMarker } from './kernel-marker.ts';
import type { Labels } from './labels.ts';

/** Every tracepoint's raw data begin with the id, flags and the pid. */
const COMMON_SIZE = 8;
const COMM_SIZE = 16;
const POINTER_SIZE = 8;
/** A kernel pointer of a 64-bit machine, with 4 or 5 levels of page tables, is above this. */
const POINTER_HIGH = 0xff000000;

/**
 * Takes names and kernel addresses out of the raw data of one event's samples, in place.
 *
 * With the tracepoint's format it is exact: texts become labels, fields of 8 bytes that hold a kernel
 * address the marker. Without it every aligned kernel address goes, and for `labels` everything
 * behind the common fields: nothing says where a text is.
 */
export class RawCleaner {
  readonly #format: TracepointFormat | null;
  readonly #kernel: KernelAddresses | null;
  readonly #labels: Labels | null;
  readonly #littleEndian: boolean;

  constructor(
    format: TracepointFormat | null,
    kernel: KernelAddresses | null,
    labels: Labels | null,
    littleEndian: boolean,
  ) {
    this.#format = format;
    this.#kernel = kernel;
    this.#labels = labels;
    this.#littleEndian = littleEndian;
  }

  clean(view: DataView, at: number, length: number): void {
    if (this.#format === null) {
      if (this.#labels !== null) {
        new Uint8Array(view.buffer, view.byteOffset + at, length).fill(0, COMMON_SIZE);
      } else {
        this.#stripRange(view, at, at + length, POINTER_SIZE);
      }
      return;
    }
    for (const field of this.#format.fieldList) this.#cleanField(field, view, at, length);
  }

  #cleanField(field: TracepointField, view: DataView, at: number, length: number): void {
    let start = field.offset;
    let { size } = field;
    if (start + size > length) return;
    if (field.location !== 'fixed') {
      const where = view.getUint32(at + start, this.#littleEndian);
      start = (where & 0xffff) + (field.location === 'relative' ? start + size : 0);
      size = Math.min(where >>> 16, Math.max(0, length - start));
    }
    if (size <= 0) return;
    if (field.isString) {
      if (this.#labels !== null) this.#label(view, at + start, size, this.#labels);
    } else if (field.elementSize === POINTER_SIZE || field.location !== 'fixed') {
      this.#stripRange(view, at + start, at + start + size, 4);
    }
  }

  #label(view: DataView, at: number, size: number, labels: Labels): void {
    const bytes = new Uint8Array(view.buffer, view.byteOffset + at, size);
    const end = bytes.indexOf(0);
    const text = decodeText(end < 0 ? bytes : bytes.subarray(0, end));
    if (text === '') return;
    const label = size === COMM_SIZE ? labels.comm(text) : labels.text(text, text.length);
    bytes.fill(0);
    bytes.set(new TextEncoder().encode(label).subarray(0, size));
  }

  /** Kernel addresses in [at, end), looked for every `step` bytes. */
  #stripRange(view: DataView, at: number, end: number, step: number): void {
    const kernel = this.#kernel;
    if (kernel === null) return;
    const { littleEndian } = kernel;
    for (let i = at; i + POINTER_SIZE <= end; i += step) {
      const high = view.getUint32(littleEndian ? i + 4 : i, littleEndian);
      if (high < POINTER_HIGH || isContextMarkerAt(view, i, littleEndian)) continue;
      writeMarker(view, i, littleEndian);
      i += POINTER_SIZE - step;
    }
  }
}
