import { type ByteSource, memorySource } from '../base/byte-source.ts';
import { Diagnostics } from '../base/diagnostics.ts';
import { PerfDataError, tooLarge } from '../base/errors.ts';
import { lateModules } from '../base/late-modules.ts';
import { type DemangleBatch, demangleAll } from '../code/symbols/demangle.ts';
import { importDevTools } from '../formats/import/cpuprofile.ts';
import { DETECT_BYTES, detectText } from '../formats/import/detect-text.ts';
import { importFirefox } from '../formats/import/firefox.ts';
import { importFolded } from '../formats/import/folded.ts';
import {
  type ImportedProfile,
  ImportedProfileBuilder,
  type ShowName,
} from '../formats/import/imported-profile.ts';
import { readJavaName } from '../formats/import/java-name.ts';
import { importPerfScript } from '../formats/import/perf-script.ts';
import { importPprof } from '../formats/import/pprof.ts';
import { importSpeedscope } from '../formats/import/speedscope.ts';
import { describeForeignFile } from '../formats/perf-data/foreign-file.ts';
import { demangler } from './code/demangler.ts';
import { limitsOfText, mostUnpackedOfText } from './files/reading-limits.ts';
import { type ReadOptions, watchReads } from './files/watched-source.ts';

/**
 * The file of another tool as a profile, gzipped or not; null if `file` is none that is known. Names are
 * shown as those of recordings are: demangled and, for Java, without the signs of its types. `onShare`
 * gets the share of the text, 0 … 1, that was read.
 */
export function openImport(
  file: ByteSource,
  { maxUnpacked, onShare }: ReadOptions = {},
): ImportedProfile | null {
  const most = maxUnpacked ?? null;
  const source = unpacked(file, mostUnpackedOfText(most));
  const format = detectText(source.read(0, DETECT_BYTES));
  if (format === null) {
    if (source !== file) throw unknownContent(source);
    return null;
  }
  const problems = new Diagnostics();
  const builder = new ImportedProfileBuilder(nameReader(problems), limitsOfText(most));
  const imported = IMPORTERS[format](watchReads(source, onShare), builder);
  for (const problem of problems.entries()) {
    imported.diagnostics.count(problem, problem.detail, problem.count);
  }
  return imported;
}

/** Whether `openImport` has a profile for a file that begins so. */
export function isImport(file: ByteSource): boolean {
  return isGzip(file) || detectText(file.read(0, DETECT_BYTES)) !== null;
}

function isGzip(file: ByteSource): boolean {
  const [first, second] = file.read(0, 2);
  return first === 0x1f && second === 0x8b;
}

/** The file itself, or what it unpacks to. */
function unpacked(file: ByteSource, most: number): ByteSource {
  if (!isGzip(file)) return file;
  try {
    const packed = file.read(0, file.size);
    return memorySource(lateModules.zlib.gunzipSync(packed, { maxOutputLength: most }));
  } catch (error) {
    if (error instanceof RangeError) {
      throw tooLarge(`it unpacks to more than ${Math.floor(most / 2 ** 20)} MiB`, 'is');
    }
    throw new PerfDataError('gzip-damaged', 'it is gzip-compressed and damaged or cut');
  }
}

function unknownContent(content: ByteSource): PerfDataError {
  const head = content.read(0, DETECT_BYTES);
  const isRecording = new TextDecoder('latin1').decode(head.subarray(0, 8)) === 'PERFILE2';
  const what = isRecording ? 'it is a perf.data file: gunzip it first' : describeForeignFile(head);
  return new PerfDataError('not-perf-data', `it is gzip-compressed; unpacked, ${what}`);
}

const IMPORTERS = {
  'perf-script': importPerfScript,
  folded: importFolded,
  devtools: importDevTools,
  firefox: importFirefox,
  speedscope: importSpeedscope,
  pprof: importPprof,
} as const;

/** The addon is loaded for the first C++ name: most texts have none. */
function nameReader(problems: Diagnostics): ShowName {
  let cpp: DemangleBatch | null | undefined;
  return (name) => {
    const isCpp = name.startsWith('_Z') || name.startsWith('__Z');
    if (isCpp && cpp === undefined) cpp = demangler(problems);
    return readJavaName(demangleAll([name], cpp ?? null)[0]);
  };
}
