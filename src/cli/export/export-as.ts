import { UsageError } from '../../base/errors.ts';
import { type EXPORT, formatOfFile, KNOWN_ENDINGS } from '../../options/export.ts';
import type { AskedOf } from '../../options/option.ts';

/** Writes a recording in the format that is asked for, or that the name of the output stands for. Throws `UsageError`. */
export async function exportAs(path: string, options: AskedOf<typeof EXPORT>): Promise<void> {
  const format = options.format ?? formatOfFile(options.output);
  if (format === null) {
    throw new UsageError(
      `-o ${options.output}: its ending is that of no format, and --format names none`,
      [`endings that do: ${KNOWN_ENDINGS}`],
    );
  }
  if (format === 'parquet') {
    const { exportParquet } = await import('./export-parquet.ts');
    await exportParquet(path, options);
    return;
  }
  const { runExport } = await import('./export.ts');
  await runExport(path, { ...options, format });
}
