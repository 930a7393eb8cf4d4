import { Diagnostics } from '../base/diagnostics.ts';
import { FailedError, PerfDataError } from '../base/errors.ts';
import { toHex } from '../base/hex.ts';
import { readBuildId } from '../code/elf/build-id.ts';
import { parseElf } from '../code/elf/elf-file.ts';
import type { BuildIdEntry } from '../formats/perf-data/build-id-section.ts';
import type { PerfData } from '../formats/perf-data/reader.ts';
import { PERF_RECORD, PERF_RECORD_MISC } from '../kernel/perf-event/constants.ts';
import { hasMmapBuildId } from '../kernel/perf-event/mmap-build-id.ts';
import type { RecordView } from '../kernel/perf-event/record-view.ts';
import type { BuildIdChange } from '../options/inject.ts';
import { openFileSource } from '../read/files/file-source.ts';
import { readKernelBuildId } from '../system/kernel/host-info.ts';
import type { Labels } from './labels.ts';
import { isKernelMode } from './sample-rewriter.ts';
import { recordText } from './side-band.ts';

const HOST = -1;
// struct { u8 size; u8 reserved[3]; u8 id[20]; } in place of device and inode of a MMAP2.
const MMAP2_BUILD_ID_AT = 40;

/** The build IDs that the output names: those of the header and, for `add`, of mapped files. */
export class BuildIdList {
  readonly #change: BuildIdChange;
  readonly #labels: Labels | null;
  readonly #entries = new Map<string, BuildIdEntry>();
  /** CPU mode of what is mapped and has no build ID so far. */
  readonly #wanted = new Map<string, number>();

  constructor(data: PerfData, change: BuildIdChange, labels: Labels | null) {
    this.#change = change;
    this.#labels = labels;
    if (change === 'remove') return;
    for (const entry of data.features.buildIds ?? []) this.#entries.set(entry.filename, entry);
  }

  /** A MMAP or MMAP2 of the input; `trailerSize`: bytes of its sample-id trailer. */
  add(record: RecordView, trailerSize: number): void {
    if (this.#change !== 'add') return;
    const path = recordText(record, trailerSize);
    if (path === null) return;
    const filename = path.startsWith('[kernel.kallsyms]') ? '[kernel.kallsyms]' : path;
    if (this.#entries.has(filename)) return;
    const cpuMode = isKernelMode(record.misc) ? PERF_RECORD_MISC.KERNEL : PERF_RECORD_MISC.USER;
    if (record.type !== PERF_RECORD.MMAP2 || !hasMmapBuildId(record)) {
      this.#wanted.set(filename, cpuMode);
      return;
    }
    const [size] = record.bytes(MMAP2_BUILD_ID_AT);
    const from = MMAP2_BUILD_ID_AT + 4;
    const bytes = record.bytes(from, from + Math.min(size, 20));
    this.#entries.set(filename, { pid: HOST, cpuMode, buildId: toHex(bytes), filename });
  }

  /** Reads the files that are mapped and can be read here. */
  readFiles(): void {
    for (const [filename, cpuMode] of this.#wanted) {
      if (this.#entries.has(filename)) continue;
      const buildId =
        filename === '[kernel.kallsyms]' ? readKernelBuildId() : fileBuildId(filename);
      if (buildId !== null) this.#entries.set(filename, { pid: HOST, cpuMode, buildId, filename });
    }
  }

  entries(): BuildIdEntry[] {
    return [...this.#entries.values()].map((entry) => ({
      ...entry,
      filename: this.#labels?.dso(entry.filename) ?? entry.filename,
    }));
  }
}

function fileBuildId(path: string): string | null {
  if (!path.startsWith('/') || path.startsWith('/dev/')) return null;
  try {
    const source = openFileSource(path);
    try {
      const diagnostics = new Diagnostics();
      const elf = parseElf(source, diagnostics);
      return elf === null ? null : readBuildId(elf, diagnostics);
    } finally {
      source.close();
    }
  } catch (error) {
    // Gone, not readable, or no ELF file: it stays without a build ID.
    if (error instanceof PerfDataError || error instanceof FailedError) return null;
    throw error;
  }
}
