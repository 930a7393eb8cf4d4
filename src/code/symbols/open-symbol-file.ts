import type { ByteSource } from '../../base/byte-source.ts';
import type { SymbolSource } from './symbol-request.ts';

type HeldRange = { readonly offset: number; readonly length: number };

/** A file that is opened for this, and can be looked at again. */
type WatchedSource = SymbolSource & Required<Pick<SymbolSource, 'look'>>;

/**
 * A file that stays open for those parts of it that `hold` names. One that is deleted is read before it is
 * closed, as a deleted file takes room on its disk as long as somebody has it open.
 */
export class OpenSymbolFile implements ByteSource {
  readonly size: number;
  readonly #source: WatchedSource;
  readonly #ranges: HeldRange[] = [];
  /** The bytes of `#ranges`, where the file is closed. */
  #kept: Uint8Array[] | null = null;
  readonly #opened: { readonly size: number; readonly modifiedMs: number };

  constructor(source: WatchedSource) {
    this.#source = source;
    this.size = source.size;
    this.#opened = source.look();
  }

  /** Null where the file can't be looked at again. */
  static of(source: SymbolSource): OpenSymbolFile | null {
    const { look } = source;
    return look === undefined ? null : new OpenSymbolFile({ ...source, look });
  }

  get isHeld(): boolean {
    return this.#ranges.length > 0;
  }

  get isOpen(): boolean {
    return this.#kept === null;
  }

  hold(offset: number, length: number): void {
    this.#ranges.push({ offset, length });
  }

  read(offset: number, length: number): Uint8Array {
    if (this.#kept === null) return this.#source.read(offset, length);
    const row = this.#ranges.findIndex(
      (range) => offset >= range.offset && offset < range.offset + range.length,
    );
    const from = row < 0 ? 0 : offset - this.#ranges[row].offset;
    return row < 0 ? new Uint8Array(0) : this.#kept[row].subarray(from, from + length);
  }

  recycle(bytes: Uint8Array): void {
    // Bytes kept of a closed file are asked for again.
    if (this.isOpen) this.#source.recycle?.(bytes);
  }

  /** False where somebody has written into the file: what is in it now is of no use. */
  check(): boolean {
    if (this.#kept !== null) return true;
    const { size, modifiedMs, links } = this.#source.look();
    if (size !== this.#opened.size || modifiedMs !== this.#opened.modifiedMs) return false;
    if (links === 0) {
      const kept = this.#ranges.map((range) => this.#source.read(range.offset, range.length));
      this.close();
      this.#kept = kept;
    }
    return true;
  }

  /** Closes the file; the parts that are held are gone with it. */
  close(): void {
    this.#kept ??= this.#ranges.map(() => new Uint8Array(0));
    this.#source.close?.();
  }
}
