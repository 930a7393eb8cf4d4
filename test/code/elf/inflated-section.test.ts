// A large compressed section, inflated as far as it is asked for.

import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { memorySource } from '../../../src/base/byte-source.ts';
import { Diagnostics } from '../../../src/base/diagnostics.ts';
import { parseElf } from '../../../src/code/elf/elf-file.ts';
import { InflatedSection, type Scratch } from '../../../src/code/elf/inflated-section.ts';
import {
  MAX_INFLATED_WHOLE_BYTES,
  openSection,
  sectionBytes,
} from '../../../src/code/elf/section-bytes.ts';
import { sectionDecoders } from '../../../src/read/files/section-decoders.ts';
import { openScratchFile } from '../../../src/system/files/scratch-file.ts';
import { seededRandom } from '../../helpers/random.ts';
import { elfBytes } from './elf-bytes.ts';

const SIZE = 5 * 2 ** 20 + 123;
const COMPRESSED = 0x800;

/** Bytes that compress well and differ everywhere. */
function drawn(size: number): Uint8Array {
  const words = new Uint32Array(Math.ceil(size / 4));
  for (let i = 0; i < words.length; i++) words[i] = (i >> 3) * 2654435761;
  return new Uint8Array(words.buffer, 0, size);
}

const content = drawn(SIZE);
const stream = new Uint8Array(deflateSync(content, { level: 1 }));

function memoryScratch(room = Number.POSITIVE_INFINITY) {
  const bytes = new Uint8Array(SIZE + 1024);
  const scratch = {
    written: 0,
    isClosed: false,
    write(offset: number, part: Uint8Array) {
      if (offset + part.length > room) return false;
      bytes.set(part, offset);
      scratch.written = offset + part.length;
      return true;
    },
    read: (offset: number, length: number) => bytes.slice(offset, offset + length),
    close() {
      scratch.isClosed = true;
    },
  };
  return scratch satisfies Scratch;
}

function open(source: Uint8Array, scratch: Scratch, whole: Uint8Array | null = null) {
  const damage: [number, string][] = [];
  const section = new InflatedSection({
    stream: memorySource(source),
    size: SIZE,
    scratch,
    inflateWhole: () => whole,
    onDamage: (at, reason) => damage.push([at, reason]),
  });
  return { section, damage };
}

const isEqual = (section: InflatedSection, offset: number, length: number) =>
  Buffer.from(section.read(offset, length)).equals(content.subarray(offset, offset + length));

describe('an inflated section', () => {
  test('an inflated section can be read in any order', () => {
    const { section, damage } = open(stream, memoryScratch());
    const next = seededRandom(3);
    for (let i = 0; i < 200; i++) {
      const offset = Math.floor(next() * SIZE);
      expect(isEqual(section, offset, Math.floor(next() * 300_000))).toBe(true);
    }
    expect(isEqual(section, 0, SIZE)).toBe(true);
    expect(section.read(SIZE - 3, 10)).toEqual(content.slice(-3));
    expect(section.read(SIZE, 10)).toHaveLength(0);
    expect(damage).toEqual([]);
  });

  test('a section is inflated only as far as it is read', () => {
    const scratch = memoryScratch();
    const { section } = open(stream, scratch);
    expect(scratch.written).toBe(0);
    section.read(10, 100);
    expect(scratch.written).toBeLessThan(SIZE / 4);
    section.close();
    expect(scratch.isClosed).toBe(true);
  });

  test('an inflated section moves into memory when the scratch file is full', () => {
    const { section, damage } = open(stream, memoryScratch(3 * 2 ** 20), content);
    expect(isEqual(section, 0, 1000)).toBe(true);
    expect(isEqual(section, SIZE - 5000, 5000)).toBe(true);
    expect(isEqual(section, 0, SIZE)).toBe(true);
    expect(damage).toEqual([]);
  });

  test('a damaged compressed section is read up to the damage, counted once', () => {
    const damaged = stream.slice();
    damaged.fill(0xff, stream.length / 2, stream.length / 2 + 64);
    for (const source of [stream.subarray(0, stream.length / 2), damaged]) {
      const { section, damage } = open(source, memoryScratch());
      expect(isEqual(section, 2 ** 20, 2 ** 19)).toBe(true);
      const read = section.read(0, SIZE);
      expect(read.length).toBeLessThan(SIZE);
      expect(section.read(SIZE - 10, 10)).toHaveLength(0);
      expect(damage).toHaveLength(1);
      expect(damage[0][0]).toBe(read.length);
    }
  });

  test('a compressed section that ends before its stated size is counted', () => {
    const { section, damage } = open(deflateSync(content.subarray(0, 1000)), memoryScratch());
    expect(section.read(0, SIZE)).toEqual(content.slice(0, 1000));
    expect(damage).toEqual([[1000, 'the stream ends early']]);
  });

  test('a compressed section that is not zlib is refused', () => {
    expect(() => open(content, memoryScratch())).toThrow('no zlib stream');
  });
});

describe('a large section of a file', () => {
  const large = drawn(MAX_INFLATED_WHOLE_BYTES + 4096);
  const header = new DataView(new ArrayBuffer(24));
  header.setUint32(0, 1, true);
  header.setBigUint64(8, BigInt(large.length), true);
  const packed = Buffer.concat([new Uint8Array(header.buffer), deflateSync(large, { level: 1 })]);
  const section = { name: '.debug_info', type: 1, flags: COMPRESSED, bytes: packed };
  const bytes = elfBytes({ is64: true, littleEndian: true, sections: [section] });
  const elf = parseElf(memorySource(bytes), new Diagnostics())!;

  test('a large section is read through a scratch file that has no name', () => {
    const names = () =>
      ['/var/tmp', tmpdir()].flatMap((folder) =>
        readdirSync(folder).filter((name) => /^perf-ts-[0-9a-f]{24}$/.test(name)),
      );
    const diagnostics = new Diagnostics();
    const source = openSection(elf, '.debug_info', diagnostics, sectionDecoders)!;
    const middle = large.length / 2;
    expect(
      Buffer.from(source.read(middle, 5000)).equals(large.subarray(middle, middle + 5000)),
    ).toBe(true);
    expect(names()).toEqual([]);
    expect(Buffer.from(source.read(0, source.size)).equals(large)).toBe(true);
    expect(source.close).toBeDefined();
    source.close!();
    expect(diagnostics.entries()).toEqual([]);
  });

  test('a large section is inflated whole where all of it is wanted, or where there is no scratch file', () => {
    const whole = sectionBytes(elf, '.debug_info', new Diagnostics(), {
      ...sectionDecoders,
      scratch: () => expect.unreachable(),
    });
    expect(Buffer.from(whole!).equals(large)).toBe(true);
    const none = { ...sectionDecoders, scratch: () => null };
    const source = openSection(elf, '.debug_info', new Diagnostics(), none)!;
    expect(source.close).toBeUndefined();
    expect(Buffer.from(source.read(100, 50)).equals(large.subarray(100, 150))).toBe(true);
  });

  test('a large section is read without a scratch file where the disk is full', () => {
    expect(openScratchFile(2 ** 60)).toBeNull();
  });
});
