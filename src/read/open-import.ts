import type { ByteSource } from '../base/byte-source.ts';
import { Diagnostics } from '../base/diagnostics.ts';
import { type DemangleBatch, demangleAll } from '../code/symbols/demangle.ts';
import { importDevTools } from '../formats/import/cpuprofile.ts';
import { DETECT_BYTES, detectText } from '../formats/import/detect-text.ts';
import { importFolded } from '../formats/import/folded.ts';
import type {
  ImportedProfile,
  ImportLimits,
  ShowName,
} from '../formats/import/imported-profile.ts';
import { readJavaName } from '../formats/import/java-name.ts';
import { importPerfScript } from '../formats/import/perf-script.ts';
import { importSpeedscope } from '../formats/import/speedscope.ts';
import { demangler } from './code/demangler.ts';
import {
  checkEventCount,
  checkJsonOfText,
  checkLineOfText,
  checkThreadsOfText,
  mostFramesOfText,
  mostStacksOfText,
  tooManyFrames,
  tooManyStacks,
} from './files/most-unpacked.ts';
import { watchReads } from './files/watched-source.ts';

/**
 * The text of another tool as a profile; null if `source` is none that is known. Names are
 * shown as those of recordings are: demangled and, for Java, without the signs of its types. `onShare`
 * gets the share of the text, 0 … 1, that was read.
 */
export function openImport(
  source: ByteSource,
  onShare?: (share: number) => void,
): ImportedProfile | null {
  const format = detectText(source.read(0, DETECT_BYTES));
  if (format === null) return null;
  const problems = new Diagnostics();
  const mostStacks = mostStacksOfText();
  const mostFrames = mostFramesOfText();
  const limits: ImportLimits = {
    checkEvents: checkEventCount,
    checkThreads: checkThreadsOfText,
    checkLine: checkLineOfText,
    checkJson: checkJsonOfText,
    checkStacks: (stacks, frames) => {
      if (frames > mostFrames) throw tooManyFrames(mostFrames);
      if (stacks > mostStacks) throw tooManyStacks(mostStacks);
    },
  };
  const showName = nameReader(problems);
  const imported = IMPORTERS[format](watchReads(source, onShare), showName, limits);
  for (const problem of problems.entries()) {
    imported.diagnostics.count(problem, problem.detail, problem.count);
  }
  return imported;
}

const IMPORTERS = {
  'perf-script': importPerfScript,
  folded: importFolded,
  devtools: importDevTools,
  speedscope: importSpeedscope,
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
