import { closeSync, constants, openSync, readSync } from 'node:fs';
import { readTextOrNull } from '../../../system/small-file.ts';
import { type ProtoField, protoFields, textOf } from '../protobuf/proto-fields.ts';

/** Names under which the mapping is found; a memfd where the kernel names no anonymous ones. */
const MAPPING =
  /^([0-9a-f]+)-[0-9a-f]+ \S+ \S+ \S+ \d+ +(?:\[anon(?:_shmem)?:OTEL_CTX\]|\/memfd:OTEL_CTX)/m;
const HEADER_BYTES = 32;
const VERSION = 2;
const MOST_PAYLOAD = 16 << 10;
const TRIES = 3;

/**
 * The resource attributes that a process publishes for readers outside of it, OpenTelemetry's process
 * context (OTEP 4719, `oteps/profiles/4719-process-ctx.md` in its specification):
 *
 *     char     signature[8];      "OTEL_CTX"
 *     uint32_t version;           2
 *     uint32_t payload_size;
 *     uint64_t published_at_ns;   0 while it is being written; unchanged after a consistent read
 *     char    *payload;           in the process's memory
 *
 * Null where it publishes none, or nothing that can be read.
 */
export function readProcessContext(pid: number): Readonly<Record<string, string>> | null {
  const maps = readTextOrNull(`/proc/${pid}/maps`);
  const start = maps === null ? undefined : MAPPING.exec(maps)?.[1];
  if (start === undefined) return null;
  let fd = -1;
  try {
    fd = openSync(`/proc/${pid}/mem`, constants.O_RDONLY);
    return readAttributes(fd, BigInt(`0x${start}`));
  } catch {
    return null;
  } finally {
    if (fd >= 0) closeSync(fd);
  }
}

function readAttributes(fd: number, start: bigint): Record<string, string> | null {
  for (let i = 0; i < TRIES; i++) {
    const header = readAt(fd, start, HEADER_BYTES);
    if (header.toString('latin1', 0, 8) !== 'OTEL_CTX') return null;
    if (header.readUInt32LE(8) !== VERSION) return null;
    const size = header.readUInt32LE(12);
    const published = header.readBigUInt64LE(16);
    if (size > MOST_PAYLOAD) return null;
    if (published === 0n) continue;
    const payload = readAt(fd, header.readBigUInt64LE(24), size);
    if (readAt(fd, start, HEADER_BYTES).readBigUInt64LE(16) === published) {
      return parseContext(payload);
    }
  }
  return null;
}

function readAt(fd: number, address: bigint, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  const read = readSync(fd, bytes, 0, length, address);
  if (read !== length) throw new RangeError(`${read} bytes of ${length}`);
  return bytes;
}

/**
 * `message ProcessContext { Resource resource = 1; repeated KeyValue attributes = 2; }` of
 * opentelemetry-proto 1.11; before that it was the resource itself, whose field 1 are the attributes.
 * Only attributes that are texts.
 */
export function parseContext(payload: Uint8Array): Record<string, string> {
  const attributes: Record<string, string> = {};
  const outer = protoFields(payload);
  const resources = outer.filter(({ field }) => field === 1);
  for (const { bytes } of resources) {
    for (const { field, bytes: inner } of protoFields(bytes)) {
      if (field === 1) addAttribute(protoFields(inner), attributes);
    }
  }
  for (const { field, bytes } of outer)
    if (field === 2) addAttribute(protoFields(bytes), attributes);
  if (Object.keys(attributes).length === 0) {
    for (const { bytes } of resources) addAttribute(protoFields(bytes), attributes);
  }
  return attributes;
}

/** `message KeyValue { string key = 1; AnyValue value = 2; }`, `message AnyValue { string string_value = 1; … }` */
function addAttribute(pair: readonly ProtoField[], attributes: Record<string, string>): void {
  const key = pair.find(({ field }) => field === 1);
  const value = pair.find(({ field }) => field === 2);
  if (key === undefined || value === undefined) return;
  const text = protoFields(value.bytes).find(({ field }) => field === 1);
  const name = textOf(key.bytes);
  if (text !== undefined && name !== '' && name !== '__proto__')
    attributes[name] = textOf(text.bytes);
}
