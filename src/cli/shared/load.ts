import { existsSync } from 'node:fs';
import { FailedError, UsageError } from '../../base/errors.ts';
import type { FrameLevel } from '../../profile/frame-level.ts';
import type { WeightKind } from '../../profile/types.ts';
import { debuginfodUrls } from '../../read/files/debuginfod.ts';
import type { SymbolSources } from '../../read/files/symbol-files.ts';
import type { OnReadingProgress, OpenProfileOptions } from '../../read/open-options.ts';
import { type OpenedProfile, openProfile } from '../../read/open-profile.ts';
import { fileFindingsOf } from '../../read/outputs/findings-of.ts';
import { mayKeep } from './kept-caches.ts';
import { readingProgress } from './progress.ts';
import { reportDiagnostics, reportFindings } from './report-findings.ts';

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
  reportFindings(fileFindingsOf(opened), options);
  if (options.verbose && !options.quiet) reportDiagnostics(opened.diagnostics.entries());
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
