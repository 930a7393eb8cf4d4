import { basename } from 'node:path';
import { formatBytes, formatCount } from '../../base/numbers.ts';
import { printable } from '../../base/printable.ts';
import { describeDiagnostics } from '../../findings/diagnostic-text.ts';
import { judgeFile } from '../../findings/judge-file.ts';
import { ARCHIVE } from '../../options/archive.ts';
import type { AskedOf } from '../../options/option.ts';
import { forLibrary } from '../../options/read-flags.ts';
import { archiveRecording } from '../../tools/archive/archive-recording.ts';
import { notify } from '../shared/failure.ts';
import { symbolSources } from '../shared/load.ts';
import { stepProgress } from '../shared/progress.ts';
import { reportDiagnostics, reportFindings } from '../shared/report-findings.ts';
import { printJson } from '../shared/stdout.ts';

export type ArchiveFlags = AskedOf<typeof ARCHIVE> & { readonly quiet?: boolean };

/** The document of `--json`. */
export type ArchiveDocument = {
  readonly schema: 'perf-ts/archive@1';
  /** The archive that was written. */
  readonly path: string;
  readonly files: number;
  /** Bytes of all files; holes count as nothing. */
  readonly bytes: number;
};

/** `perf-ts archive`, and the end of `perf-ts record --archive`. */
export function runArchive(path: string, flags: ArchiveFlags): void {
  const name = printable(basename(path));
  const options = { quiet: flags.quiet === true, atInterrupt: 'leaves an incomplete archive' };
  const stages = {
    records: stepProgress(`reading ${name}`, path, options),
    files: stepProgress(`storing the programs of ${name}`, path, options),
  };
  const archived = archiveRecording(path, {
    ...forLibrary(ARCHIVE, flags),
    ...symbolSources(flags),
    onArchiving: (stage, share) => stages[stage]?.(share),
  });
  const diagnostics = describeDiagnostics(archived.diagnostics);
  if (flags.verbose) reportDiagnostics(diagnostics);
  else reportFindings(judgeFile({ truncatedAt: null, diagnostics }), {});
  const { files, bytes } = archived;
  if (flags.json === true) {
    const document = { schema: 'perf-ts/archive@1', path: archived.path, files, bytes } as const;
    printJson(document satisfies ArchiveDocument);
    return;
  }
  if (flags.quiet === true) return;
  notify(`perf-ts: ${formatCount(files)} files, ${formatBytes(bytes)} in ${archived.path}`);
}
