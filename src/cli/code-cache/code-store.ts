import type { CacheFolder } from '../../system/files/cache-folder.ts';

/** The code that one command runs takes about one MiB. */
const MOST_BYTES_OF_ONE = 8 * 2 ** 20;
const MAGIC = 0x32435450; // PTC2
/** Magic number, hash of everything behind it, length of the table. */
const HEAD_WORDS = 4;
const ALIGNMENT = 8;

/** The compiled code of one file. */
export type StoredCode = {
  readonly name: string;
  /** State of the file that it was compiled from. */
  readonly state: string;
  readonly bytes: Uint8Array;
};

type Table = {
  readonly key: string;
  /** `at`: bytes behind the table. */
  readonly files: readonly { name: string; state: string; at: number; length: number }[];
};

/**
 * Keeps the code that V8 has compiled of the program's files between runs, in the user's cache: one file for each Node,
 * place of the program and command, since commands use different functions.
 *
 *     u32 magic   u32 hash   u32 bytes of the table   u32 0   table (JSON)   code …      each at a multiple of 8
 *
 * V8 compares version, flags and the length of the source, and believes the rest: a damaged byte ends the
 * process. So the hash covers every byte; `CacheFolder` takes nothing that another user could have written.
 */
export class CodeStore {
  readonly #folder: CacheFolder;
  readonly #key: string;

  /** `key`: everything that the code depends on besides its files. */
  constructor(folder: CacheFolder, key: string) {
    this.#folder = folder;
    this.#key = key;
  }

  /** Code by name of its file; none where nothing is kept, or it is damaged or of something else. */
  read(): Map<string, StoredCode> {
    const stored = new Map<string, StoredCode>();
    const file = this.#folder.read(this.#fileName(), MOST_BYTES_OF_ONE);
    const known = file === null ? null : readTable(file);
    if (known === null || known.table.key !== this.#key) return stored;
    for (const { name, state, at, length } of known.table.files) {
      stored.set(name, { name, state, bytes: known.codes.subarray(at, at + length) });
    }
    return stored;
  }

  /** Replaces what was kept. */
  write(codes: readonly StoredCode[]): void {
    const bytes = encode(this.#key, codes);
    if (bytes.length <= MOST_BYTES_OF_ONE) this.#folder.write(this.#fileName(), bytes);
  }

  #fileName(): string {
    const bytes = new TextEncoder().encode(this.#key);
    const words = new Int32Array(Math.ceil(bytes.length / 4));
    new Uint8Array(words.buffer).set(bytes);
    return `code-${(hash(words) >>> 0).toString(16).padStart(8, '0')}`;
  }
}

function encode(key: string, codes: readonly StoredCode[]): Uint8Array {
  let length = 0;
  const files = codes.map(({ name, state, bytes }) => {
    const at = length;
    length = aligned(at + bytes.length);
    return { name, state, at, length: bytes.length };
  });
  const table = new TextEncoder().encode(JSON.stringify({ key, files } satisfies Table));
  const start = codeStart(table.length);
  const output = new Uint8Array(start + length);
  output.set(table, HEAD_WORDS * 4);
  for (const [row, { bytes }] of codes.entries()) output.set(bytes, start + files[row].at);
  const words = new Int32Array(output.buffer);
  words[0] = MAGIC;
  words[2] = table.length;
  words[1] = hash(words.subarray(2));
  return output;
}

/** Null where the file is damaged. */
function readTable(file: Uint8Array): { table: Table; codes: Uint8Array } | null {
  if (file.length < HEAD_WORDS * 4 || file.length % ALIGNMENT !== 0) return null;
  const words = new Int32Array(file.buffer, file.byteOffset, file.length / 4);
  if (words[0] !== MAGIC || words[1] !== hash(words.subarray(2))) return null;
  const text = file.subarray(HEAD_WORDS * 4, HEAD_WORDS * 4 + words[2]);
  const table = JSON.parse(new TextDecoder().decode(text)) as Table;
  return { table, codes: file.subarray(codeStart(words[2])) };
}

/** Place of the first code in the file. */
function codeStart(tableBytes: number): number {
  return aligned(HEAD_WORDS * 4 + tableBytes);
}

function aligned(length: number): number {
  return Math.ceil(length / ALIGNMENT) * ALIGNMENT;
}

/** FNV-1a over words, in four lanes: a processor takes them side by side. */
// Hot: a quarter of a million words at each start.
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
