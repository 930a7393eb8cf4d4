import type { ByteSource } from '../base/byte-source.ts';
import type { Diagnostics } from '../base/diagnostics.ts';
import { readBuildId } from '../elf/build-id.ts';
import { type Debuglink, readDebuglink } from '../elf/debuglink.ts';
import { type ElfFile, findSymtab, parseElf } from '../elf/elf-file.ts';
import type { DsoKey } from '../process/types.ts';
import type { SymbolProvider, SymbolSource } from './symbol-request.ts';

/** Places to look in: by build ID, and a debuglink's three. */
const MAX_ATTEMPTS = 8;
const CRC_WINDOW = 1 << 20;

/** A debug file found for `elf`; whoever gets it closes the source. */
export type DebugFile = { readonly elf: ElfFile; readonly source: SymbolSource };

/**
 * The separate debug file of a stripped file, null if none fits. Debuglinks are only names, so a
 * candidate must prove itself: by the same build ID, or, without one, by the link's CRC.
 */
export function findDebugFile(
  elf: ElfFile,
  dso: DsoKey,
  provider: SymbolProvider,
  diagnostics: Diagnostics,
): DebugFile | null {
  const buildId = readBuildId(elf, diagnostics);
  const debuglink = readDebuglink(elf);
  if (buildId === null && debuglink === null) return null;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const source = provider({ need: 'debug-elf', dso, buildId, debuglink, attempt });
    if (source === null) return null;
    const debug = parseElf(source, diagnostics);
    if (debug !== null && findSymtab(debug) !== null) {
      if (belongsTo(debug, buildId, debuglink, diagnostics)) return { elf: debug, source };
      diagnostics.count('debug file of another build, not used');
    }
    source.close?.();
  }
  return null;
}

function belongsTo(
  debug: ElfFile,
  buildId: string | null,
  debuglink: Debuglink | null,
  diagnostics: Diagnostics,
): boolean {
  if (buildId !== null) return readBuildId(debug, diagnostics) === buildId;
  return debuglink !== null && crc32(debug.source) === debuglink.crc;
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/** CRC-32 of a whole source, the one of zlib and of debuglinks. */
export function crc32(source: ByteSource): number {
  let crc = 0xffff_ffff;
  for (let at = 0; at < source.size; at += CRC_WINDOW) {
    const bytes = source.read(at, Math.min(CRC_WINDOW, source.size - at));
    if (bytes.length === 0) break;
    for (let i = 0; i < bytes.length; i++) {
      crc = (crc >>> 8) ^ (CRC_TABLE[(crc ^ (bytes[i] as number)) & 255] as number);
    }
  }
  return (crc ^ 0xffff_ffff) >>> 0;
}
