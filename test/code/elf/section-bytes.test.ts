import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { memorySource } from '../../../src/base/byte-source.ts';
import { Diagnostics } from '../../../src/base/diagnostics.ts';
import { parseElf } from '../../../src/code/elf/elf-file.ts';
import { NO_DECODERS, openSection, sectionBytes } from '../../../src/code/elf/section-bytes.ts';
import { sectionDecoders } from '../../../src/read/files/section-decoders.ts';
import { type DrawnSection, elfBytes } from './elf-bytes.ts';

const PROGBITS = 1;
const NOBITS = 8;
const COMPRESSED = 0x800;
const ZLIB = 1;
const ZSTD = 2;

const contents = new TextEncoder().encode('abbreviations '.repeat(1000));

function chdr(is64: boolean, little: boolean, type: number, size: number): Uint8Array {
  const view = new DataView(new ArrayBuffer(is64 ? 24 : 12));
  view.setUint32(0, type, little);
  if (is64) view.setBigUint64(8, BigInt(size), little);
  else view.setUint32(4, size, little);
  return new Uint8Array(view.buffer);
}

function concat(...parts: Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}

function compressed(type: number, stream: Uint8Array, stated = contents.length): DrawnSection {
  const bytes = concat(chdr(true, true, type, stated), stream);
  return { name: '.debug_abbrev', type: PROGBITS, flags: COMPRESSED, bytes };
}

function read(section: DrawnSection, name = '.debug_abbrev', is64 = true, littleEndian = true) {
  const diagnostics = new Diagnostics();
  const file = memorySource(elfBytes({ is64, littleEndian, sections: [section] }));
  const elf = parseElf(file, diagnostics);
  if (elf === null) throw new Error('not an ELF file');
  const found = sectionBytes(elf, name, diagnostics, sectionDecoders);
  const bytes = found && new Uint8Array(found);
  return { elf, bytes, codes: diagnostics.entries().map(({ code }) => code) };
}

/** A zstd frame with one raw block: what any encoder may write. */
function zstdFrame(bytes: Uint8Array): Uint8Array {
  const head = new DataView(new ArrayBuffer(12));
  head.setUint32(0, 0xfd2fb528, true);
  head.setUint8(4, 0xa0);
  head.setUint32(5, bytes.length, true);
  const block = (bytes.length << 3) | 1;
  head.setUint8(9, block & 255);
  head.setUint8(10, (block >> 8) & 255);
  head.setUint8(11, block >> 16);
  return concat(new Uint8Array(head.buffer), bytes);
}

describe('the bytes of a section', () => {
  test('an uncompressed section is read from the file', () => {
    const { bytes, codes } = read({ name: '.debug_abbrev', type: PROGBITS, bytes: contents });
    expect(bytes).toEqual(contents);
    expect(codes).toEqual([]);
  });

  test('section bytes can be read by the piece', () => {
    const { elf } = read({ name: '.debug_abbrev', type: PROGBITS, bytes: contents });
    const source = openSection(elf, '.debug_abbrev', new Diagnostics());
    expect(source?.size).toBe(contents.length);
    expect(source?.read(14, 13)).toEqual(contents.subarray(14, 27));
    expect(source?.read(contents.length - 3, 100)).toEqual(contents.subarray(-3));
    expect(source?.read(contents.length, 1)).toHaveLength(0);
  });

  test.each([
    ['64 bits, little endian', true, true],
    ['64 bits, big endian', true, false],
    ['32 bits, little endian', false, true],
    ['32 bits, big endian', false, false],
  ])('section bytes are decompressed in a file of %s', (_kind, is64, little) => {
    const head = chdr(is64, little, ZLIB, contents.length);
    const bytes = concat(head, deflateSync(contents));
    const section = { name: '.debug_abbrev', type: PROGBITS, flags: COMPRESSED, bytes };
    const found = read(section, '.debug_abbrev', is64, little);
    expect(found.bytes).toEqual(contents);
    expect(found.codes).toEqual([]);
  });

  test('section bytes are decompressed by zstd', () => {
    const { bytes, codes } = read(compressed(ZSTD, zstdFrame(contents)));
    expect(bytes).toEqual(contents);
    expect(codes).toEqual([]);
  });

  test('compressed sections are found under their old name', () => {
    const head = new DataView(new ArrayBuffer(12));
    head.setUint32(0, 0x5a4c4942, false);
    head.setBigUint64(4, BigInt(contents.length), false);
    const bytes = concat(new Uint8Array(head.buffer), deflateSync(contents));
    const found = read({ name: '.zdebug_abbrev', type: PROGBITS, bytes });
    expect(found.bytes).toEqual(contents);
    expect(found.codes).toEqual([]);
  });

  test('a missing or empty section has no bytes', () => {
    expect(read({ name: '.text', type: PROGBITS, bytes: contents }).bytes).toBeNull();
    expect(read({ name: '.debug_abbrev', type: NOBITS, size: 64 }).bytes).toBeNull();
  });
});

describe('a damaged section', () => {
  const stream = new Uint8Array(deflateSync(contents));

  test.each([
    ['ends early', compressed(ZLIB, stream.subarray(0, 40)), 'elf-compressed-section-cut'],
    ['is longer', compressed(ZLIB, stream, 100), 'elf-compressed-section-damaged'],
    [
      'is longer, by zstd',
      compressed(ZSTD, zstdFrame(contents), 100),
      'elf-compressed-section-damaged',
    ],
    ['is no stream', compressed(ZLIB, contents.subarray(0, 50)), 'elf-compressed-section-damaged'],
    [
      'is no zstd stream',
      compressed(ZSTD, contents.subarray(0, 50)),
      'elf-compressed-section-damaged',
    ],
    [
      'states the largest size of all',
      compressed(ZLIB, stream, 2 ** 40),
      'elf-compressed-size-unlikely',
    ],
    ['is compressed in an unknown way', compressed(9, stream), 'elf-compression-unknown'],
    [
      'has no room for its header',
      { ...compressed(ZLIB, stream), bytes: contents.subarray(0, 8) },
      'elf-compression-header-missing',
    ],
    [
      'goes past the end of the file',
      { name: '.debug_abbrev', type: PROGBITS, bytes: contents, size: 2 ** 30 },
      'elf-section-cut',
    ],
  ])('a section that is %s is counted and left out', (_what, section, code) => {
    expect(read(section).codes).toEqual([code]);
  });

  test('a compressed section may inflate to 64 MiB or 64 times its size', () => {
    const limit = 64 * 2 ** 20;
    const zeros = new Uint8Array(deflateSync(new Uint8Array(limit + 1)));
    const cut = 'elf-compressed-size-unlikely';
    expect(read(compressed(ZLIB, zeros, limit + 1)).codes).toContain(cut);
    const within = new Uint8Array(deflateSync(new Uint8Array(limit)));
    expect(read(compressed(ZLIB, within, limit)).bytes).toHaveLength(limit);
  });

  test('a compressed section without a decompressor is left out and counted', () => {
    const diagnostics = new Diagnostics();
    const sections = [compressed(ZLIB, stream)];
    const bytes = elfBytes({ is64: true, littleEndian: true, sections });
    const elf = parseElf(memorySource(bytes), diagnostics);
    expect(elf && sectionBytes(elf, '.debug_abbrev', diagnostics, NO_DECODERS)).toBeNull();
    const codes = diagnostics.entries().map(({ code }) => code);
    expect(codes).toEqual(['elf-compressed-without-decoder']);
  });
});

describe("a compiler's compressed sections", () => {
  const folder = mkdtempSync(join(tmpdir(), 'perf-ts-sections-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.each(['zlib', 'zlib-gnu'])(
    'sections compressed by %s equal the uncompressed ones',
    (kind) => {
      const text = 'int f(int a) { return a * 7; } int main(void) { return f(6); }';
      const options = ['-g', '-x', 'c', '-', '-o'];
      execFileSync('gcc', [...options, join(folder, 'plain')], { input: text });
      execFileSync('objcopy', [
        `--compress-debug-sections=${kind}`,
        join(folder, 'plain'),
        join(folder, kind),
      ]);
      const [plain, packed] = ['plain', kind].map((name) => {
        const diagnostics = new Diagnostics();
        const elf = parseElf(memorySource(readFileSync(join(folder, name))), diagnostics);
        if (elf === null) throw new Error('not an ELF file');
        return ['.debug_info', '.debug_str', '.debug_line'].map((section) => {
          const bytes = sectionBytes(elf, section, diagnostics, sectionDecoders);
          return bytes === null ? null : Buffer.from(bytes).toString('hex');
        });
      });
      expect(plain?.[0]).toBeTruthy();
      expect(packed).toEqual(plain);
    },
  );
});
