import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { UsageError } from '../../base/errors.ts';
import { printable } from '../../base/printable.ts';
import { actingUid } from '../../system/accounts/file-identity.ts';

/** A value of an option, as JSON has it. */
export type Setting = string | number | boolean | readonly (string | number)[];

/** Values of options by their long name: for every command, and for one. */
export type Config = {
  readonly path: string;
  readonly all: ReadonlyMap<string, Setting>;
  readonly ofCommand: ReadonlyMap<string, ReadonlyMap<string, Setting>>;
};

/** A file, or why there is none at its place; the reason is for the user. */
export type ReadConfig =
  | { readonly kind: 'absent' }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'config'; readonly config: Config };

const MOST_BYTES = 1 << 20;

/** The user's file; null where nobody says where it would be. Relative paths are ignored, as the XDG specification has it. */
export function configPath(environment: NodeJS.ProcessEnv): string | null {
  const { XDG_CONFIG_HOME } = environment;
  const home =
    XDG_CONFIG_HOME !== undefined && isAbsolute(XDG_CONFIG_HOME)
      ? XDG_CONFIG_HOME
      : join(homedir(), '.config');
  return isAbsolute(home) ? join(home, 'perf-ts/config.json') : null;
}

/**
 * Reads the user's defaults. A file that another user owns, or that everybody may write, could make root do what
 * its writer wants: it is refused. Throws `UsageError` for one that is no JSON of this form:
 *
 *     { "color": "never", "record": { "freq": 999, "call-graph": "dwarf" } }
 */
export function readConfig(environment: NodeJS.ProcessEnv): ReadConfig {
  const path = configPath(environment);
  if (path === null) return { kind: 'absent' };
  let fd = -1;
  try {
    // A pipe in its place must not be waited for.
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'absent' };
    return { kind: 'refused', reason: `${path} is not read: ${code}` };
  }
  try {
    const why = whyRefused(fstatSync(fd));
    if (why !== null) return { kind: 'refused', reason: `${path} is not read: ${why}` };
    return { kind: 'config', config: parseConfig(readFileSync(fd, 'utf8'), path) };
  } finally {
    closeSync(fd);
  }
}

function whyRefused(stat: Stats): string | null {
  if (!stat.isFile()) return 'it is not a file';
  if (stat.size > MOST_BYTES) return 'it is larger than a megabyte';
  const own = actingUid();
  if (own >= 0 && stat.uid !== own && stat.uid !== 0) {
    return `it belongs to another user (uid ${stat.uid})`;
  }
  return stat.mode & constants.S_IWOTH ? 'everybody may write to it (chmod o-w)' : null;
}

/** The defaults in the text of the file at `path`. Throws `UsageError`. */
export function parseConfig(text: string, path: string): Config {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${path}: ${printable((error as Error).message)}`);
  }
  const all = new Map<string, Setting>();
  const ofCommand = new Map<string, ReadonlyMap<string, Setting>>();
  for (const [name, value] of entriesOf(given, path)) {
    if (!isObject(value)) {
      all.set(name, settingOf(value, path, name));
      continue;
    }
    const section = entriesOf(value, path).map(
      ([option, each]) => [option, settingOf(each, path, `${name}.${option}`)] as const,
    );
    ofCommand.set(name, new Map(section));
  }
  return { path, all, ofCommand };
}

function entriesOf(value: unknown, path: string): [string, unknown][] {
  if (isObject(value)) return Object.entries(value);
  throw new UsageError(`${path}: expected an object, as in {"record": {"freq": 999}}`);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function settingOf(value: unknown, path: string, name: string): Setting {
  if (isScalar(value) || typeof value === 'boolean') return value;
  if (Array.isArray(value) && value.every(isScalar)) return value;
  throw new UsageError(
    `${path}: ${printable(name)}: expected a text, a number, true, false or a list of texts`,
  );
}

function isScalar(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}
