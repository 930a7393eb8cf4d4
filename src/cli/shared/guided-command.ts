import {
  type Argument,
  Command,
  CommanderError,
  Help,
  type HelpContext,
  type Option,
} from 'commander';
import { OPTION_GROUP } from '../../options/groups.ts';
import type { AskedOf, OptionTable } from '../../options/option.ts';
import { readFlags } from '../../options/read-flags.ts';
import { declareOptions, TableOption } from './declare-options.ts';
import { LISTED_TOPICS } from './topic-names.ts';

/** Columns where nothing says how many there are. */
export const HELP_COLUMNS = 80;

/** Spaces between an example and its purpose. */
const GAP = 2;
const INDENT = '  ';

/** A command line that can be typed, and its purpose. */
export type Example = readonly [line: string, purpose: string];

/** A command whose help has examples first and its options in groups; so have its subcommands. */
export class GuidedCommand extends Command {
  guide: {
    readonly examples: readonly Example[];
    /** Paragraphs that stand after the options. */
    readonly notes: readonly string[];
  } = { examples: [], notes: [] };
  /** Whether help is of the options used most alone. */
  isShort = false;

  override createCommand(name?: string): GuidedCommand {
    return new GuidedCommand(name);
  }

  override createHelp(): Help {
    return Object.assign(new GuidedHelp(this), this.configureHelp());
  }

  /** Sets the examples, and paragraphs that stand after the options. */
  examples(examples: readonly Example[], notes: readonly string[] = []): this {
    this.guide = { examples, notes };
    return this;
  }

  /** Prints the help of the options used most, and ends as help does. */
  printShortHelp(): never {
    this.isShort = true;
    this.outputHelp();
    throw new CommanderError(0, 'commander.helpDisplayed', '(outputHelp)');
  }

  /** Help in place of an error, as no command is named, is the short one. */
  override helpInformation(context?: HelpContext): string {
    if (context?.error === true) this.isShort = true;
    return super.helpInformation(context);
  }

  /** Takes the options of `table`; `run` gets what they ask for, then the arguments. Throws `UsageError` as it runs. */
  asks<T extends OptionTable, A extends unknown[]>(
    table: T,
    run: (asked: AskedOf<T>, ...words: A) => Promise<void>,
  ): this {
    return declareOptions(this, table).action((...given) => {
      const [flags] = given.splice(-2);
      return run(readFlags(table, flags), ...(given as A));
    });
  }
}

/** Usage, what the command does, examples, arguments, options by group, notes. */
class GuidedHelp extends Help {
  readonly #guide: GuidedCommand['guide'];
  readonly #isShort: boolean;
  /** Columns of text below which lines of a list are left as long as they are. */
  override minWidthToWrap = 16;

  constructor({ guide, isShort }: GuidedCommand) {
    super();
    this.#guide = guide;
    this.#isShort = isShort;
  }

  override visibleOptions(command: Command): Option[] {
    const all = super.visibleOptions(command);
    if (!this.#isShort) return all;
    const common = all.filter((option) => option instanceof TableOption && option.isCommon);
    return common.length === 0 ? all : common;
  }

  override optionDescription(option: Option): string {
    return optionText(option);
  }

  override argumentDescription(argument: Argument): string {
    return optionText(argument);
  }

  override groupItems<T extends Command | Option>(
    unsortedItems: T[],
    visibleItems: T[],
    getGroup: (item: T) => string,
  ): Map<string, T[]> {
    return inOrderOfGroups(super.groupItems(unsortedItems, visibleItems, getGroup));
  }

  /** A line for each group of commands. */
  #commandNames(command: Command): string {
    const shown = super.visibleCommands(command);
    const groups = this.groupItems([...command.commands], shown, (each) => each.helpGroup());
    const width = Math.max(...[...groups.keys()].map((heading) => heading.length)) + GAP;
    return [...groups]
      .map(([heading, each]) => heading.padEnd(width) + each.map((one) => one.name()).join('  '))
      .join('\n');
  }

  override formatHelp(command: Command, helper: Help): string {
    const text = super.formatHelp(command, helper);
    const [usage, description, ...all] = text.trimEnd().split('\n\n');
    const lists = this.#isShort && command.parent === null ? [this.#commandNames(command)] : all;
    const width = helper.helpWidth ?? HELP_COLUMNS;
    const { examples } = this.#guide;
    const paragraphs = this.#isShort ? restOfHelp(command) : this.#guide.notes;
    const notes = paragraphs.map((note) => helper.boxWrap(note, width));
    const sections = [usage, description, ...exampleText(examples, width), ...lists, ...notes];
    return `${sections.join('\n\n')}\n`;
  }
}

/** Ways to what the short help leaves out. */
function restOfHelp(command: Command): string[] {
  if (command.parent === null) {
    return [
      'perf-ts COMMAND -h: its usual options. perf-ts --help: a line for each command. perf-ts help TOPIC: ' +
        LISTED_TOPICS,
    ];
  }
  return [`perf-ts ${command.name()} --help: all ${command.options.length} options`];
}

/** Examples with their purposes in a column of their own, or each below its example where that is too wide. */
export function exampleText(examples: readonly Example[], width: number): string[] {
  if (examples.length === 0) return [];
  const column = Math.max(...examples.map(([line]) => line.length)) + GAP;
  const isNarrow = examples.some(([, purpose]) => INDENT.length + column + purpose.length > width);
  const lines = examples.map(([line, purpose]) =>
    isNarrow
      ? `${INDENT}${line}\n${INDENT.repeat(3)}${purpose}`
      : `${INDENT}${line.padEnd(column)}${purpose}`,
  );
  return [['Examples:', ...lines].join('\n')];
}

/** ` (default events)` at the end of a description. */
const DEFAULT_AT_END = / \(default[^()]*\)$/;

/** The description of an option or argument, with the values that it can have, and its default. */
function optionText(option: Option | Argument): string {
  const { description, argChoices, defaultValue } = option;
  const own = DEFAULT_AT_END.exec(description)?.[0] ?? '';
  const text = description.slice(0, description.length - own.length);
  // A description may explain each value itself.
  const unnamed = argChoices?.some((choice) => !new RegExp(`\\b${choice}\\b`).test(text));
  const choices = unnamed ? `: ${argChoices?.join(', ')}` : '';
  return `${text}${choices}${own || defaultText(defaultValue)}`;
}

/** Counters begin at 0, and flags are off: nobody needs to read that. */
function defaultText(value: unknown): string {
  return typeof value === 'string' ? ` (default ${value})` : '';
}

/** These follow the groups of the command itself, in this order. */
const SHARED: readonly string[] = Object.values(OPTION_GROUP);

/** Puts the groups that commands share after those of the command itself. */
function inOrderOfGroups<V>(groups: ReadonlyMap<string, V>): Map<string, V> {
  const sorted = [...groups].sort(([a], [b]) => SHARED.indexOf(a) - SHARED.indexOf(b));
  return new Map(sorted);
}
