import { type Command, Option } from 'commander';
import { type Flag, type OptionRow, type OptionTable, takesWords } from '../../options/option.ts';
import { attributeOf, readFlags, readWords } from '../../options/read-flags.ts';

type Row = OptionRow<unknown, 'both' | 'command'>;

/** A flag as commander has it, with what the table of options says of it beyond that. */
export class TableOption extends Option {
  /** A user can set its default. */
  readonly isConfigurable: boolean;
  /** Commander's names of the flags that make such a default void where they are given. */
  readonly givesWayTo: readonly string[];

  /** Throws `UsageError` for words that mean no value. */
  readonly check: (words: string | true) => void;

  constructor(flag: Flag, row: Row, table: OptionTable) {
    super(flag.flags, flag.help ?? '');
    const { excludes = {}, givesWayTo = [] } = row.declared;
    // A table has not all of the options that shared rows give way to.
    const others = [...Object.keys(excludes), ...givesWayTo].flatMap((key) => table[key] ?? []);
    this.isConfigurable = flag.configurable === true;
    this.givesWayTo = [row, ...others]
      .flatMap((each) => each.flags.map(attributeOf))
      .filter((name) => name !== attributeOf(flag));
    this.check = (words) => readWords(row, flag, words);
    this.hidden = flag.help === undefined;
    if (row.group !== '') this.helpGroup(row.group);
    const { choices, again } = flag.kind ?? row.kind;
    // For help and completions: the kind reads the words, and reports what is wrong with them.
    if (choices !== undefined && takesWords(flag)) this.argChoices = [...choices];
    if (again === 'list') this.argParser(collect);
    if (again === 'count') this.argParser(increase).default(0);
    if (row.declared.mandatory) this.makeOptionMandatory();
    if (row.declared.default !== undefined) this.default(row.declared.default);
  }
}

/** Declares the options of a table on a command, in the order and the groups of the table. */
export function declareOptions<C extends Command>(command: C, table: OptionTable): C {
  for (const row of Object.values(table)) {
    if (row.fields !== null) declareOptions(command, row.fields);
    for (const flag of row.flags) command.addOption(new TableOption(flag, row, table));
  }
  return command;
}

/** The same for a command that takes commander's words: they are checked before it runs. */
export function declareChecked<C extends Command>(command: C, table: OptionTable): C {
  return declareOptions(command, table).hook('preAction', (called) => {
    readFlags(table, called.opts());
  });
}

function collect(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value];
}

function increase(_: string, earlier: number): number {
  return earlier + 1;
}
