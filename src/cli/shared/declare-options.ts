import { type Command, Option } from 'commander';
import { type Flag, type OptionRow, type OptionTable, takesWords } from '../../options/option.ts';
import { attributeOf, readWords } from '../../options/read-flags.ts';

type Row = OptionRow<unknown, 'both' | 'command'>;

/** A flag as commander has it, with what the table of options says of it beyond that. */
export class TableOption extends Option {
  /** A user can set its default. */
  readonly isConfigurable: boolean;
  /** `-h` lists it. */
  readonly isCommon: boolean;
  /** Throws `UsageError` for words that mean no value. */
  readonly check: (words: string | true) => void;

  readonly #flag: Flag;
  readonly #row: Row;
  readonly #table: OptionTable;

  constructor(flag: Flag, row: Row, table: OptionTable) {
    super(flag.flags, flag.help ?? '');
    this.#flag = flag;
    this.#row = row;
    this.#table = table;
    this.isConfigurable = flag.configurable === true;
    this.isCommon = flag.isCommon === true;
    this.check = (words) => readWords(row, flag, words);
    this.hidden = flag.help === undefined;
    if (row.group !== '') this.helpGroup(row.group);
    const { choices, again } = flag.kind ?? row.kind;
    // Help and completions list the choices; the kind reads the words, and reports what is wrong with them.
    if (choices !== undefined && takesWords(flag)) this.argChoices = [...choices];
    if (again === 'list') this.argParser(collect);
    if (again === 'count') this.argParser(increase).default(0);
    if (row.declared.mandatory) this.makeOptionMandatory();
    if (row.declared.default !== undefined) this.default(row.declared.default);
  }

  /**
   * Commander's names of the flags that make a user's default void where they are given. Made when it is asked for, which is
   * of one command; every command is declared at every start.
   */
  get givesWayTo(): readonly string[] {
    const { excludes = {}, givesWayTo = [] } = this.#row.declared;
    // A table has not all of the options that shared rows give way to.
    const others = [...Object.keys(excludes), ...givesWayTo].flatMap(
      (key) => this.#table[key] ?? [],
    );
    return [this.#row, ...others]
      .flatMap((each) => each.flags.map(attributeOf))
      .filter((name) => name !== attributeOf(this.#flag));
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

function collect(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value];
}

function increase(_: string, earlier: number): number {
  return earlier + 1;
}
