// ELF files: headers, notes, symbols, compressed sections; DWARF and frame tables inside them.

import { memorySource } from '../../../src/base/byte-source.ts';
import { Diagnostics } from '../../../src/base/diagnostics.ts';
import { readBuildId } from '../../../src/code/elf/build-id.ts';
import { readDebugAltlink } from '../../../src/code/elf/debugaltlink.ts';
import { readDebuglink } from '../../../src/code/elf/debuglink.ts';
import { type ElfFile, findSection, parseElf } from '../../../src/code/elf/elf-file.ts';
import { sectionBytes } from '../../../src/code/elf/section-bytes.ts';
import { DsoTable } from '../../../src/code/process/dso-table.ts';
import { DsoLines } from '../../../src/code/symbols/dso-lines.ts';
import type { SymbolRequest } from '../../../src/code/symbols/symbol-request.ts';
import { Symbolizer } from '../../../src/code/symbols/symbolizer.ts';
import { createUnwinder } from '../../../src/code/unwind/architectures/create-unwinder.ts';
import type { UnwindArchitecture } from '../../../src/code/unwind/module-input.ts';
import { REGISTER_COUNT } from '../../../src/code/unwind/register-dump.ts';
import { StackBytes } from '../../../src/code/unwind/stack-bytes.ts';
import { STOP_NAMES } from '../../../src/code/unwind/stop-reason.ts';
import { UnwindModule } from '../../../src/code/unwind/unwind-module.ts';
import { sectionDecoders } from '../../../src/read/files/section-decoders.ts';
import { readSections } from '../../../src/read/unwind/unwind-sections.ts';
import { hasCorpora, readCorpus } from '../../helpers/corpora.ts';
import { ModuleRanges } from '../../helpers/module-ranges.ts';
import { compiledPrograms } from '../compiled.ts';
import { below, pick, type Random } from '../mutate-bytes.ts';
import { mutateElf } from '../mutate-elf.ts';
import type { Target } from '../target.ts';

const SMALL_FILES = ['w_cpu_fp', 'w_cpu_nofp', 'w_fault', 'w_thr', 'vdso.so'];

let elfSeeds: Uint8Array[] | null = null;

function seeds(): Uint8Array[] {
  elfSeeds ??= [
    ...compiledPrograms(),
    ...(hasCorpora ? SMALL_FILES.map((file) => readCorpus(`own/bin/${file}`)) : []),
  ];
  return elfSeeds;
}

const mutate = (all: readonly Uint8Array[], random: Random): Uint8Array =>
  mutateElf(pick(random, all), pick(random, all), random);

const PATH = '/usr/bin/app';

/** File addresses to ask about: of sections and segments, between them, and nowhere. */
function addressesOf(elf: ElfFile | null, random: Random): number[] {
  const places = [
    ...(elf?.sections ?? []).slice(0, 64).map(({ address, size }) => ({ address, size })),
    ...(elf?.programHeaders ?? []).slice(0, 16).map(({ address, fileSize }) => ({
      address,
      size: fileSize,
    })),
  ].filter(({ size }) => size > 0);
  const text = elf === null ? null : findSection(elf, '.text');
  const addresses = [0, -1, 0x1000, 2 ** 47, -(2 ** 40)];
  for (let i = 0; i < 20; i++) {
    const place = text !== null && random() < 0.7 ? text : pick(random, places);
    if (place !== undefined) addresses.push(place.address + below(random, place.size));
  }
  return addresses;
}

function readElfFile(bytes: Uint8Array): void {
  const diagnostics = new Diagnostics();
  const elf = parseElf(memorySource(bytes), diagnostics);
  if (elf === null) return;
  readBuildId(elf, diagnostics);
  readDebuglink(elf);
  readDebugAltlink(elf, diagnostics);
  for (const { name } of elf.sections.slice(0, 40)) {
    const contents = sectionBytes(elf, name, diagnostics, sectionDecoders);
    if (contents !== null && contents.length > 64 * 2 ** 20) {
      throw new RangeError(`${name}: ${contents.length} bytes out of ${bytes.length}`);
    }
  }
}

/** The file answers every question for a file: mapped file, debug file, shared and split ones. */
function openDso(bytes: Uint8Array) {
  const dsos = new DsoTable();
  const dso = dsos.intern({ kind: 'user-file', path: PATH, fileId: '0:0:1' });
  const diagnostics = new Diagnostics();
  const provider = (request: SymbolRequest) => {
    if ('attempt' in request && request.attempt > 2) return null;
    return memorySource(bytes);
  };
  return { dsos, dso, diagnostics, provider };
}

function resolveSymbols(bytes: Uint8Array, random: Random): void {
  const { dsos, dso, diagnostics, provider } = openDso(bytes);
  const symbolizer = new Symbolizer({
    dsos,
    provider,
    decoders: sectionDecoders,
    demangleCpp: null,
    diagnostics,
    kernelReference: null,
  } as ConstructorParameters<typeof Symbolizer>[0]);
  const elf = parseElf(memorySource(bytes), new Diagnostics());
  for (const address of addressesOf(elf, random)) {
    const found = symbolizer.resolve(dso, address);
    if (found !== null && !(typeof found.name === 'string')) throw new TypeError('no name');
  }
}

function findLines(bytes: Uint8Array, random: Random): void {
  const { dsos, dso, diagnostics, provider } = openDso(bytes);
  const lines = new DsoLines({
    kernelReference: null,
    dsos,
    provider,
    decoders: sectionDecoders,
    demangleCpp: null,
    diagnostics,
  });
  const elf = parseElf(memorySource(bytes), new Diagnostics());
  for (const address of addressesOf(elf, random)) {
    const count = lines.find(dso, address);
    for (let row = 0; row < count; row++) lines.name(row);
  }
  lines.close();
}

function unwindStacks(bytes: Uint8Array, random: Random): void {
  const elf = parseElf(memorySource(bytes), new Diagnostics());
  if (elf === null) return;
  const sections = readSections(elf, new Diagnostics());
  const architecture: UnwindArchitecture = random() < 0.9 ? 'x86-64' : 'aarch64';
  const unwinder = createUnwinder(architecture);
  const module = new UnwindModule('app', () => sections);
  const bias = 0x5500_0000_0000;
  const ranges = new ModuleRanges([
    { start: bias, end: bias + 0x1000_0000, module, loadBias: bias },
  ]);
  const addresses = addressesOf(elf, random);
  const frames = new Float64Array(256);
  const [sp, ip] = architecture === 'x86-64' ? [7, 16] : [31, 32];
  const base = 0x7ffe_0000_0000;
  for (let round = 0; round < 8; round++) {
    const registers = new Float64Array(REGISTER_COUNT[architecture]).fill(Number.NaN);
    for (let i = 0; i < registers.length; i++) {
      if (random() < 0.7) registers[i] = base + 8 * below(random, 64);
    }
    registers[sp] = base;
    registers[ip] = bias + pick(random, addresses);
    const view = new DataView(new ArrayBuffer(512));
    for (let at = 0; at < 512; at += 8) {
      const word = random() < 0.5 ? bias + pick(random, addresses) : base + 8 * below(random, 70);
      view.setBigInt64(at, BigInt(Math.trunc(word)), true);
    }
    const stack = new StackBytes();
    stack.set(view, 0, 512, base);
    const count = unwinder.unwind(registers, stack, ranges, frames);
    if (count > frames.length || STOP_NAMES[unwinder.stopReason] === undefined) {
      throw new RangeError(`${count} frames, stopped for ${unwinder.stopReason}`);
    }
  }
}

export const elfTargets: readonly Target[] = [
  { name: 'elf', seeds, mutate, read: readElfFile },
  { name: 'symbols', seeds, mutate, read: resolveSymbols },
  { name: 'dwarf', seeds, mutate, read: findLines },
  { name: 'unwind', seeds, mutate, read: unwindStacks },
];
