/**
 * Reasons in `PerfData.diagnostics` that mean: something that was recorded can't be read. Commands
 * show them unasked. That a file was cut among its records is `PerfData.truncatedAt` instead.
 */
export const DAMAGE = {
  RECORD_HEADER: 'a record header is damaged; nothing behind it can be read',
  COMPRESSED: 'the compressed data is damaged; nothing behind that can be read',
  COMPRESSED_END: 'the compressed data ends inside a record',
  SECTION_TABLE: 'the file ends inside the table of header sections',
  SECTION: 'a header section reaches past the end of the file',
} as const;

const REASONS: ReadonlySet<string> = new Set(Object.values(DAMAGE));

/** Whether a reason of `Diagnostics` says that the file is cut or damaged. */
export function isDamage(reason: string): boolean {
  return REASONS.has(reason);
}
