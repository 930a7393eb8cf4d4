import type { Command } from 'commander';
import { readConfig, type Setting } from './config-file.ts';
import { configurableOptions, findDefault } from './find-default.ts';

/** A default of the user's, as `perf-ts doctor` lists it. */
export type DefaultInForce = {
  /** The long name without the dashes: `call-graph`. */
  readonly option: string;
  readonly value: Setting;
  /** The variable or the path of the file that says so. */
  readonly from: string;
  /** The commands that take this value; another one may have another. */
  readonly commands: readonly string[];
};

/** Values that hold where the command line says nothing. */
export type DefaultsInForce = {
  readonly file: {
    /** Null where nobody says where it would be: without HOME, and without an account. */
    readonly path: string | null;
    readonly state: 'read' | 'absent' | 'refused';
  };
  readonly values: readonly DefaultInForce[];
};

/** The defaults that the environment and the user's file give to these commands. */
export function defaultsInForce(commands: readonly Command[]): DefaultsInForce {
  const { env } = process;
  const read = readConfig(env);
  const config = read.kind === 'config' ? read.config : null;
  const values = new Map<string, DefaultInForce & { commands: string[] }>();
  for (const command of commands) {
    for (const option of configurableOptions(command)) {
      const name = option.name();
      const found = findDefault(command.name(), option, env, config);
      // The built-in value holds.
      if (found === null || found.value === false) continue;
      const { value, from } = found;
      const key = JSON.stringify([name, value, from]);
      const row = values.get(key) ?? { option: name, value, from, commands: [] };
      row.commands.push(command.name());
      values.set(key, row);
    }
  }
  const state = read.kind === 'config' ? 'read' : read.kind;
  return {
    file: { path: config?.path ?? (read.kind === 'config' ? null : read.path), state },
    values: [...values.values()],
  };
}
