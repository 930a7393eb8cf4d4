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
/** Bytes of an attachment that are copied at a time. */
const COPIED_BYTES = 1 << 20;
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
  return [encodeHead(attachments.length), ...attachments.flatMap(encodeAttachment)];
}

function encodeAttachment(attachment: WrittenAttachment): Uint8Array[] {
  return [encodeEntry(attachment, storedSize(attachment)), ...piecesOf(attachment.bytes)];
}

/**
 * The appendix of a recording for another one, without attachments that are not `kept`, with those that are `added`, in pieces that are valid until
 * the next one is asked for: it may be larger than all that is recorded, and is never in memory as a whole.
 */
export function* copyAppendix(
  data: AppendixPlace,
  kept: (name: string) => boolean,
  added: readonly WrittenAttachment[] = [],
): Generator<Uint8Array> {
  const { source, entries } = findEntries(data);
  const chosen = entries.filter(({ name }) => kept(name));
  const count = chosen.length + added.length;
  if (count === 0) return;
  yield encodeHead(count);
  for (const entry of chosen) {
    yield encodeEntry(entry, entry.size);
    const end = entry.offset + entry.size;
    for (let at = entry.offset; at < end; at += COPIED_BYTES) {
      const bytes = source.read(at, Math.min(COPIED_BYTES, end - at));
      yield bytes;
      source.recycle?.(bytes);
    }
  }
  yield* added.flatMap(encodeAttachment);
}

function encodeHead(count: number): Uint8Array {
  return new ByteWriter().text(MAGIC).u32(VERSION).u32(count).finish();
}

function encodeEntry(
  { name, packing, unpackedSize }: Omit<Attachment, 'bytes'>,
  size: number,
): Uint8Array {
  const nameBytes = new TextEncoder().encode(name);
  const head = new ByteWriter().u16(nameBytes.length).u8(PACKINGS.indexOf(packing)).u8(0).u32(0);
  return head.u64(unpackedSize).u64(size).bytes(nameBytes).finish();
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

/** Attachments by the recording that is open: the bytes of one are read once, by who asks first. */
const known = new WeakMap<AppendixPlace, readonly Attachment[]>();

/**
 * The attachments of a recording, none where it has no appendix; what a cut one has in front. The bytes of each are read
 * when they are asked for first, which has to be while the recording is open.
 */
export function readAppendix(data: AppendixPlace): readonly Attachment[] {
  let attachments = known.get(data);
  if (attachments === undefined) {
    attachments = attachmentsOf(findEntries(data));
    known.set(data, attachments);
  }
  return attachments;
}

/** Gives a recording that is being written the appendix that it would end with now. */
export function giveAppendix(data: AppendixPlace, appendix: Uint8Array): void {
  known.set(data, attachmentsOf(readEntries(memorySource(appendix), 0)));
}

function attachmentsOf({ source, entries }: AppendixEntries): readonly Attachment[] {
  return entries.map(({ name, packing, unpackedSize, offset, size }) => {
    let bytes: Uint8Array | null = null;
    return {
      ...{ name, packing, unpackedSize },
      get bytes() {
        bytes ??= source.read(offset, size);
        return bytes;
      },
    };
  });
}

/**
 * The damage of a recording's appendix, in words; null: it is complete, or nobody has
 * stored one.
 */
export function findAppendixDamage(data: AppendixPlace): string | null {
  const { damagedAt, missing } = findEntries(data);
  return damagedAt < 0 ? null : `at 0x${damagedAt.toString(16)}${missing}`;
}

/** An attachment's place in the source of its appendix. */
type Entry = Omit<Attachment, 'bytes'> & { readonly offset: number; readonly size: number };

type AppendixEntries = {
  readonly source: ByteSource;
  readonly entries: readonly Entry[];
  /** −1: the appendix is complete, or there is none. */
  readonly damagedAt: number;
  /** How many attachments are missing, as `: 2 of 3 are missing`; empty where their number is. */
  readonly missing: string;
};

function findEntries(data: AppendixPlace): AppendixEntries {
  if (!data.pipe) return readEntries(data.source, endOfSections(data));
  const whole = new ByteWriter();
  for (const { offset, size } of data.appendixParts) whole.bytes(data.source.read(offset, size));
  return readEntries(memorySource(whole.finish()), 0);
}

function readEntries(source: ByteSource, start: number): AppendixEntries {
  const entries: Entry[] = [];
  const head = viewOf(source.read(start, HEAD_BYTES));
  const magic = textOf(head, 0, Math.min(8, head.byteLength));
  const none = { source, entries, damagedAt: -1, missing: '' };
  if (magic === '' || !MAGIC.startsWith(magic)) return none;
  if (head.byteLength < HEAD_BYTES) return { ...none, damagedAt: start };
  if (head.getUint32(8, true) !== VERSION) return none;
  const stated = head.getUint32(12, true);
  const count = Math.min(stated, MOST_ATTACHMENTS);
  let at = start + HEAD_BYTES;
  let found = 0;
  for (; found < count; found++) {
    const entry = viewOf(source.read(at, 24));
    if (entry.byteLength < 24) break;
    const nameSize = entry.getUint16(0, true);
    const packing = PACKINGS[entry.getUint8(2)];
    const unpackedSize = readU64(entry, 8, true);
    const size = readU64(entry, 16, true);
    const offset = at + 24 + nameSize;
    if (offset + size > source.size) break;
    const name = textOf(viewOf(source.read(at + 24, nameSize)), 0, nameSize);
    at = offset + size;
    if (packing !== undefined) entries.push({ name, packing, unpackedSize, offset, size });
  }
  if (found === stated) return none;
  return { ...none, damagedAt: at, missing: `: ${stated - found} of ${stated} are missing` };
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
