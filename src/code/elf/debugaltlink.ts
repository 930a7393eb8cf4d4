import type { Diagnostics } from '../../base/diagnostics.ts';
import { toHex } from '../../base/hex.ts';
import type { ElfFile } from './elf-file.ts';
import { sectionBytes } from './section-bytes.ts';

/** The file in which dwz put what this debug file has in common with others. */
export type DebugAltlink = {
  /** Relative to this file, or absolute. */
  readonly path: string;
  /** Lower-case hex. */
  readonly buildId: string;
};

const MAX_PATH_BYTES = 4096;
/** SHA-1 has 20 bytes, the longest id in use 32. */
const MAX_BUILD_ID_BYTES = 64;

/** `.gnu_debugaltlink`: a zero-terminated path, and the build ID up to the section's end. */
export function readDebugAltlink(elf: ElfFile, diagnostics: Diagnostics): DebugAltlink | null {
  const bytes = sectionBytes(elf, '.gnu_debugaltlink', diagnostics);
  if (bytes === null) return null;
  const zero = bytes.indexOf(0);
  const idBytes = bytes.length - zero - 1;
  if (zero <= 0 || zero > MAX_PATH_BYTES || idBytes < 1 || idBytes > MAX_BUILD_ID_BYTES) {
    diagnostics.count('elf-debugaltlink-damaged');
    return null;
  }
  const path = new TextDecoder().decode(bytes.subarray(0, zero));
  return { path, buildId: toHex(bytes.subarray(zero + 1)) };
}
