import { FailedError } from '../../base/errors.ts';
import type { Profile } from '../../profile/types.ts';
import { SourceFiles } from '../../read/code/source-files.ts';
import type { LineText } from './annotate-lines.ts';

/**
 * Reads lines of the source files that a profile names. A file that is missing, or that not everybody may
 * read, has none.
 */
export function openSourceText(profile: Profile, path: string): LineText {
  const files = new SourceFiles(profile, path);
  const rows = new Map<string, number>();
  for (const row of [...profile.funcs.file, ...profile.frames.file]) {
    if (row > 0) rows.set(profile.strings[row], row);
  }
  const texts = new Map<string, readonly string[]>();
  const linesOf = (file: string): readonly string[] => {
    const row = rows.get(file);
    if (row === undefined) return [];
    try {
      return files.read(row).split('\n');
    } catch (error) {
      if (error instanceof FailedError) return [];
      throw error;
    }
  };
  return (file, line) => {
    let lines = texts.get(file);
    if (lines === undefined) {
      lines = linesOf(file);
      texts.set(file, lines);
    }
    return lines[line - 1] ?? null;
  };
}
