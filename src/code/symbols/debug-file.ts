import type { ByteSource } from '../../base/byte-source.ts';
import { memorySource } from '../../base/byte-source.ts';
import type { Diagnostics } from '../../base/diagnostics.ts';
import { readBuildId } from '../elf/build-id.ts';
import { SHT_NOBITS } from '../elf/constants.ts';
import { readDebugAltlink } from '../elf/debugaltlink.ts';
import { type Debuglink, readDebuglink } from '../elf/debuglink.ts';
import { type ElfFile, findSection, findSymtab, parseElf } from '../elf/elf-file.ts';
import { type Decompress, sectionBytes } from '../elf/section-bytes.ts';
import type { DsoKey } from '../process/types.ts';
import type { SymbolProvider, SymbolSource } from './symbol-request.ts';

/** Places to look in: those by build ID, and a debuglink's. */
const MAX_ATTEMPTS = 16;
const CRC_WINDOW = 1 << 20;
/** Bytes that `.gnu_debugdata` may hold: Debian's largest libraries have 200 KiB of it, Fedora's 5 MiB. */
const MAX_MINI_DEBUG_BYTES = 64 * 2 ** 20;

/** A file found for a DSO; whoever gets it closes the source. */
export type DebugFile = { readonly elf: ElfFile; readonly source: SymbolSource };

/** The use of a debug file: names of functions, or DWARF's lines and inlined calls. */
export type DebugContents = 'symbols' | 'dwarf';

/**
 * The separate debug file of `elf` with the contents that it lacks, null if none fits. Debuglinks
 * are only names, so a candidate must prove itself: by the same build ID, or, without one, by the
 * link's CRC.
 */
export function findDebugFile(
  elf: ElfFile,
  dso: DsoKey,
  provider: SymbolProvider,
  diagnostics: Diagnostics,
  contents: DebugContents = 'symbols',
): DebugFile | null {
  const buildId = readBuildId(elf, diagnostics);
  const debuglink = readDebuglink(elf);
  if (buildId === null && debuglink === null) return null;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const source = provider({ need: 'debug-elf', dso, buildId, debuglink, attempt });
    if (source === null) return null;
    const debug = parseElf(source, diagnostics);
    if (debug !== null && has(debug, contents)) {
      if (belongsTo(debug, buildId, debuglink, diagnostics)) return { elf: debug, source };
      diagnostics.count('debug-file-of-other-build');
    }
    source.close?.();
  }
  return null;
}

/** Whether `elf` has these contents itself. */
export function has(elf: ElfFile, contents: DebugContents): boolean {
  if (contents === 'symbols') return findSymtab(elf) !== null;
  return ['.debug_info', '.zdebug_info'].some((name) => {
    const section = findSection(elf, name);
    return section !== null && section.type !== SHT_NOBITS;
  });
}

/**
 * The file that dwz moved the common parts of `debug` into; null if it has no such link, or nothing
 * of that build ID is to be had.
 */
export function findAltFile(
  debug: ElfFile,
  dso: DsoKey,
  provider: SymbolProvider,
  diagnostics: Diagnostics,
): DebugFile | null {
  const link = readDebugAltlink(debug, diagnostics);
  if (link === null) return null;
  const linkedFrom = readBuildId(debug, diagnostics);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const source = provider({ need: 'debug-alt', dso, ...link, linkedFrom, attempt });
    if (source === null) break;
    const alt = parseElf(source, diagnostics);
    if (alt !== null && readBuildId(alt, diagnostics) === link.buildId) return { elf: alt, source };
    source.close?.();
  }
  diagnostics.count('debugaltlink-file-missing', `${link.path}, build ID ${link.buildId}`);
  return null;
}

/**
 * The symbol table that distributions leave in stripped files: `.gnu_debugdata`, an ELF file
 * compressed by xz, with the functions that `.dynsym` lacks.
 */
export function readMiniDebugInfo(
  elf: ElfFile,
  xz: Decompress | null,
  diagnostics: Diagnostics,
): ElfFile | null {
  const packed = sectionBytes(elf, '.gnu_debugdata', diagnostics);
  if (packed === null) return null;
  if (xz === null) {
    diagnostics.count('gnu-debugdata-without-decoder');
    return null;
  }
  try {
    return parseElf(memorySource(xz(packed, MAX_MINI_DEBUG_BYTES)), diagnostics);
  } catch (error) {
    diagnostics.count('gnu-debugdata-damaged', (error as Error).message);
    return null;
  }
}

function belongsTo(
  debug: ElfFile,
  buildId: string | null,
  debuglink: Debuglink | null,
  diagnostics: Diagnostics,
): boolean {
  const found = readBuildId(debug, diagnostics);
  if (buildId !== null && found !== null) return found === buildId;
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
      crc = (crc >>> 8) ^ CRC_TABLE[(crc ^ bytes[i]) & 255];
    }
  }
  return (crc ^ 0xffff_ffff) >>> 0;
}
