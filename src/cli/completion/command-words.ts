import type { Command, Option } from 'commander';

/** An option as a shell completes it. */
export type OptionWords = {
  /** `-F`, `--freq`: at least one. */
  readonly names: readonly string[];
  readonly description: string;
  /** Whether the next word is its value. */
  readonly takesValue: boolean;
  /** All values it can have. Empty: not a closed set. */
  readonly values: readonly string[];
  readonly isEventList: boolean;
};

export type CommandWords = {
  readonly name: string;
  readonly description: string;
  readonly options: readonly OptionWords[];
};

/** Commands whose `-e` names events of this machine; elsewhere it names one of the recording. */
const OPENS_EVENTS = new Set(['run', 'record', 'stat', 'top', 'view', 'doctor']);

/** The commands and options that help shows. */
export function commandWordsOf(program: Command): CommandWords[] {
  return program.commands.map((command) => ({
    name: command.name(),
    description: command.description(),
    options: command
      .createHelp()
      .visibleOptions(command)
      .map((option) => optionWordsOf(option, OPENS_EVENTS.has(command.name()))),
  }));
}

function optionWordsOf(option: Option, opensEvents: boolean): OptionWords {
  return {
    names: [option.short, option.long].filter((name) => name !== undefined && name !== null),
    description: option.description,
    takesValue: option.required,
    values: option.argChoices ?? [],
    isEventList: opensEvents && option.long === '--event',
  };
}
