import type { Command, Option } from 'commander';
import { TableOption } from '../shared/declare-options.ts';
import type { Config, Setting } from './config-file.ts';

/** Beginning of the names of perf-ts's variables. */
export const PREFIX = 'PERF_TS_';

/** A value that a user has set for an option, the variable or the file that says so, and its key there. */
export type FoundDefault = {
  readonly value: Setting;
  readonly from: string;
  /** `report.limit`; null of a variable, which is its own. */
  readonly key: string | null;
};

/** The options of `command` that can have a default of the user's. */
export function configurableOptions(command: Command): readonly TableOption[] {
  return command.options
    .filter((option) => option instanceof TableOption)
    .filter(({ isConfigurable }) => isConfigurable);
}

/** The command whose defaults another one takes: `run` records as `record` does. */
const DEFAULTS_OF: Readonly<Record<string, string>> = { run: 'record' };

/** The user's default of an option. That of one command has precedence over that of all. */
export function findDefault(
  command: string,
  option: Option,
  environment: NodeJS.ProcessEnv,
  config: Config | null,
): FoundDefault | null {
  const name = option.name();
  const section = DEFAULTS_OF[command] ?? command;
  for (const variable of variablesOf(section, name)) {
    const text = environment[variable];
    if (text !== undefined && text !== '')
      return { value: settingIn(text, option), from: variable, key: null };
  }
  const ofCommand = config?.ofCommand.get(section)?.get(name);
  const value = ofCommand ?? config?.all.get(name);
  if (value === undefined || config === null) return null;
  return { value, from: config.path, key: ofCommand === undefined ? name : `${section}.${name}` };
}

/** `PERF_TS_RECORD_CALL_GRAPH`, `PERF_TS_CALL_GRAPH`. */
export function variablesOf(command: string, name: string): readonly string[] {
  return [`${command}-${name}`, name].map(
    (each) => PREFIX + each.toUpperCase().replaceAll('-', '_'),
  );
}

/** The default as it would be typed: `--event cycles --event page-faults`. */
export function defaultWords(long: string, value: Setting): string {
  const values = Array.isArray(value) ? value : [value];
  return values.map((each) => (each === true ? long : `${long} ${each}`)).join(' ');
}

/** Options that stand alone are on or off. */
function settingIn(text: string, { required, optional }: Option): Setting {
  if (required || (optional && text !== 'true')) return text;
  return !['0', 'false', 'no', 'off'].includes(text);
}
