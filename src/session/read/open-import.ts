import type { ByteSource } from '../../base/byte-source.ts';
import { DETECT_BYTES, detectText } from '../../import/detect-text.ts';
import { importFolded } from '../../import/folded.ts';
import type { ImportedProfile } from '../../import/imported-profile.ts';
import { importPerfScript } from '../../import/perf-script.ts';

/** The text of `perf script`, or folded stacks, as a profile; null if `source` is neither. */
export function openImport(source: ByteSource): ImportedProfile | null {
  switch (detectText(source.read(0, DETECT_BYTES))) {
    case 'perf-script':
      return importPerfScript(source);
    case 'folded':
      return importFolded(source);
    case null:
      return null;
  }
}
