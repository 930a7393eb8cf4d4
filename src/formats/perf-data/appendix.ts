import { type ByteSource, memorySource } from '../../base/byte-source.ts';
import { ByteWriter } from '../../base/byte-writer.ts';
import { readU64 } from '../../base/u64.ts';
import { FEATURE_FLAGS_SIZE, type FileSection } from './header.ts';

/** The attachments that perf-ts stores next to the records, by name: `perf-map/1234`. */
export type Attachment = {
  readonly name: string;
  /** How the bytes are packed; the size before is for whoever unpacks them. */
  readonly packing: 'none' | 'deflate';
  readonly unpackedSize: number;
  readonly bytes: Uint8Array;
};

/** An attachment to be written: its bytes are pieces in order, which may be many and large. */
export type WrittenAttachment = Omit<Attachment, 'bytes'> & {
  readonly bytes: Uint8Array | readonly Uint8Array[];
};

/** The bytes that an attachment takes in the appendix, without its head. */
export function storedSize({ bytes }: WrittenAttachment): number {
  return piecesOf(bytes).reduce((sum, { length }) => sum + length, 0);
}

function piecesOf(bytes: WrittenAttachment['bytes']): readonly Uint8Array[] {
  return bytes instanceof Uint8Array ? [bytes] : bytes;
}

const MAGIC = 'PERFTSAP';
const VERSION = 1;
const HEAD_BYTES = 16;
const MOST_ATTACHMENTS = 1 << 16;
const FEATURES = FEATURE_FLAGS_SIZE * 8;
const PACKINGS = ['none', 'deflate'] as const;

/**
 * The end of a recording of ours, behind all that the header names, where perf never looks:
 *
 *   header │ ids, attrs │ records │ feature sections │ appendix
 *
 *   char magic[8]; u32 version, count;
 *   count × { u16 name_size; u8 packing, pad; u32 pad; u64 unpacked_size, size;
 *             char name[name_size]; u8 bytes[size]; }
 *
 * Little-endian, whatever the recording is. A tool that writes the file again leaves it out. A pipe has
 * it in records: pipe-appendix.ts. Returned in pieces, to be written one behind the other.
 */
export function encodeAppendix(attachments: readonly WrittenAttachment[]): Uint8Array[] {
  const pieces = [new ByteWriter().text(MAGIC).u32(VERSION).u32(attachments.length).finish()];
  const encoder = new TextEncoder();
  for (const attachment of attachments) {
    const { name, packing, unpackedSize, bytes } = attachment;
    const nameBytes = encoder.encode(name);
    const head = new ByteWriter().u16(nameBytes.length).u8(PACKINGS.indexOf(packing)).u8(0).u32(0);
    head.u64(unpackedSize).u64(storedSize(attachment)).bytes(nameBytes);
    pieces.push(head.finish());
    for (const piece of piecesOf(bytes)) pieces.push(piece);
  }
  return pieces;
}

/** The parts of an opened recording that state where its appendix is. */
type AppendixPlace = {
  readonly pipe: boolean;
  readonly source: ByteSource;
  readonly appendixParts: readonly FileSection[];
  readonly dataOffset: number;
  readonly dataSize: number;
  readonly sections: { section(feature: number): FileSection | null };
};

/** Attachments by the recording that is open: who asks for one of them reads the bytes of all. */
const known = new WeakMap<AppendixPlace, readonly Attachment[]>();

/** The attachments of a recording, none where it has no appendix; what a cut one has in front. Read once. */
export function readAppendix(data: AppendixPlace): readonly Attachment[] {
  let attachments = known.get(data);
  if (attachments === undefined) {
    attachments = readWithEnd(data).attachments;
    known.set(data, attachments);
  }
  return attachments;
}

/**
 * The damage of a recording's appendix, in words; null: it is complete, or nobody has
 * stored one. Bytes are read of the heads of attachments alone.
 */
export function findAppendixDamage(data: AppendixPlace): string | null {
  const { damagedAt, missing } = readWithEnd(data, false);
  return damagedAt < 0 ? null : `at 0x${damagedAt.toString(16)}${missing}`;
}

function readWithEnd(data: AppendixPlace, isRead = true): AttachmentsEnd {
  if (!data.pipe) return readAttachments(data.source, endOfSections(data), isRead);
  const whole = new ByteWriter();
  for (const { offset, size } of data.appendixParts) whole.bytes(data.source.read(offset, size));
  return readAttachments(memorySource(whole.finish()), 0, isRead);
}

type AttachmentsEnd = {
  readonly attachments: Attachment[];
  /** −1: the appendix is complete, or there is none. */
  readonly damagedAt: number;
  /** How many attachments are missing, as `: 2 of 3 are missing`; empty where their number is. */
  readonly missing: string;
};

/** `isRead`: with their bytes. */
function readAttachments(source: ByteSource, offset: number, isRead: boolean): AttachmentsEnd {
  let at = offset;
  const attachments: Attachment[] = [];
  const head = viewOf(source.read(at, HEAD_BYTES));
  const magic = textOf(head, 0, Math.min(8, head.byteLength));
  if (magic === '' || !MAGIC.startsWith(magic)) return { attachments, damagedAt: -1, missing: '' };
  if (head.byteLength < HEAD_BYTES) return { attachments, damagedAt: at, missing: '' };
  if (head.getUint32(8, true) !== VERSION) return { attachments, damagedAt: -1, missing: '' };
  const stated = head.getUint32(12, true);
  const count = Math.min(stated, MOST_ATTACHMENTS);
  at += HEAD_BYTES;
  let found = 0;
  for (; found < count; found++) {
    const entry = viewOf(source.read(at, 24));
    if (entry.byteLength < 24) break;
    const nameSize = entry.getUint16(0, true);
    const packing = PACKINGS[entry.getUint8(2)];
    const unpackedSize = readU64(entry, 8, true);
    const size = readU64(entry, 16, true);
    at += 24;
    if (at + nameSize + size > source.size) break;
    const name = textOf(viewOf(source.read(at, nameSize)), 0, nameSize);
    const bytes = source.read(at + nameSize, isRead ? size : 0);
    at += nameSize + size;
    if (packing !== undefined) attachments.push({ name, packing, unpackedSize, bytes });
  }
  if (found === stated) return { attachments, damagedAt: -1, missing: '' };
  return { attachments, damagedAt: at, missing: `: ${stated - found} of ${stated} are missing` };
}

/** Offset behind the last section that the header knows of. */
function endOfSections({ dataOffset, dataSize, sections }: AppendixPlace): number {
  let end = dataOffset + dataSize;
  for (let feature = 0; feature < FEATURES; feature++) {
    const section = sections.section(feature);
    if (section !== null) end = Math.max(end, section.offset + section.size);
  }
  return end;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function textOf(view: DataView, from: number, to: number): string {
  return new TextDecoder().decode(new Uint8Array(view.buffer, view.byteOffset + from, to - from));
}
