import { createHash } from 'node:crypto';
import type { Service } from '../service/service.ts';

/** A window as a sink takes it: pprof profiles, gzipped, requests of OTLP, gzipped, or rows of tables (`encode-rows.ts`). */
export type WindowFormat = 'pprof' | 'otlp' | 'rows';

/** Something that goes out as one. */
export type EncodedProfile = {
  /** The same however often it is made of the same window, and of no other: a UUID, of rows a table and a number. */
  readonly id: string;
  /** Null: services are in the bytes. */
  readonly service: Service | null;
  readonly bytes: Uint8Array;
};

/** A window as its sinks get it. */
export type EncodedWindow = {
  /** Time and number: it sorts after the one before (`WindowQueue`). */
  readonly id: string;
  readonly format: WindowFormat;
  /** Nanoseconds since 1970. */
  readonly startNs: bigint;
  readonly endNs: bigint;
  readonly profiles: readonly EncodedProfile[];
  /** It was found in the spool: who wrote it may have sent it. */
  readonly isInherited?: boolean;
};

/** A UUID of these parts (version 8 of RFC 9562: made as the maker likes). */
export function uuidOf(...parts: readonly string[]): string {
  const hash = createHash('sha256').update(parts.join('\0')).digest();
  hash[6] = (hash[6] & 0x0f) | 0x80;
  hash[8] = (hash[8] & 0x3f) | 0x80;
  const hex = hash.toString('hex');
  return [
    [0, 8],
    [8, 12],
    [12, 16],
    [16, 20],
    [20, 32],
  ]
    .map(([a, b]) => hex.slice(a, b))
    .join('-');
}

const MAGIC = 'perf-ts-window@1';
const HEAD = /^\{"magic":"(perf-ts-window@\d+)","id":"[^"]*","format":"(\w+)"/;

type WindowHead = {
  readonly magic: string;
  readonly id: string;
  readonly format: WindowFormat;
  readonly startNs: string;
  readonly endNs: string;
  readonly profiles: readonly {
    readonly id: string;
    readonly service: Service | null;
    readonly length: number;
  }[];
};

/** A window as a file: a line of JSON, and the profiles one behind the other. */
export function packWindow(window: EncodedWindow): Uint8Array {
  const head: WindowHead = {
    magic: MAGIC,
    id: window.id,
    format: window.format,
    startNs: String(window.startNs),
    endNs: String(window.endNs),
    profiles: window.profiles.map(({ id, service, bytes }) => ({
      id,
      service,
      length: bytes.length,
    })),
  };
  const line = Buffer.from(`${JSON.stringify(head)}\n`);
  return Buffer.concat([line, ...window.profiles.map(({ bytes }) => bytes)]);
}

/** The version and the format of a window, from the first bytes of its file; null for what is none. */
export function kindOfWindow(head: string): { isOurs: boolean; format: string } | null {
  const [, magic, format] = HEAD.exec(head) ?? [];
  return magic === undefined || format === undefined ? null : { isOurs: magic === MAGIC, format };
}

/** Null for what is no window, or not a whole one. */
export function unpackWindow(packed: Uint8Array): EncodedWindow | null {
  const end = packed.indexOf(0x0a);
  if (end < 0) return null;
  try {
    const head = JSON.parse(Buffer.from(packed.subarray(0, end)).toString()) as WindowHead;
    if (head.magic !== MAGIC) return null;
    let at = end + 1;
    const profiles = head.profiles.map(({ id, service, length }) => {
      const bytes = packed.subarray(at, at + length);
      at += length;
      return { id, service, bytes };
    });
    if (at !== packed.length) return null;
    const { id, format } = head;
    return { id, format, startNs: BigInt(head.startNs), endNs: BigInt(head.endNs), profiles };
  } catch {
    return null;
  }
}
