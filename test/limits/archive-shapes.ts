// Recordings with an archive beside them, whose files unpack to much.

import { spawnSync } from 'node:child_process';
import { deflateSync } from 'node:zlib';
import { ByteWriter } from '../../src/base/byte-writer.ts';
import { PERF_RECORD, PERF_SAMPLE } from '../../src/kernel/perf-event/constants.ts';
import { elfBytes } from '../code/elf/elf-bytes.ts';
import { below, pick, type Random } from '../fuzz/mutate-bytes.ts';
import { fileOf, put } from './recording-shapes.ts';
import type { Shape } from './shape.ts';

const USER = 2;
const CODE_AT = 0x7f0000000000;
const CODE_BYTES = 0x10000;
const SYMBOL_BYTES = 24;
const SHT_SYMTAB = 2;
const SHT_STRTAB = 3;
const SHF_ALLOC_CODE = 6;
const SHF_COMPRESSED = 0x800;

const text = { name: '.text', type: 1, flags: SHF_ALLOC_CODE, address: 0x1000 };

function elf(sections: Parameters<typeof elfBytes>[0]['sections']): Uint8Array {
  return elfBytes({
    is64: true,
    littleEndian: true,
    sections,
    segments: [[1, 0, 0, CODE_BYTES]],
  });
}

/** The symbols of `.gnu_debugdata`: a function again and again, or nothing but zeros. */
function miniDebugInfo(bytes: number, areZeros: boolean): Uint8Array {
  const one = new ByteWriter().u32(1).u8(0x12).u8(0).u16(1).u64(0x1000).u64(16).finish();
  return elf([
    { ...text, bytes: new Uint8Array(64) },
    { name: '.symtab', type: SHT_SYMTAB, link: 3, bytes: Buffer.alloc(bytes, areZeros ? 0 : one) },
    { name: '.strtab', type: SHT_STRTAB, bytes: Buffer.from('\0f\0') },
  ]);
}

/** Made once: each takes xz longer than the command that reads it. */
const packed = new Map<string, Uint8Array>();

function packedMiniDebugInfo(bytes: number, areZeros: boolean, isDamaged: boolean): Uint8Array {
  const name = `${bytes} ${areZeros}`;
  let xz = packed.get(name);
  if (xz === undefined) {
    const input = miniDebugInfo(bytes, areZeros);
    // It is nonsense where xz is missing, as it is for the command.
    const run = spawnSync('xz', ['-c1'], { input, maxBuffer: 2 ** 26 });
    xz = run.error === undefined ? run.stdout : new Uint8Array(100);
    packed.set(name, xz);
  }
  if (!isDamaged) return xz;
  const damaged = xz.slice();
  damaged[damaged.length - 40] ^= 1;
  return damaged;
}

/** A file with what `random` takes of sections that unpack to more than they are. */
function withMiniDebugInfo(random: Random): Uint8Array {
  const bytes = SYMBOL_BYTES * 2 ** pick(random, [10, 20, 21, 22]);
  const section = packedMiniDebugInfo(bytes, random() < 0.4, random() < 0.2);
  return elf([
    { ...text, bytes: new Uint8Array(64) },
    { name: '.gnu_debugdata', type: 1, bytes: section },
  ]);
}

const deflated = new Map<string, Uint8Array>();

function compressedSection(stated: number, pattern: Uint8Array): Uint8Array {
  const name = `${stated} ${pattern.join()}`;
  let bytes = deflated.get(name);
  if (bytes === undefined) {
    const stream = deflateSync(Buffer.alloc(stated, pattern), { level: 1 });
    bytes = new ByteWriter().u32(1).u32(0).u64(stated).u64(1).bytes(stream).finish();
    deflated.set(name, bytes);
  }
  return bytes;
}

/** Units of DWARF 4 without anything in them, tables of lines, zeros. */
const PATTERNS = [
  Uint8Array.of(8, 0, 0, 0, 4, 0, 0, 0, 0, 0, 8, 0),
  Uint8Array.of(1, 17, 0, 0, 0),
  Uint8Array.of(0),
];

function withDwarf(random: Random): Uint8Array {
  const sections = ['info', 'abbrev', 'line', 'str', 'ranges', 'aranges', 'frame'].map((name) => ({
    name: `.debug_${name}`,
    type: 1,
    flags: SHF_COMPRESSED,
    bytes: compressedSection(2 ** pick(random, [16, 24, 25, 26]), pick(random, PATTERNS)),
  }));
  return elf([{ ...text, bytes: new Uint8Array(64) }, ...sections]);
}

/** A process that maps as many files, with a sample in each, and its caller in the one before. */
function samplesIn(files: number): Uint8Array {
  const out = new ByteWriter();
  for (let i = 0; i < files; i++) {
    const at = CODE_AT + i * CODE_BYTES;
    const mapping = new ByteWriter().u32(10).u32(10).u64(at).u64(CODE_BYTES).u64(0).finish();
    put(out, PERF_RECORD.MMAP, USER, () => out.bytes(mapping).text(`/lib/${i}.so\0`).align(8));
    const ip = at + 0x1004;
    put(out, PERF_RECORD.SAMPLE, USER, () =>
      out
        .u64(ip)
        .u32(10)
        .u32(10)
        .u64(i)
        .u64(2)
        .u64(ip)
        .u64(Math.max(CODE_AT, ip - CODE_BYTES)),
    );
  }
  return fileOf(out.finish(), {
    sampleType: PERF_SAMPLE.IP | PERF_SAMPLE.TID | PERF_SAMPLE.TIME | PERF_SAMPLE.CALLCHAIN,
  });
}

/** Files of the archive, so many that they come to `bytes`, of a few kinds. */
function archive(make: (random: Random) => Uint8Array, random: Random, bytes: number) {
  const kinds = Array.from({ length: 1 + below(random, 4) }, () => make(random));
  const files = new Map<string, Uint8Array>();
  for (let size = 0, index = 0; size < bytes && index < MOST_FILES; index++) {
    const file = kinds[index % kinds.length];
    files.set(`perf.data.symbols/lib/${index}.so`, file);
    size += file.length;
  }
  return files;
}

const MOST_FILES = 2000;

export const archiveShapes: readonly Shape[] = [
  {
    name: 'symbols of an archive in xz',
    make: (_random, bytes) => samplesIn(Math.min(MOST_FILES, Math.ceil(bytes / 3000))),
    beside: (random, bytes) => archive(withMiniDebugInfo, random, bytes),
  },
  {
    name: 'DWARF of an archive in zlib',
    make: (_random, bytes) => samplesIn(Math.min(MOST_FILES, Math.ceil(bytes / 3000))),
    beside: (random, bytes) => archive(withDwarf, random, bytes),
  },
];
