import type { Command } from 'commander';
import { atCommand, UsageError } from '../../base/errors.ts';
import { printable } from '../../base/printable.ts';
import { commandWords } from '../../base/words.ts';
import { OptionError } from '../../options/option-error.ts';
import type { TableOption } from '../shared/declare-options.ts';
import type { AppliedDefault } from '../shared/run.ts';
import { type Config, type ReadConfig, readConfig } from './config-file.ts';
import {
  configurableOptions,
  defaultWords,
  type FoundDefault,
  findDefault,
} from './find-default.ts';
import { unknownVariables } from './unknown-variables.ts';

export type AppliedDefaults = {
  readonly applied: readonly AppliedDefault[];
  /** Notices for the user: keys that nobody knows, a file that was refused. */
  readonly notices: readonly string[];
};

/**
 * Sets options of a command that was parsed, where the command line has not set them: from the environment, else
 * from the file. Throws `UsageError` for a value that cannot be, naming its place.
 */
export function applyDefaults(
  command: Command,
  environment: NodeJS.ProcessEnv = process.env,
  read: ReadConfig = readConfig(environment),
): AppliedDefaults {
  const config = read.kind === 'config' ? read.config : null;
  const applied = configurableOptions(command).flatMap((option) => {
    if (isGiven(command, option)) return [];
    const found = findDefault(command.name(), option, environment, config);
    return found === null ? [] : setDefault(command, option, found);
  });
  const commands = command.parent?.commands ?? [];
  const notices = [
    ...(read.kind === 'refused' ? [read.reason] : unknownKeys(config, commands)),
    // The agent's configuration names variables as its user likes: of tokens, say.
    ...(command.name() === 'agent' ? [] : unknownVariables(environment, commands)),
  ];
  return { applied, notices };
}

function isGiven(command: Command, option: TableOption): boolean {
  return [option.attributeName(), ...option.givesWayTo].some(
    (key) => command.getOptionValueSource(key) === 'cli',
  );
}

function setDefault(command: Command, option: TableOption, found: FoundDefault): AppliedDefault[] {
  const { value, from } = found;
  if (value === false) return [];
  const values = (Array.isArray(value) ? value : [value]).map((each) =>
    each === true ? true : String(each),
  );
  const takesText = option.required || option.optional;
  if (values.some((each) => (each === true ? option.required : !takesText))) {
    const wanted = option.required ? 'a value' : 'true or false';
    throw new UsageError(`${placeOf(found)} ${printable(`${value}`)}: expected ${wanted}`);
  }
  command.setOptionValueWithSource(option.attributeName(), parsed(option, values, found), 'config');
  return [{ words: defaultWords(`${option.long}`, value), from }];
}

function parsed(
  option: TableOption,
  values: readonly (string | true)[],
  found: FoundDefault,
): unknown {
  if (option.negate) return false;
  let result: unknown;
  for (const value of values) {
    checkWords(option, value, found);
    result = value === true ? true : (option.parseArg?.(value, result) ?? value);
  }
  return result;
}

/** `PERF_TS_LIMIT`; `/home/me/.config/perf-ts/config.json: report.limit`. */
function placeOf({ from, key }: FoundDefault): string {
  return key === null ? from : `${from}: ${key}`;
}

function checkWords(option: TableOption, words: string | true, found: FoundDefault): void {
  try {
    option.check(words);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const { message, hints } = atCommand(error);
    // Nobody has typed a flag: the place of the value stands where its name would.
    const problem =
      error instanceof OptionError ? `${words}: ${commandWords(error.problem)}` : message;
    throw new UsageError(`${placeOf(found)} ${printable(problem)}`, hints);
  }
}

/** Keys of the file that no command takes from it. */
function unknownKeys(config: Config | null, commands: readonly Command[]): string[] {
  if (config === null) return [];
  const known = new Map(
    commands.map((each) => [each.name(), configurableOptions(each).map((option) => option.name())]),
  );
  const isOfAny = (name: string) => [...known.values()].some((names) => names.includes(name));
  const unknown = [
    ...[...config.all.keys()].filter((name) => !isOfAny(name)),
    ...[...config.ofCommand].flatMap(([command, section]) =>
      [...section.keys()]
        .filter((name) => known.get(command)?.includes(name) !== true)
        .map((name) => `${command}.${name}`),
    ),
  ];
  return unknown.map((key) => `${config.path}: no option has a default by the name ${key}`);
}
