import { type OpenedProfile, openProfile } from '../session/open-profile.ts';
import { warnIfCut } from './cut-warning.ts';
import { say } from './failure.ts';
import { formatCount } from './render/numbers.ts';

/** Opens a recording for a command, and says on standard error what was broken in it. */
export async function loadForCommand(
  path: string,
  options: { readonly strict?: boolean; readonly verbose?: boolean; readonly symbols?: boolean },
): Promise<OpenedProfile> {
  const opened = await openProfile(path, { symbols: options.symbols !== false });
  warnIfCut(opened, options.strict === true);
  if (options.verbose) {
    for (const { reason, count, example } of opened.diagnostics.entries()) {
      say(`perf-ts: ${formatCount(count)} × ${reason}${example === '' ? '' : ` (${example})`}`);
    }
  }
  return opened;
}
