import { existsSync } from 'node:fs';
import { FailedError, UsageError } from '../../base/errors.ts';
import { words } from '../../base/words.ts';
import type { Finding } from '../../findings/finding.ts';
import type { AskedOf } from '../../options/option.ts';
import { forLibrary } from '../../options/read-flags.ts';
import {
  JAVASCRIPT,
  type OpenProfileOptions,
  READING,
  type STRICT,
  SYMBOLS,
  type SymbolSources,
} from '../../options/reading.ts';
import { parseTimeRanges, type RecordedTime } from '../../profile/time-range.ts';
import { debuginfodUrls } from '../../read/files/debuginfod.ts';
import { type OpenedProfile, openProfile } from '../../read/open-profile.ts';
import { fileFindingsOf } from '../../read/outputs/findings-of.ts';
import { mayKeep } from './kept-caches.ts';
import { readingProgress } from './progress.ts';
import { reportDiagnostics, reportFindings } from './report-findings.ts';

/** The options of a reading command that bear on how its recording is read. */
export type AskedReading = AskedOf<typeof READING & typeof JAVASCRIPT & typeof STRICT> & {
  readonly dsos?: ReadonlySet<string>;
  readonly time?: string;
  readonly quiet?: boolean;
};

const NO_TIME: RecordedTime = { startTime: 0n, firstNs: 0, lastNs: 1 };

/** Opens a recording for a command, and reports on standard error what was broken in it. */
export async function loadForCommand(
  path: string,
  asked: AskedReading,
  wanted: Omit<OpenProfileOptions, keyof typeof READING> = {},
): Promise<OpenedProfile> {
  const { quiet = false, strict = false, verbose = false, time } = asked;
  // A time that no recording can have is refused before this one is read.
  if (time !== undefined) parseTimeRanges(time, NO_TIME);
  const onProgress = readingProgress(path, quiet);
  const opened = await openProfile(path, {
    ...openOptions(asked),
    ...(onProgress !== undefined && { onProgress }),
    ...wanted,
  });
  // Names that nothing here can give are missing in no row while native functions are kinds.
  const isMissed = ({ code, command }: Finding): boolean =>
    code !== 'names-missing' || command !== null || opened.facts.frames === 'all';
  reportFindings(fileFindingsOf(opened).filter(isMissed), { strict, quiet });
  if (verbose && !quiet) reportDiagnostics(opened.diagnostics.entries());
  return opened;
}

/** The options of a command as `openProfile` takes them. */
export function openOptions(asked: AskedReading): OpenProfileOptions {
  const { debuginfod, ...options } = forLibrary(READING, asked);
  return {
    ...options,
    ...symbolSources(asked),
    frames: wantedFrames(asked),
    cache: mayKeep('names') && (mayKeep('profiles') || 'names'),
    ...(debuginfod !== undefined && { debuginfod: debuginfodUrls(debuginfod) }),
  };
}

/**
 * The frames that a command line asks for. Questions about files and V8's own frames are about all of them. Throws
 * `UsageError` for V8's own names folded.
 */
function wantedFrames({ frames, dsos, rawScripts, simplify }: AskedReading) {
  if (rawScripts && frames !== undefined && frames !== 'all') {
    const both = words`${JAVASCRIPT.rawScripts} and ${JAVASCRIPT.frames.as(frames)}`;
    throw new UsageError(words`${both} exclude each other`, [
      "folding goes by functions' own names",
    ]);
  }
  return frames ?? (rawScripts || simplify || dsos !== undefined ? 'all' : 'auto');
}

/**
 * The options of a command that say where names come from. Throws `FailedError` for a place that is not there: without
 * it other files might give the names, and nobody would notice.
 */
export function symbolSources(asked: AskedReading): SymbolSources {
  const sources = forLibrary(SYMBOLS, asked);
  for (const key of ['symfs', 'kallsyms', 'debugDir', 'archive'] as const) {
    const path = sources[key];
    if (path === undefined || existsSync(path)) continue;
    throw new FailedError(words`${SYMBOLS[key]} ${path}: there is no such file or directory`);
  }
  return sources;
}
