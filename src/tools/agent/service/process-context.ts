import { bytesOfField } from '../../../base/proto-reader.ts';
import type { StrangerReads } from '../../../system/strangers/stranger-reads.ts';

/** Names under which the mapping is found; a memfd where the kernel names no anonymous ones. */
export const CONTEXT_MAPPING = 'OTEL_CTX';
const MAPPING = /^(?:\[anon(?:_shmem)?:OTEL_CTX\]|\/memfd:OTEL_CTX(?: \(deleted\))?)$/;
/**
 * Memory of no file, or of one that has no name in any file system. The pages of others come from who serves their
 * file system, and need not come at all.
 */
const OWN_MEMORY = /^$|^\[(?:heap|stack|anon(?:_shmem)?:.*)\]$|^\/memfd:[^/]*$/;
const AREA = /^([0-9a-f]+)-([0-9a-f]+) (r)\S* \S+ \S+ \d+ *(.*)$/;
const HEADER_BYTES = 32;
const VERSION = 2;
const MOST_PAYLOAD = 16 << 10;
const TRIES = 3;

type Area = { readonly start: bigint; readonly end: bigint; readonly name: string };

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
 * `maps`: the text of `/proc/PID/maps`. Null where it publishes none, or nothing that can be read.
 */
export async function readProcessContext(
  pid: number,
  maps: string,
  reads: Pick<StrangerReads, 'memory'>,
): Promise<Readonly<Record<string, string>> | null> {
  const areas = ownMemory(maps);
  const there = areas.find(({ name }) => MAPPING.test(name));
  if (there === undefined) return null;
  for (let i = 0; i < TRIES; i++) {
    const header = await reads.memory(pid, there.start, HEADER_BYTES);
    if (header?.toString('latin1', 0, 8) !== 'OTEL_CTX') return null;
    if (header.readUInt32LE(8) !== VERSION) return null;
    const size = header.readUInt32LE(12);
    const published = header.readBigUInt64LE(16);
    const payload = header.readBigUInt64LE(24);
    if (size > MOST_PAYLOAD || !isWithin(areas, payload, size)) return null;
    if (published === 0n) continue;
    const bytes = await reads.memory(pid, payload, size);
    const again = await reads.memory(pid, there.start, HEADER_BYTES);
    if (bytes === null || again === null) return null;
    if (again.readBigUInt64LE(16) === published) return parseContext(bytes);
  }
  return null;
}

/** The areas of `/proc/PID/maps` whose pages nobody else serves. */
function ownMemory(maps: string): Area[] {
  return maps.split('\n').flatMap((line) => {
    const [, start, end, , name] = AREA.exec(line) ?? [];
    if (start === undefined || end === undefined || name === undefined) return [];
    if (!OWN_MEMORY.test(name)) return [];
    return [{ start: BigInt(`0x${start}`), end: BigInt(`0x${end}`), name }];
  });
}

function isWithin(areas: readonly Area[], start: bigint, size: number): boolean {
  return areas.some((area) => area.start <= start && start + BigInt(size) <= area.end);
}

/**
 * `message ProcessContext { Resource resource = 1; repeated KeyValue attributes = 2; }` of
 * opentelemetry-proto 1.11; before that it was the resource itself, whose field 1 are the attributes.
 * Only attributes that are texts.
 */
export function parseContext(payload: Uint8Array): Record<string, string> {
  const attributes: Record<string, string> = {};
  const resources = bytesOfField(payload, 1);
  for (const resource of resources) {
    for (const pair of bytesOfField(resource, 1)) addAttribute(pair, attributes);
  }
  for (const pair of bytesOfField(payload, 2)) addAttribute(pair, attributes);
  if (Object.keys(attributes).length === 0) {
    for (const pair of resources) addAttribute(pair, attributes);
  }
  return attributes;
}

/** `message KeyValue { string key = 1; AnyValue value = 2; }`, `message AnyValue { string string_value = 1; … }` */
function addAttribute(pair: Uint8Array, attributes: Record<string, string>): void {
  const [key] = bytesOfField(pair, 1);
  const [value] = bytesOfField(pair, 2);
  if (key === undefined || value === undefined) return;
  const [text] = bytesOfField(value, 1);
  const name = decoder.decode(key);
  if (text !== undefined && name !== '' && name !== '__proto__') {
    attributes[name] = decoder.decode(text);
  }
}

const decoder = new TextDecoder();
