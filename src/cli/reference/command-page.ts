import type { Command } from 'commander';
import { type Example, GuidedCommand } from '../shared/guided-command.ts';

/** A word of a command line, and its meaning. */
export type Term = { readonly name: string; readonly text: string };

export type TermGroup = { readonly heading: string; readonly terms: readonly Term[] };

/** A command as its page shows it, in the order of its help. */
export type CommandPage = {
  /** `perf-ts record`. */
  readonly name: string;
  readonly description: string;
  readonly usage: string;
  readonly examples: readonly Example[];
  readonly terms: readonly Term[];
  readonly groups: readonly TermGroup[];
  readonly notes: readonly string[];
};

/** The pages of the program itself and of all its commands, that of the program first. */
export function commandPages(program: GuidedCommand): CommandPage[] {
  return [pageOf(program), ...program.commands.map(pageOf)];
}

/** The commands with what they do, as the program's own page lists them. */
export function commandTerms(program: Command): Term[] {
  const help = program.createHelp();
  return program.commands.map((command) => ({
    name: command.name(),
    text: help.subcommandDescription(command),
  }));
}

function pageOf(command: Command): CommandPage {
  const help = command.createHelp();
  const groups = help.groupItems(
    [...command.options],
    help.visibleOptions(command),
    (option) => option.helpGroupHeading ?? '',
  );
  const { examples, notes } =
    command instanceof GuidedCommand ? command.guide : { examples: [], notes: [] };
  return {
    name: [command.parent?.name() ?? [], command.name()].flat().join(' '),
    description: command.description(),
    usage: help.commandUsage(command),
    examples,
    terms: help.visibleArguments(command).map((argument) => ({
      name: argument.name(),
      text: help.argumentDescription(argument),
    })),
    groups: [...groups]
      .map(([heading, options]) => ({
        heading: heading.replace(/:$/, ''),
        terms: options.map((option) => ({
          name: help.optionTerm(option),
          text: help.optionDescription(option),
        })),
      }))
      .filter(({ terms }) => terms.length > 0),
    notes,
  };
}
