import { Diagnostics } from '../../base/diagnostics.ts';
import type { JitCode } from '../../code/jit/jit-code.ts';
import type { ProcessTable } from '../../code/process/process-table.ts';
import type { SymbolProvider } from '../../code/symbols/symbol-request.ts';
import type { PerfData } from '../../formats/perf-data/reader.ts';
import type { SymbolSources } from '../../options/reading.ts';
import { storedPrograms } from '../files/stored-programs.ts';
import { SymbolFiles } from '../files/symbol-files.ts';
import { completesStacks, StackUnwinder } from './unwind-stacks.ts';

/** Unwinds the copied user stacks of the recording; null if it has none. */
export function openUnwinder(
  {
    data,
    processes,
    jit,
  }: {
    readonly data: PerfData;
    readonly processes: ProcessTable;
    readonly jit: JitCode | null;
  },
  sources: SymbolSources,
): StackUnwinder | null {
  if (!data.attrs.some(({ attr }) => completesStacks(attr))) return null;
  // Files that can't be had are told of by completeness here, and by name when frames are named.
  const diagnostics = new Diagnostics();
  let files: SymbolFiles | null = null;
  const provide: SymbolProvider = (request) => {
    files ??= new SymbolFiles({
      ...sources,
      diagnostics,
      mappingsOf: (dso) => processes.mappingsOf(dso),
      stored: storedPrograms(data),
    });
    return files.provide(request);
  };
  return new StackUnwinder(data, processes, provide, jit);
}
