import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { UsageError } from '../../base/errors.ts';
import { isJsonObject } from '../../base/foreign-json.ts';
import { printable } from '../../base/printable.ts';
import { errnoReason } from '../../base/system-error.ts';
import { actingUid } from '../../system/accounts/file-identity.ts';
import { isLeft, namedHome } from '../../system/accounts/home-folder.ts';

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
  /** `path`: its place; null where nobody says. */
  | { readonly kind: 'absent'; readonly path: string | null }
  | { readonly kind: 'refused'; readonly path: string; readonly reason: string }
  | { readonly kind: 'config'; readonly config: Config };

const FILE = 'perf-ts/config.json';
const MOST_BYTES = 1 << 20;

/**
 * The user's file; null where nobody says where it would be. Relative paths are ignored, as the XDG
 * specification has it.
 */
function configPath(environment: NodeJS.ProcessEnv): string | null {
  const { XDG_CONFIG_HOME } = environment;
  if (XDG_CONFIG_HOME !== undefined && isAbsolute(XDG_CONFIG_HOME)) {
    return join(XDG_CONFIG_HOME, FILE);
  }
  const home = namedHome();
  return home === null ? null : join(home, '.config', FILE);
}

/**
 * Reads the user's defaults. A file that another user owns, or that everybody may write, could make root do what
 * its writer wants: it is refused. Throws `UsageError` for one that is no JSON of this form:
 *
 *     { "color": "never", "record": { "freq": 999, "call-graph": "dwarf" } }
 */
export function readConfig(environment: NodeJS.ProcessEnv): ReadConfig {
  const path = configPath(environment);
  if (path === null) return { kind: 'absent', path };
  if (isLeft(path)) return refused(path, 'its file system does not answer', ELSEWHERE);
  let fd = -1;
  try {
    // A pipe in its place must not be waited for.
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'absent', path };
    return refused(
      path,
      errnoReason(code),
      `make it readable for ${currentUser()}, or ${ELSEWHERE}`,
    );
  }
  try {
    const why = whyRefused(fstatSync(fd));
    if (why !== null) return refused(path, ...why);
    return { kind: 'config', config: parseConfig(readFileSync(fd, 'utf8'), path) };
  } finally {
    closeSync(fd);
  }
}

const ELSEWHERE = 'set HOME or XDG_CONFIG_HOME to a folder of your own';

/** `path` as a file that is there and not read. */
function refused(path: string, why: string, remedy: string): ReadConfig {
  return { kind: 'refused', path, reason: `${path} is not read: ${why}\n  ${remedy}` };
}

/** The user who has to be able to read the file. */
function currentUser(): string {
  const uid = actingUid();
  return uid < 0 ? 'you' : `uid ${uid}`;
}

/** Why the file must not decide anything, and what to do; null: it may. */
function whyRefused(stat: Stats): readonly [why: string, remedy: string] | null {
  if (!stat.isFile()) return ['it is not a file', 'remove it, or put a file there'];
  if (stat.size > MOST_BYTES) return ['it is larger than a megabyte', 'make it shorter'];
  const own = actingUid();
  if (own >= 0 && stat.uid !== own && stat.uid !== 0) {
    const remedy = own === 0 ? 'with sudo -H the file of root is read instead' : ELSEWHERE;
    return [`it belongs to another user (uid ${stat.uid})`, remedy];
  }
  const isOpen = (stat.mode & constants.S_IWOTH) !== 0;
  return isOpen ? ['everybody may write to it', 'look through it, then chmod o-w'] : null;
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
    if (!isJsonObject(value)) {
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
  if (isJsonObject(value)) return Object.entries(value);
  throw new UsageError(`${path}: expected an object, as in {"record": {"freq": 999}}`);
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
