// The stacks of a recording with copied stacks, by src/code/unwind alone: what reading adds (mappings
// that end, build IDs, joining with callchains) is left out.

import { existsSync, readFileSync } from 'node:fs';
import { memorySource } from '../../src/base/byte-source.ts';
import { Diagnostics } from '../../src/base/diagnostics.ts';
import { formatAddress, toRawTime } from '../../src/base/u64.ts';
import { type ElfFile, findSection, parseElf } from '../../src/code/elf/elf-file.ts';
import { sectionBytes } from '../../src/code/elf/section-bytes.ts';
import { createUnwinder } from '../../src/code/unwind/architectures/create-unwinder.ts';
import type {
  UnwindArchitecture,
  UnwindSection,
  UnwindSections,
} from '../../src/code/unwind/module-input.ts';
import { RegisterDump } from '../../src/code/unwind/register-dump.ts';
import { StackBytes } from '../../src/code/unwind/stack-bytes.ts';
import { STOP_NAMES } from '../../src/code/unwind/stop-reason.ts';
import { UnwindModule } from '../../src/code/unwind/unwind-module.ts';
import { openPerfData, type PerfData } from '../../src/formats/perf-data/reader.ts';
import {
  PERF_RECORD,
  PERF_RECORD_MISC,
  PERF_SAMPLE_REGS_ABI,
} from '../../src/kernel/perf-event/constants.ts';
import { UNKNOWN_EVENT } from '../../src/kernel/perf-event/event-lookup.ts';
import { decodeRecord } from '../../src/kernel/perf-event/record.ts';
import { registerArchitectureOf } from '../../src/kernel/perf-event/register-names.ts';
import { decodeSample, SampleView } from '../../src/kernel/perf-event/sample.ts';
import { sectionDecoders } from '../../src/read/files/section-decoders.ts';
import { createZstdDecoder } from '../../src/read/files/zstd.ts';
import { visitInTimeOrder } from '../../src/read/ordered-records.ts';
import { segmentBias } from '../../src/read/unwind/unwind-sections.ts';
import { type ModuleRange, ModuleRanges } from './module-ranges.ts';

const PT_LOAD = 1;

/** The user part of one sample's stack, innermost first. */
export type UnwoundStack = {
  readonly pid: number;
  readonly tid: number;
  /** Raw nanoseconds. */
  readonly time: bigint;
  /** Lookup addresses, absolute: hexadecimal without 0x, as `perf script -F ip` has them. */
  readonly ips: string[];
  /** Of `STOP_NAMES`. */
  readonly stop: string;
  /** File of the outermost frame; empty where it doesn't matter. */
  readonly stopModule: string;
};

export type UnwindOptions = {
  /** The file to read for a mapped path; null: absent. */
  readonly fileOf?: (path: string) => string | null;
};

/** Unwinds every sample that has user registers. */
export function unwindRecording(path: string, options: UnwindOptions = {}): UnwoundStack[] {
  const data = openPerfData(memorySource(readFileSync(path)), { createZstdDecoder });
  const architecture = architectureOf(data);
  const unwinder = createUnwinder(architecture);
  const stack = new StackBytes();
  const frames = new Float64Array(1024);
  const dumps = data.attrs.map(({ attr }) => new RegisterDump(architecture, attr.sampleRegsUser));
  const sample = new SampleView(data.startTime);
  const processes = new Processes(options.fileOf ?? ((file) => file));
  const stacks: UnwoundStack[] = [];
  visitInTimeOrder(data, {
    record(record) {
      const { view, type } = record;
      const attrIndex = data.lookup.attrIndexOf(record);
      const { info } = data.attrs[Math.max(attrIndex, 0)];
      if (type !== PERF_RECORD.SAMPLE) {
        const decoded = decodeRecord(record, info);
        if (decoded.kind === 'mmap' || decoded.kind === 'mmap2') {
          const isUser = (record.misc & PERF_RECORD_MISC.CPUMODE_MASK) === PERF_RECORD_MISC.USER;
          if (isUser && !decoded.isData) processes.map(decoded.pid, decoded);
        } else if (decoded.kind === 'fork') processes.fork(decoded.parentPid, decoded.pid);
        else if (decoded.kind === 'comm' && decoded.isExec) processes.exec(decoded.pid);
        return;
      }
      if (attrIndex === UNKNOWN_EVENT) return;
      if (!decodeSample(record, info, sample)) return;
      if (sample.userRegsAbi !== PERF_SAMPLE_REGS_ABI.ABI_64) return;
      const dump = dumps[attrIndex];
      const registers = dump.read(view, sample.userRegsOffset, sample.userRegsCount);
      const start = registers[dump.stackPointer];
      stack.set(view, sample.stackOffset, sample.stackDynamicSize, start);
      const modules = processes.modulesOf(sample.pid);
      const count = unwinder.unwind(registers, stack, modules, frames, dump);
      const ips: string[] = [];
      for (let i = 0; i < count; i++) {
        const lookup = frames[i] - (unwinder.isExact[i] === 1 ? 0 : 1);
        ips.push(formatAddress(lookup).slice(2));
      }
      stacks.push({
        pid: sample.pid,
        tid: sample.tid,
        time: Number.isNaN(sample.timeNs) ? 0n : toRawTime(data.startTime, sample.timeNs),
        ips,
        stop: STOP_NAMES[unwinder.stopReason],
        stopModule: modules.find(unwinder.stopAddress) ? (modules.module?.name ?? '') : '',
      });
    },
  });
  return stacks;
}

function architectureOf(data: PerfData): UnwindArchitecture {
  return registerArchitectureOf(data.features.arch ?? null) === 'arm64' ? 'aarch64' : 'x86-64';
}

type Mapping = {
  readonly address: number;
  readonly length: number;
  readonly fileOffset: number;
  readonly filename: string;
};

type Loaded = { readonly module: UnwindModule; readonly elf: ElfFile | null };

/** Mappings of code by process, each over those before it. */
class Processes {
  readonly #fileOf: (path: string) => string | null;
  readonly #files = new Map<string, Loaded>();
  readonly #ranges = new Map<number, readonly ModuleRange[]>();
  readonly #modules = new Map<number, ModuleRanges>();

  constructor(fileOf: (path: string) => string | null) {
    this.#fileOf = fileOf;
  }

  map(pid: number, mapping: Mapping): void {
    const start: number = mapping.address;
    const end = start + mapping.length;
    const kept = (this.#ranges.get(pid) ?? []).flatMap((range) => {
      if (range.end <= start || range.start >= end) return [range];
      return [
        { ...range, end: start },
        { ...range, start: end },
      ].filter((part) => part.start < part.end);
    });
    const { filename, fileOffset } = mapping;
    const isFile = filename.startsWith('/') && !filename.startsWith('//');
    const loaded = isFile || filename === '[vdso]' ? this.#load(filename) : null;
    const inFile = loaded?.elf ? segmentBias(loaded.elf, fileOffset) : 0;
    const loadBias = start - fileOffset - inFile;
    this.#set(pid, [...kept, { start, end, module: loaded?.module ?? null, loadBias }]);
  }

  fork(parent: number, pid: number): void {
    if (parent !== pid) this.#set(pid, this.#ranges.get(parent) ?? []);
  }

  exec(pid: number): void {
    this.#set(pid, []);
  }

  modulesOf(pid: number): ModuleRanges {
    let modules = this.#modules.get(pid);
    if (modules === undefined) {
      modules = new ModuleRanges(this.#ranges.get(pid) ?? []);
      this.#modules.set(pid, modules);
    }
    return modules;
  }

  #set(pid: number, ranges: readonly ModuleRange[]): void {
    this.#ranges.set(pid, ranges);
    this.#modules.delete(pid);
  }

  #load(filename: string): Loaded {
    let loaded = this.#files.get(filename);
    if (loaded === undefined) {
      const path = this.#fileOf(filename);
      const elf = path !== null && existsSync(path) ? openElf(path) : null;
      const module = new UnwindModule(filename, () => elf && sectionsOf(elf));
      loaded = { module, elf };
      this.#files.set(filename, loaded);
    }
    return loaded;
  }
}

export function openElf(path: string): ElfFile | null {
  return parseElf(memorySource(readFileSync(path)), new Diagnostics());
}

/** What unwinding needs of an ELF file. */
export function sectionsOf(elf: ElfFile): UnwindSections {
  const read = (name: string): UnwindSection | null => {
    const bytes = sectionBytes(elf, name, new Diagnostics(), sectionDecoders);
    return bytes === null ? null : { bytes, address: findSection(elf, name)?.address ?? 0 };
  };
  return {
    ehFrame: read('.eh_frame'),
    ehFrameHdr: read('.eh_frame_hdr'),
    debugFrame: read('.debug_frame'),
    textAddress: findSection(elf, '.text')?.address ?? 0,
    gotAddress: findSection(elf, '.got')?.address ?? 0,
    readText: (address, length) => {
      for (const header of elf.programHeaders) {
        const at = address - header.address;
        if (header.type !== PT_LOAD || at < 0 || at >= header.fileSize) continue;
        return elf.source.read(header.offset + at, Math.min(length, header.fileSize - at));
      }
      return null;
    },
  };
}
