import { type Command, Option } from 'commander';
import { packageFile, packageVersion } from '../../system/version.ts';
import { COLOUR_CHOICES, chooseColour } from './colour.ts';
import { notify, silence } from './failure.ts';
import { OPTION_GROUP } from './option-groups.ts';

/** The options that every command has. A command may declare `-q` and `-v` itself, where it has more to say of them. */
export function declareGeneralOptions(command: Command): void {
  const hasOwn = (name: string) => command.options.some((option) => option.long === name);
  command.optionsGroup(OPTION_GROUP.GENERAL);
  command
    .addOption(
      new Option(
        '--color <when>',
        'auto: on a terminal, by NO_COLOR and FORCE_COLOR; always; never (default auto)',
      ).choices(COLOUR_CHOICES),
    )
    .hook('preAction', (called) => {
      const { color } = called.opts<{ color?: (typeof COLOUR_CHOICES)[number] }>();
      if (color !== undefined) chooseColour(color);
    });
  if (!hasOwn('--quiet')) declareQuiet(command);
  if (!hasOwn('--verbose')) declareVerbose(command);
}

function declareQuiet(command: Command): void {
  command
    .option('-q, --quiet', 'the result and errors only: no messages, no progress')
    .hook('preAction', (called) => {
      if (called.opts<{ quiet?: boolean }>().quiet) silence();
    });
}

function declareVerbose(command: Command): void {
  command
    .option('-v, --verbose', 'the versions first, and where in perf-ts a failure came from')
    .hook('preAction', (called) => {
      if (!called.opts<{ verbose?: boolean }>().verbose) return;
      const { version, platform, arch } = process;
      notify(
        `perf-ts: ${packageVersion()} in ${packageFile('')}, Node ${version}, ${platform} ${arch}`,
      );
    });
}
