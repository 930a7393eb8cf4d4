import type { Diagnostics } from '../base/diagnostics.ts';
import type { StringTable } from '../base/string-table.ts';
import type { JitCode } from '../code/jit/jit-code.ts';
import { ProcessTable } from '../code/process/process-table.ts';
import type { PerfData } from '../formats/perf-data/reader.ts';
import type { ProfileBuilder } from '../profile/profile-builder.ts';

/** The recorded machine as of the record that was read last: which code was where. */
export type RecordedMachine = {
  readonly data: PerfData;
  readonly processes: ProcessTable;
  /** The code that JITs reported; null: it all counts as one. */
  readonly jit: JitCode | null;
  readonly diagnostics: Diagnostics;
};

/** The same with the tables of what was sampled on it. */
export type MachineWithTables = RecordedMachine & { readonly builder: ProfileBuilder };

/** Processes before the first record, with the build IDs that the header lists. */
export function newProcesses(data: PerfData, strings: StringTable): ProcessTable {
  const processes = new ProcessTable(strings);
  for (const { filename, buildId } of data.features.buildIds ?? []) {
    processes.dsos.setBuildId(filename, buildId);
  }
  return processes;
}
