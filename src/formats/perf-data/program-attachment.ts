import type { ByteSource } from '../../base/byte-source.ts';
import { ByteWriter } from '../../base/byte-writer.ts';
import { Spans } from '../../base/spans.ts';
import { readU64 } from '../../base/u64.ts';

/** A part of a file, in bytes. */
type FileRange = { readonly offset: number; readonly size: number };

const MOST_RANGES = 1 << 16;

/** The mapped file itself, or the one with the symbols that were stripped from it. */
export type ProgramPart = 'program' | 'debug';

/**
 * The name of the attachment that keeps the symbols of a mapped file. `fileId` is its build ID, or device
 * and inode, as its mapping has them.
 */
export function programAttachment(part: ProgramPart, fileId: string, path: string): string {
  return `${part}/${fileId}${path}`;
}

/**
 * Parts of a file, at the offsets that they have in it:
 *
 *   u64 file_size; u32 count, pad;
 *   count × { u64 offset, size; }      ascending, not overlapping
 *   u8 bytes[…];                       those of all parts, one behind the other
 */
export function encodeParts(source: ByteSource, ranges: readonly FileRange[]): Uint8Array {
  const parts = mergeRanges(ranges);
  const out = new ByteWriter().u64(source.size).u32(parts.length).u32(0);
  parts.each((from, to) => out.u64(from).u64(to - from));
  parts.each((from, to) => out.bytes(source.read(from, to - from)));
  return out.finish();
}

/** The file again, with zeros where it was not kept; null if the bytes are damaged. */
export function openParts(bytes: Uint8Array): ByteSource | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 16) return null;
  const fileSize = readU64(view, 0, true);
  const count = view.getUint32(8, true);
  if (count > MOST_RANGES || bytes.length < 16 + 16 * count) return null;
  const parts: (FileRange & { readonly at: number })[] = [];
  let at = 16 + 16 * count;
  let end = 0;
  for (let i = 0; i < count; i++) {
    const offset = readU64(view, 16 + 16 * i, true);
    const size = readU64(view, 24 + 16 * i, true);
    if (offset < end || at + size > bytes.length || offset + size > fileSize) return null;
    parts.push({ offset, size, at });
    at += size;
    end = offset + size;
  }
  return {
    size: fileSize,
    read(offset, length) {
      const last = Math.min(fileSize, offset + length);
      const whole = parts.find((part) => part.offset <= offset && last <= part.offset + part.size);
      if (whole !== undefined) {
        const from = whole.at + offset - whole.offset;
        return bytes.subarray(from, from + Math.max(0, last - offset));
      }
      const read = new Uint8Array(Math.max(0, last - offset));
      for (const part of parts) {
        const from = Math.max(offset, part.offset);
        const to = Math.min(last, part.offset + part.size);
        if (from >= to) continue;
        const start = part.at + from - part.offset;
        read.set(bytes.subarray(start, start + to - from), from - offset);
      }
      return read;
    },
  };
}

/** Bytes that the parts come to. */
export function bytesOfParts(ranges: readonly FileRange[]): number {
  let sum = 0;
  mergeRanges(ranges).each((from, to) => {
    sum += to - from;
  });
  return sum;
}

function mergeRanges(ranges: readonly FileRange[]): Spans {
  const merged = new Spans();
  for (const { offset, size } of [...ranges].sort((a, b) => a.offset - b.offset)) {
    merged.add(offset, offset + size);
  }
  return merged;
}
