import { type Argument, Command, Help, type Option } from 'commander';
import type { AskedOf, OptionTable } from '../../options/option.ts';
import { readFlags } from '../../options/read-flags.ts';
import { declareOptions } from './declare-options.ts';
import { inOrderOfGroups } from './option-groups.ts';
import { optionText } from './option-text.ts';

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

  constructor({ guide }: GuidedCommand) {
    super();
    this.#guide = guide;
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

  override formatHelp(command: Command, helper: Help): string {
    const text = super.formatHelp(command, helper);
    const [usage, description, ...lists] = text.trimEnd().split('\n\n');
    const width = helper.helpWidth ?? HELP_COLUMNS;
    const { examples, notes: paragraphs } = this.#guide;
    const notes = paragraphs.map((note) => helper.boxWrap(note, width));
    const sections = [usage, description, ...exampleText(examples, width), ...lists, ...notes];
    return `${sections.join('\n\n')}\n`;
  }
}

/** The purposes in a column of their own, or each below its example where that is too wide. */
function exampleText(examples: readonly Example[], width: number): string[] {
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
