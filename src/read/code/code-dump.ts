import { NONE } from '../../base/brand.ts';
import { Diagnostics } from '../../base/diagnostics.ts';
import { getOrMake } from '../../base/group-by.ts';
import type { InstructionSet } from '../../code/disassembly/types.ts';
import type { CodeTable, SourceLine } from '../../code/jit/code-table.ts';
import type { JitCode } from '../../code/jit/jit-code.ts';
import { type Jitdump, readJitdump } from '../../code/jit/jitdump.ts';
import type { SymbolSource } from '../../code/symbols/symbol-request.ts';
import type { SymbolSources } from '../../options/reading.ts';
import type { DsoIndex, Profile } from '../../profile/types.ts';
import { openJitdump, ownersOfFile, writerOf } from '../jit/jit-files.ts';
import { withDumpedLines } from '../jit/v8-lines.ts';
import { architectureOf } from './machine.ts';

/** A code object that frames lie in, as its JIT announced it. */
export type CodeObject = {
  /** Path of the jitdump that has its code; null where a perf map told its name only. */
  readonly dump: string | null;
  /** Row of the dump's table. */
  readonly row: number;
  readonly name: string;
  /** Absolute addresses. */
  readonly start: number;
  readonly end: number;
};

/** Which code object each frame in JIT code lies in. */
export type CodeObjects = {
  readonly list: readonly CodeObject[];
  /** Index into `list` by frame, −1 for frames that no JIT named. */
  readonly ofFrame: Int32Array;
};

/** Notes it while frames still know their generation: `settleJitFrames` leads them back. */
export function noteCodeObjects({ frames }: Profile, jit: JitCode): CodeObjects {
  const list: CodeObject[] = [];
  const ofFrame = new Int32Array(frames.length).fill(NONE);
  const indexes = new Map<CodeTable, Map<number, number>>();
  for (let frame = 0; frame < frames.length; frame++) {
    const dso = frames.dso[frame] as DsoIndex;
    if ((dso as number) === NONE) continue;
    const code = jit.rowAt(dso, frames.address[frame]);
    if (code === null) continue;
    const { table, row } = code;
    const rows = getOrMake(indexes, table, () => new Map<number, number>());
    ofFrame[frame] = getOrMake(rows, row, () => {
      const start = table.start[row];
      const end = table.end[row];
      const dump = table.dump ?? null;
      return list.push({ dump, row, name: table.name(row), start, end }) - 1;
    });
  }
  return { list, ofFrame };
}

export type DumpPlace = Pick<SymbolSources, 'symfs' | 'archive'> & {
  /** The recording; its owner's files are believed, as the recording is. */
  readonly recording: string;
  /** The dump that the recording keeps; null if it has none. */
  readonly stored: StoredDumps;
};

/** The jitdump that process `pid` wrote at `path`, as a recording keeps it. */
export type StoredDumps = (path: string, pid: number) => SymbolSource | null;

/** A jitdump, read once more for the code in it; whoever opened it closes it. */
export class CodeDump {
  readonly architecture: InstructionSet;
  readonly #source: SymbolSource;
  readonly #dump: Jitdump;

  constructor(source: SymbolSource, dump: Jitdump, architecture: InstructionSet) {
    this.#source = source;
    this.#dump = dump;
    this.architecture = architecture;
  }

  /** Whether the dump still has this code object in its row. */
  has({ row, start, end, name }: CodeObject): boolean {
    const dump = this.#dump;
    return (
      row < dump.length &&
      dump.start[row] === start &&
      dump.end[row] === end &&
      dump.name(row) === name
    );
  }

  /** Code at an offset from the start of a row's, as it was when the JIT wrote it. */
  read(row: number, offset: number, length: number): Uint8Array {
    const code = this.#dump.code(row);
    return this.#source.read(code.offset + offset, Math.min(length, code.size - offset));
  }

  line(row: number, address: number): SourceLine | null {
    return this.#dump.line?.(row, address) ?? null;
  }

  close(): void {
    this.#source.close?.();
  }
}

/** Opens the jitdump that `pid` mapped at `path`; a sentence that says why where that can't be. */
export function openCodeDump(path: string, pid: number, place: DumpPlace): CodeDump | string {
  const diagnostics = new Diagnostics();
  const { recording, stored, ...sources } = place;
  const owners = ownersOfFile(recording);
  const source = stored(path, pid) ?? openJitdump(path, pid, { ...sources, diagnostics, owners });
  const dump =
    source &&
    readJitdump(source, { diagnostics, name: path, pid: writerOf(path, pid), startTime: null });
  const architecture = dump && architectureOf(dump.machine);
  if (source !== null && dump && architecture) {
    return new CodeDump(source, withDumpedLines(dump), architecture);
  }
  source?.close?.();
  if (dump) return `${path}: code of ELF machine ${dump.machine} is not disassembled`;
  return diagnostics.entries()[0]?.detail ?? `${path}: can't be read`;
}
