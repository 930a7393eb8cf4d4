import { lateModules } from '../../base/late-modules.ts';
import { checkArguments } from '../../options/arguments.ts';
import { checkOptions } from '../../options/check.ts';
import type { ExportOptions } from '../../options/export.ts';
import { EXPORT_PROFILE } from '../../options/export.ts';
import type { AnalysedProfile } from './analysed-profile.ts';
import { exportProvenance } from './export-profile.ts';

/**
 * The profile as a pprof file (`profile.pb.gz`), gzipped. The encoder is loaded when it is asked
 * for, so that nothing else waits for it.
 *
 * @example
 * ```ts
 * import { writeFileSync } from 'node:fs';
 * import { exportPprof, openProfile } from 'perf-ts';
 *
 * writeFileSync('profile.pb.gz', await exportPprof(await openProfile('perf.data')));
 * ```
 */
export async function exportPprof(
  opened: AnalysedProfile,
  options: Omit<ExportOptions, 'title'> = {},
): Promise<Uint8Array> {
  checkArguments({ opened });
  checkOptions(EXPORT_PROFILE, options, 'an export');
  const { writePprof } = await import('../../formats/export/pprof.ts');
  const { profile, facts } = opened;
  const event = options.event === undefined ? undefined : opened.eventIndex(options.event);
  const pieces: Uint8Array[] = [];
  writePprof(
    profile,
    opened.weights(options.weight, event, options.select),
    {
      select: { ...options.select, ...(event !== undefined && { event }) },
      mappings: facts.mappings,
      ...(facts.startWallNs !== null && { startWallNs: facts.startWallNs }),
      provenance: exportProvenance(opened, options),
    },
    (bytes) => pieces.push(bytes),
  );
  return lateModules.zlib.gzipSync(Buffer.concat(pieces));
}
