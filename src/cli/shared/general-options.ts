import { GENERAL } from '../../options/general.ts';
import { pick } from '../../options/option.ts';
import { readFlags } from '../../options/read-flags.ts';
import { packageFile, packageVersion } from '../../system/version.ts';
import { declareOptions } from './declare-options.ts';
import { notify } from './failure.ts';
import type { GuidedCommand } from './guided-command.ts';
import { thisRun } from './run.ts';

/** `-h`: help of the options used most; `--help` has all. */
export function declareShortHelp(command: GuidedCommand): void {
  declareOptions(command, pick(GENERAL, 'commonHelp'));
  command.on('option:h', () => command.printShortHelp());
}

/**
 * The options that every command has. A command may have `-q` and `-v` in its own table, where it has more to say of
 * them.
 */
export function declareGeneralOptions(command: GuidedCommand): void {
  const hasOwn = (name: string) => command.options.some((option) => option.long === name);
  declareShortHelp(command);
  declareOptions(command, pick(GENERAL, 'color'));
  const reportsQuietly = hasOwn('--quiet');
  const reportsVersion = !hasOwn('--verbose');
  if (!reportsQuietly) declareOptions(command, pick(GENERAL, 'quiet'));
  if (reportsVersion) declareOptions(command, pick(GENERAL, 'verbose'));
  command.hook('preAction', (called) => {
    const { color, quiet, verbose } = readFlags(GENERAL, called.opts());
    const run = thisRun();
    run.colour = color ?? 'auto';
    run.isSilent = quiet === true && !reportsQuietly;
    if (!verbose || !reportsVersion) return;
    const { version, platform, arch } = process;
    notify(
      `perf-ts: ${packageVersion()} in ${packageFile('')}, Node ${version}, ${platform} ${arch}`,
    );
  });
}
