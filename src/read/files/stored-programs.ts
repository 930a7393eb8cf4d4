import { Diagnostics } from '../../base/diagnostics.ts';
import { getOrMake } from '../../base/group-by.ts';
import type { DsoKey } from '../../code/process/types.ts';
import type { SymbolSource } from '../../code/symbols/symbol-request.ts';
import {
  openParts,
  type ProgramPart,
  programAttachment,
} from '../../formats/perf-data/program-attachment.ts';
import type { PerfData } from '../../formats/perf-data/reader.ts';
import { StoredFiles } from './stored-files.ts';

/** More than this a recording keeps of no program. */
const MOST_BYTES = 64 << 20;

/** The symbols of a mapped file as its recording keeps them; null if it does not. */
export type StoredPrograms = (part: ProgramPart, dso: DsoKey) => SymbolSource | null;

export function storedPrograms(data: PerfData, diagnostics = new Diagnostics()): StoredPrograms {
  const files = new StoredFiles(data, diagnostics);
  const opened = new Map<string, SymbolSource | null>();
  return (part, dso) => {
    if (dso.kind !== 'user-file') return null;
    const name = programAttachment(part, dso.fileId, dso.path);
    return getOrMake(opened, name, () => {
      const bytes = files.read(name, MOST_BYTES);
      return bytes === null ? null : openParts(bytes);
    });
  };
}
