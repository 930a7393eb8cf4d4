import type { CacheFolder } from './cache-folder.ts';

const MAGIC = 0x32435450; // PTC2
/** Magic number, hash of everything behind it, length of the table. */
const HEAD_WORDS = 4;
const ALIGNMENT = 8;

/** Bytes that are kept, as the compiled code of one file. */
export type KeptPart = {
  readonly name: string;
  /** The state of what they were made from. */
  readonly state: string;
  readonly bytes: Uint8Array;
};

type Table = {
  readonly key: string;
  /** `at`: bytes behind the table. */
  readonly files: readonly { name: string; state: string; at: number; length: number }[];
};

export type KeptKind = {
  /** The names of files begin with it. */
  readonly prefix: string;
  /** Bytes of one file. */
  readonly mostBytes: number;
};

/**
 * Keeps bytes between runs, in the user's cache: one file for each key.
 *
 *     u32 magic   u32 hash   u32 bytes of the table   u32 0   table (JSON)   part …      each at a multiple of 8
 *
 * V8 compares version, flags and the length of the source of compiled code, and believes the rest: a damaged byte ends the
 * process. So the hash covers every byte; `CacheFolder` takes nothing that another user could have written.
 */
export class KeptParts {
  readonly #folder: CacheFolder;
  readonly #kind: KeptKind;
  readonly #key: string;

  /** `key`: everything that the parts depend on besides their states. */
  constructor(folder: CacheFolder, kind: KeptKind, key: string) {
    this.#folder = folder;
    this.#kind = kind;
    this.#key = key;
  }

  /** Parts by name; none where nothing is kept, or it is damaged or of something else. */
  read(): Map<string, KeptPart> {
    const stored = new Map<string, KeptPart>();
    const file = this.#folder.read(this.#fileName(), this.#kind.mostBytes);
    const known = file === null ? null : readTable(file);
    if (known === null || known.table.key !== this.#key) return stored;
    for (const { name, state, at, length } of known.table.files) {
      stored.set(name, { name, state, bytes: known.parts.subarray(at, at + length) });
    }
    return stored;
  }

  /** Replaces what was kept. */
  write(parts: readonly KeptPart[]): void {
    const bytes = encode(this.#key, parts);
    if (bytes.length <= this.#kind.mostBytes) this.#folder.write(this.#fileName(), bytes);
  }

  #fileName(): string {
    const bytes = new TextEncoder().encode(this.#key);
    const words = new Int32Array(Math.ceil(bytes.length / 4));
    new Uint8Array(words.buffer).set(bytes);
    return `${this.#kind.prefix}-${(hash(words) >>> 0).toString(16).padStart(8, '0')}`;
  }
}

function encode(key: string, parts: readonly KeptPart[]): Uint8Array {
  let length = 0;
  const files = parts.map(({ name, state, bytes }) => {
    const at = length;
    length = aligned(at + bytes.length);
    return { name, state, at, length: bytes.length };
  });
  const table = new TextEncoder().encode(JSON.stringify({ key, files } satisfies Table));
  const start = firstPart(table.length);
  const output = new Uint8Array(start + length);
  output.set(table, HEAD_WORDS * 4);
  for (const [row, { bytes }] of parts.entries()) output.set(bytes, start + files[row].at);
  const words = new Int32Array(output.buffer);
  words[0] = MAGIC;
  words[2] = table.length;
  words[1] = hash(words.subarray(2));
  return output;
}

/** Null where the file is damaged. */
function readTable(file: Uint8Array): { table: Table; parts: Uint8Array } | null {
  if (file.length < HEAD_WORDS * 4 || file.length % ALIGNMENT !== 0) return null;
  const words = new Int32Array(file.buffer, file.byteOffset, file.length / 4);
  if (words[0] !== MAGIC || words[1] !== hash(words.subarray(2))) return null;
  const text = file.subarray(HEAD_WORDS * 4, HEAD_WORDS * 4 + words[2]);
  const table = JSON.parse(new TextDecoder().decode(text)) as Table;
  return { table, parts: file.subarray(firstPart(words[2])) };
}

/** Place of the first part in the file. */
function firstPart(tableBytes: number): number {
  return aligned(HEAD_WORDS * 4 + tableBytes);
}

function aligned(length: number): number {
  return Math.ceil(length / ALIGNMENT) * ALIGNMENT;
}

/** FNV-1a over words, in four lanes: a processor takes them side by side. */
// Hot: a quarter of a million words at each start, millions of a kept profile.
function hash(words: Int32Array): number {
  const prime = 0x01000193;
  let [a, b, c, d] = [0x811c9dc5, 0x7f4a7c15, 0x2545f491, 0x9e3779b9];
  const whole = words.length - (words.length % 4);
  for (let i = 0; i < whole; i += 4) {
    a = Math.imul(a ^ words[i], prime);
    b = Math.imul(b ^ words[i + 1], prime);
    c = Math.imul(c ^ words[i + 2], prime);
    d = Math.imul(d ^ words[i + 3], prime);
  }
  for (let i = whole; i < words.length; i++) a = Math.imul(a ^ words[i], prime);
  for (const lane of [b, c, d]) a = Math.imul(a ^ (lane ^ (lane >>> 15)), prime);
  return a ^ words.length;
}
