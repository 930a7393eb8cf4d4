import { formatBytes, formatCount } from '../../base/numbers.ts';
import { describeDiagnostics } from '../../read/facts/diagnostic-text.ts';
import type { SymbolSources } from '../../read/files/symbol-files.ts';
import { archiveRecording } from '../../tools/archive/archive-recording.ts';
import { say } from '../command/failure.ts';
import { sayDiagnostics, symbolSources } from '../command/load.ts';

export type ArchiveFlags = Omit<SymbolSources, 'archive'> & {
  readonly output?: string;
  readonly full?: boolean;
  readonly dwarf?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
};

/** `perf-ts archive`, and the end of `perf-ts record --archive`. */
export function runArchive(path: string, flags: ArchiveFlags): void {
  const { output, full, dwarf } = flags;
  const archived = archiveRecording(path, {
    ...symbolSources(flags),
    ...(output !== undefined && { output }),
    ...(full !== undefined && { full }),
    ...(dwarf !== undefined && { dwarf }),
  });
  sayDiagnostics(describeDiagnostics(archived.diagnostics), flags.verbose === true);
  if (flags.quiet === true) return;
  const { files, bytes } = archived;
  say(`perf-ts: ${formatCount(files)} files, ${formatBytes(bytes)} in ${archived.path}`);
}
