import type { ByteSource } from '../../base/byte-source.ts';
import type { Diagnostics } from '../../base/diagnostics.ts';

/** No string table of a real program comes near; a larger one is read up to here. */
export const MAX_STRING_BYTES = 256 * 2 ** 20;
/** Longest name that is decoded; the rest of a longer one is cut off. */
export const MAX_NAME_BYTES = 64 * 1024;
const UTF8 = new TextDecoder();

/**
 * A string table section (`.strtab`, `.dynstr`, `.shstrtab`): names as zero-terminated bytes, found
 * by their offset. Only the strings that are asked for are decoded.
 */
export class StringSection {
  readonly #bytes: Uint8Array;

  constructor(
    source: ByteSource,
    section: { readonly offset: number; readonly size: number } | null,
    diagnostics: Diagnostics,
  ) {
    if (section === null || section.offset >= source.size) {
      this.#bytes = new Uint8Array(0);
      return;
    }
    const wanted = Math.min(section.size, source.size - section.offset, MAX_STRING_BYTES);
    if (wanted < section.size) {
      diagnostics.count('elf-string-table-cut', `${section.size} bytes stated, ${wanted} read`);
    }
    this.#bytes = source.read(section.offset, wanted);
  }

  /** The string at `offset`; empty if `offset` lies outside. */
  at(offset: number): string {
    return stringAt(this.#bytes, offset);
  }

  byteAt(offset: number): number {
    return this.#bytes[offset] ?? 0;
  }
}

/** The zero-terminated string at `offset`; empty if `offset` lies outside. Looks no further than a name may reach. */
export function stringAt(bytes: Uint8Array, offset: number): string {
  const limit = Math.min(bytes.length, offset + MAX_NAME_BYTES);
  let end = offset;
  while (end < limit && bytes[end] !== 0) end++;
  return decodeString(bytes, offset, end);
}

export function decodeString(bytes: Uint8Array, from: number, end: number): string {
  // Put together by characters it would be a tree of 32 bytes for each of them.
  return end <= from ? '' : UTF8.decode(bytes.subarray(from, end));
}
