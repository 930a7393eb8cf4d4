import { existsSync } from 'node:fs';
import { FailedError, UsageError } from '../../base/errors.ts';
import { formatCount } from '../../base/numbers.ts';
import {
  type DescribedDiagnostic,
  isAboutJitNames,
  isDamage,
} from '../../findings/diagnostic-text.ts';
import type { FrameLevel } from '../../profile/frame-level.ts';
import type { WeightKind } from '../../profile/types.ts';
import { debuginfodUrls } from '../../read/files/debuginfod.ts';
import type { SymbolSources } from '../../read/files/symbol-files.ts';
import type { OnReadingProgress, OpenProfileOptions } from '../../read/open-options.ts';
import { type OpenedProfile, openProfile } from '../../read/open-profile.ts';
import { damageText, warnIfCut } from './cut-warning.ts';
import { notify } from './failure.ts';
import { mayKeep } from './kept-caches.ts';
import { readingProgress } from './progress.ts';

/** Of files without names that many are said by themselves. */
const MOST_MISSING_REPORTED = 3;

/** How JavaScript is shown, as commander hands it over. */
export type JavaScriptFlags = {
  readonly sourceMaps?: boolean;
  readonly jsSimple?: boolean;
  readonly jsRaw?: boolean;
  readonly frames?: FrameLevel;
  /** `-d` and perf's other name of it. */
  readonly dso?: string;
  readonly dsos?: string;
};

/** How a recording is named and weighed. */
export type ReadingFlags = SymbolSources & JavaScriptFlags & { readonly weight?: WeightKind };

/** Opens a recording for a command, and says on standard error what was broken in it. */
export async function loadForCommand(
  path: string,
  options: SymbolSources &
    JavaScriptFlags & {
      readonly strict?: boolean;
      readonly verbose?: boolean;
      /** Nothing on standard error but errors. */
      readonly quiet?: boolean;
      /** Servers, or true for those of DEBUGINFOD_URLS. */
      readonly debuginfod?: string | true;
      /** Name the frames; the default. */
      readonly isNamed?: boolean;
      /** Source lines of frames; by default where inlined calls are looked for. */
      readonly lines?: boolean;
      /** The event that is asked for: on one kind of core, if that is its name. */
      readonly event?: string;
      /** Events that count time as one. */
      readonly join?: boolean;
      /** Gets how far the reading has come, in place of the terminal. */
      readonly onProgress?: OnReadingProgress;
    },
): Promise<OpenedProfile> {
  const onProgress = options.onProgress ?? readingProgress(path, options.quiet);
  const opened = await openProfile(path, {
    symbols: options.isNamed !== false,
    unwind: options.isNamed !== false,
    ...openOptions(options),
    ...(options.event !== undefined && { event: options.event }),
    ...(options.join && { join: true }),
    ...(options.lines !== undefined && { lines: options.lines }),
    ...(options.debuginfod !== undefined && { debuginfod: debuginfodUrls(options.debuginfod) }),
    ...(onProgress !== undefined && { onProgress }),
  });
  if (options.quiet !== true || options.strict === true)
    warnIfCut(opened, options.strict === true, opened.diagnostics.entries());
  if (options.quiet !== true)
    reportDiagnostics(opened.diagnostics.entries(), options.verbose === true);
  return opened;
}

/** Options of names and of JavaScript, as `openProfile` takes them. */
export function openOptions(options: SymbolSources & JavaScriptFlags): OpenProfileOptions {
  return {
    ...symbolSources(options),
    frames: wantedFrames(options),
    cache: mayKeep('names'),
    ...(options.sourceMaps !== undefined && { sourceMaps: options.sourceMaps }),
    ...(options.jsSimple && { simplify: 'all' }),
    ...(options.jsRaw && { rawScripts: true }),
  };
}

/**
 * The frames that a command line asks for. Questions about files and V8's own frames are about all of them. Throws
 * `UsageError` for V8's own names folded.
 */
function wantedFrames({ frames, dso, dsos, jsRaw, jsSimple }: JavaScriptFlags) {
  if (jsRaw && frames !== undefined && frames !== 'all') {
    throw new UsageError(`--js-raw and --frames ${frames} exclude each other`, [
      "folding goes by functions' own names",
    ]);
  }
  return frames ?? (jsRaw || jsSimple || (dso ?? dsos) !== undefined ? 'all' : 'auto');
}

/**
 * Those of a command's options that say where names come from. Throws `FailedError` for a place that
 * is not there: without it other files might give the names, and nobody would notice.
 */
export function symbolSources(
  options: SymbolSources & { readonly vmlinux?: string },
): SymbolSources {
  const { symfs, vmlinux, kallsyms = vmlinux, debugDir, archive, inline } = options;
  checkIsThere('--symfs', symfs);
  checkIsThere(vmlinux === kallsyms ? '-k' : '--kallsyms', kallsyms);
  checkIsThere('--debug-dir', debugDir);
  checkIsThere('--archive', archive);
  return {
    ...(symfs !== undefined && { symfs }),
    ...(kallsyms !== undefined && { kallsyms }),
    ...(debugDir !== undefined && { debugDir }),
    ...(archive !== undefined && { archive }),
    ...(inline !== undefined && { inline }),
  };
}

function checkIsThere(option: string, path: string | undefined): void {
  if (path === undefined || existsSync(path)) return;
  throw new FailedError(`${option} ${path}: there is no such file or directory`);
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
