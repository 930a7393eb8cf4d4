import type { Diagnostics } from '../base/diagnostics.ts';
import { isDamage } from '../perf-data/damage.ts';
import { type OpenedProfile, openProfile } from '../session/read/open-profile.ts';
import { NO_PERF_MAP, type SymbolSources } from '../session/read/symbol-files.ts';
import { KALLSYMS_RESTRICTED } from '../symbols/kallsyms.ts';
import { warnIfCut } from './cut-warning.ts';
import { say } from './failure.ts';
import { formatCount } from './render/numbers.ts';

/** Opens a recording for a command, and says on standard error what was broken in it. */
export async function loadForCommand(
  path: string,
  options: SymbolSources & {
    readonly strict?: boolean;
    readonly verbose?: boolean;
    /** Name the frames; the default. */
    readonly isNamed?: boolean;
  },
): Promise<OpenedProfile> {
  const opened = await openProfile(path, {
    symbols: options.isNamed !== false,
    ...(options.symfs !== undefined && { symfs: options.symfs }),
    ...(options.kallsyms !== undefined && { kallsyms: options.kallsyms }),
  });
  warnIfCut(opened, options.strict === true);
  sayDiagnostics(opened.diagnostics, options.verbose === true);
  return opened;
}

/** What was broken or missing: what changes the result, or with `isVerbose` all of it. */
export function sayDiagnostics(diagnostics: Diagnostics, isVerbose: boolean): void {
  for (const { reason, count, example } of diagnostics.entries()) {
    if (isVerbose) {
      say(`perf-ts: ${formatCount(count)} × ${reason}${example === '' ? '' : ` (${example})`}`);
    } else if (reason === KALLSYMS_RESTRICTED) {
      // All of the kernel is one unnamed row then.
      say(`perf-ts: ${reason}; sudo perf-ts … names them`);
    } else if (isDamage(reason)) {
      say(`perf-ts: ${reason} (${example})`);
    } else if (reason === NO_PERF_MAP) {
      say(`perf-ts: ${reason}`);
    }
  }
}
