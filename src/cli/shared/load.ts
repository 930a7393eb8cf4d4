import { existsSync } from 'node:fs';
import { FailedError, UsageError } from '../../base/errors.ts';
import { formatCount } from '../../base/numbers.ts';
import { words } from '../../base/words.ts';
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
import {
  type DescribedDiagnostic,
  isAboutJitNames,
  isDamage,
} from '../../read/facts/diagnostic-text.ts';
import { debuginfodUrls } from '../../read/files/debuginfod.ts';
import { type OpenedProfile, openProfile } from '../../read/open-profile.ts';
import { damageText, warnIfCut } from './cut-warning.ts';
import { notify } from './failure.ts';
import { mayKeep } from './kept-caches.ts';
import { readingProgress } from './progress.ts';

/** So many files without names are reported by themselves. */
const MOST_MISSING_REPORTED = 3;

/** The options of a reading command that bear on how its recording is read. */
export type AskedReading = AskedOf<typeof READING & typeof JAVASCRIPT & typeof STRICT> & {
  readonly dsos?: ReadonlySet<string>;
  readonly quiet?: boolean;
};

/** Opens a recording for a command, and reports on standard error what was broken in it. */
export async function loadForCommand(
  path: string,
  asked: AskedReading,
  wanted: Omit<OpenProfileOptions, keyof typeof READING> = {},
): Promise<OpenedProfile> {
  const { quiet = false, strict = false, verbose = false } = asked;
  const onProgress = readingProgress(path, quiet);
  const opened = await openProfile(path, {
    ...openOptions(asked),
    ...(onProgress !== undefined && { onProgress }),
    ...wanted,
  });
  const diagnostics = opened.diagnostics.entries();
  if (!quiet || strict) warnIfCut(opened, strict, diagnostics);
  if (!quiet) reportDiagnostics(diagnostics, verbose);
  return opened;
}

/** The options of a command as `openProfile` takes them. */
export function openOptions(asked: AskedReading): OpenProfileOptions {
  const { debuginfod, ...options } = forLibrary(READING, asked);
  return {
    ...options,
    ...symbolSources(asked),
    frames: wantedFrames(asked),
    cache: mayKeep('names'),
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

/** What was broken or missing: what changes the result, or with `isVerbose` all of it. */
export function reportDiagnostics(
  diagnostics: readonly DescribedDiagnostic[],
  isVerbose: boolean,
): void {
  let missing = 0;
  const isDamaged = diagnostics.some(({ code }) => isDamage(code));
  for (const diagnostic of diagnostics) {
    const { code, reason, count, example } = diagnostic;
    if (isVerbose) {
      notify(`perf-ts: ${formatCount(count)} × ${reason}${example === '' ? '' : ` (${example})`}`);
    } else if (code === 'kallsyms-restricted') {
      // All of the kernel is one unnamed row then.
      notify(`perf-ts: ${reason}; root sees them (perf-ts doctor)`);
    } else if (code === 'kernel-unnamed') {
      notify(`perf-ts: ${reason}: ${example}`);
    } else if (code === 'names-missing' || code === 'lines-missing') {
      if (++missing <= MOST_MISSING_REPORTED) notify(`perf-ts: ${reason}`);
    } else if (code === 'sample-of-no-event') {
      // No figure has the weight of these samples.
      notify(`perf-ts: ${formatCount(count)} ${reason}`);
    } else if (code === 'names-doubtful') {
      notify(
        `perf-ts: ${reason} (${count > 1 ? `${formatCount(count)}, one of them ` : ''}${example})`,
      );
    } else if (code === 'javascript-from-before') {
      // Every program has a little of it, from its start.
      if (Number.parseFloat(example) >= 1)
        notify(`perf-ts: ${formatCount(count)} × ${reason} (${example})`);
    } else if (isAboutJitNames(code)) {
      notify(`perf-ts: ${formatCount(count)} × ${reason} (${example})`);
    } else if (isDamage(code)) {
      notify(`perf-ts: ${damageText(diagnostic)}`);
    } else if (code === 'perf-map-missing' && !isDamaged) {
      // A damaged file may have had the names: other options of record would not help.
      const unnamed = diagnostics.find((other) => other.code === 'jit-code-unnamed');
      const share = unnamed ? `: ${formatCount(unnamed.count)} samples (${unnamed.example})` : '';
      notify(`perf-ts: ${reason}${share}`);
    }
  }
  const unreported = missing - MOST_MISSING_REPORTED;
  if (unreported > 0) notify(`perf-ts: no names for ${unreported} more files (-v lists them)`);
}
