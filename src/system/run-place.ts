import { accessSync, constants, realpathSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { printable } from '../base/printable.ts';
import { type Container, readContainer } from './container.ts';
import { readTextOrEmpty } from './small-file.ts';
import { packageFile } from './version.ts';

/** Facts that decide how a user gets from here to more rights. Drawn by tests. */
export type RunPlace = {
  readonly isRoot: boolean;
  /** sudo is installed. */
  readonly hasSudo: boolean;
  readonly container: Container | null;
  /** Node's own file, links resolved. */
  readonly execPath: string;
  readonly execArgv: readonly string[];
  /** The program's file as it was named; null without one (`node -e`). */
  readonly script: string | null;
  /** The program's file with links resolved; null without one. */
  readonly scriptFile: string | null;
  /** The first word after it. */
  readonly firstWord: string | null;
  /** Files of this package that are its command. */
  readonly ownScripts: readonly string[];
  readonly path: string;
  /** npm, pnpm or yarn has started this (`npx`, a script), and put its folders on the PATH. */
  readonly isOfPackageManager: boolean;
  readonly userName: string;
  readonly cwd: string;
  /** ID and ID_LIKE of os-release(5). */
  readonly distribution: string;
  /** The file behind a path, links resolved; null where none can be executed. */
  readonly resolveProgram: (path: string) => string | null;
};

let known: RunPlace | null = null;

/** Asks once: none of it changes while a process runs. */
export function readRunPlace(): RunPlace {
  known ??= askRunPlace();
  return known;
}

function askRunPlace(): RunPlace {
  const { argv, env, execArgv } = process;
  const path = env.PATH ?? '';
  const release = readTextOrEmpty('/etc/os-release');
  return {
    isRoot: process.geteuid?.() === 0,
    hasSudo: SUDO_FOLDERS.some((folder) => resolveProgram(`${folder}/sudo`) !== null),
    container: readContainer(),
    execPath: process.execPath,
    execArgv,
    script: argv[1] ?? null,
    scriptFile: realPathOrNull(argv[1]),
    firstWord: argv[2] ?? null,
    ownScripts: ['dist/bin/main.js', 'src/cli/main.ts'].map(packageFile),
    path,
    isOfPackageManager: env.npm_config_user_agent !== undefined,
    userName: env.USER ?? env.LOGNAME ?? 'USER',
    cwd: cwdOrRoot(),
    distribution: [...release.matchAll(/^ID(?:_LIKE)?=(.*)$/gm)].map(([, id]) => id).join(' '),
    resolveProgram,
  };
}

const SUDO_FOLDERS = ['/usr/bin', '/bin', '/usr/local/bin', '/run/wrappers/bin'];

function resolveProgram(path: string): string | null {
  try {
    accessSync(path, constants.X_OK);
    return realpathSync(path);
  } catch {
    return null;
  }
}

function realPathOrNull(path: string | undefined): string | null {
  try {
    return path === undefined ? null : realpathSync(path);
  } catch {
    return null;
  }
}

/** The current directory may be removed. */
function cwdOrRoot(): string {
  try {
    return process.cwd();
  } catch {
    return '/';
  }
}

/**
 * Folders that sudo searches instead of its caller's PATH (secure_path in /etc/sudoers, which only root may
 * read): the folders that all distributions have there, and those of most.
 */
const SECURE_FOLDERS = ['/usr/sbin', '/usr/bin', '/sbin', '/bin'];
const MOSTLY_SECURE_FOLDERS = [...SECURE_FOLDERS, '/usr/local/sbin', '/usr/local/bin'];

/**
 * Version managers whose `node` on the PATH is a stand-in: it looks for the real one in the home of
 * whoever runs it, and root has none there. `execPath` then lies below one of these.
 */
const STAND_INS =
  /\/(?:\.volta\/tools\/image|\.?asdf\/installs|mise\/installs|\.nodenv\/versions)\//;

/**
 * The line that runs this program as root, its arguments left out; null for who is root already. sudo
 * finds neither perf-ts nor Node in a user's home (nvm, fnm, volta, asdf, `node_modules/.bin`), so the
 * line hands the PATH over where they lie there:
 *
 *     sudo perf-ts record …                                          both in /usr/bin
 *     sudo env "PATH=$PATH" perf-ts record …                         nvm, fnm
 *     sudo env "PATH=/home/ann/.volta/…/bin:$PATH" perf-ts record …  a stand-in for node
 *     sudo env "PATH=$PATH" node_modules/.bin/perf-ts record …       npx
 */
export function rootLine(place: RunPlace): string | null {
  if (place.isRoot) return null;
  const { words, needsPath } = restartWords(place);
  if (place.hasSudo) return ['sudo', ...(needsPath ? [pathWord(place)] : []), words, '…'].join(' ');
  // su hands the PATH on, but no SUDO_UID: who the command shall be has to be told.
  const runsCommand = isPerfTs(place) && RUNS_COMMAND.test(subcommand(place));
  const user = runsCommand ? ` --user ${quoted(place.userName)}` : '';
  const line = `${needsStandIn(place) ? `${pathWord(place)} ` : ''}${words}${user}`;
  // Words in quotes are quoted once more, or they end the line's own.
  return `su -c '${line.replaceAll("'", "'\\''")} …'`;
}

/** How root starts the command `name` of a user, whose PATH root does not have. */
export function callersPathLine(place: RunPlace, name: string): string {
  return `sudo env "PATH=$PATH" ${restartWords(place).words} … ${quoted(name)} …`;
}

function pathWord(place: RunPlace): string {
  const folder = dirname(place.execPath).replace(/["\\$`]/g, '\\$&');
  return needsStandIn(place) ? `env "PATH=${printable(folder)}:$PATH"` : 'env "PATH=$PATH"';
}

/** `node` on the caller's PATH is not the Node that runs this. */
function needsStandIn(place: RunPlace): boolean {
  const { execPath } = place;
  if (STAND_INS.test(execPath)) return true;
  const name = execPath.slice(execPath.lastIndexOf('/') + 1);
  return findOnPath(place, name) !== execPath;
}

type Restart = { readonly words: string; readonly needsPath: boolean };

/** The words that start this program again, and whether they need more than sudo's own PATH. */
function restartWords(place: RunPlace): Restart {
  const { script, execArgv, execPath } = place;
  const isNodeSecure = isSecure(place, execPath);
  if (!isPerfTs(place)) {
    const node = execPath.slice(execPath.lastIndexOf('/') + 1);
    const words = [node, ...execArgv, ...(script === null ? [] : [shortest(place, script)])];
    return { words: words.map(quoted).join(' '), needsPath: !isNodeSecure };
  }
  const file = script as string;
  const isNamed = findOnPath(place, 'perf-ts') === place.scriptFile;
  // In a checkout the file has no right to be executed.
  const node = !isNamed && place.resolveProgram(file) === null ? 'node ' : '';
  const program = isNamed ? 'perf-ts' : shortest(place, file);
  const needsPath = !isNodeSecure || (isNamed && !isSecure(place, 'perf-ts'));
  return { words: `${node}${quoted(program)} ${subcommand(place)}`, needsPath };
}

function isPerfTs({ scriptFile, ownScripts }: RunPlace): boolean {
  return scriptFile !== null && ownScripts.includes(scriptFile);
}

/** Commands that record or count, each of which root may have to run. */
const SUBCOMMAND = /^(?:record|stat|top|view|list|agent)$/;
/** Subcommands that may start a command for its user. */
const RUNS_COMMAND = /^(?:record|stat|top)$/;

/** `record` stands for what has no events of its own: `doctor`. */
function subcommand({ firstWord }: RunPlace): string {
  return SUBCOMMAND.test(firstWord ?? '') ? (firstWord as string) : 'record';
}

/** Whether sudo finds `program` by itself, which is a file or a name on the caller's PATH. */
function isSecure(place: RunPlace, program: string): boolean {
  const isStrict = /\b(?:fedora|rhel|centos)\b/.test(place.distribution);
  const folders = isStrict ? SECURE_FOLDERS : MOSTLY_SECURE_FOLDERS;
  const name = program.slice(program.lastIndexOf('/') + 1);
  const wanted = program.includes('/') ? program : findOnPath(place, program);
  const found = folders.map((folder) => place.resolveProgram(`${folder}/${name}`));
  return wanted !== null && found.find((file) => file !== null) === wanted;
}

/** The first program of that name on the PATH that the user's shell has, without npm's additions. */
function findOnPath(place: RunPlace, name: string): string | null {
  const folders = place.path.split(':').filter((folder) => folder !== '');
  const own = STAND_INS.test(place.execPath) ? [dirname(place.execPath)] : [];
  for (const folder of [...own, ...folders]) {
    if (place.isOfPackageManager && /(?:node_modules\/\.bin|node-gyp-bin)\/?$/.test(folder))
      continue;
    const file = place.resolveProgram(`${folder}/${name}`);
    if (file !== null) return file;
  }
  return null;
}

/** A path as it is, or from the current directory where that is shorter. */
function shortest({ cwd }: RunPlace, path: string): string {
  const below = relative(cwd, path);
  if (below.startsWith('..') || below.length >= path.length) return path;
  return below.includes('/') ? below : `./${below}`;
}

/** A word as a shell reads it again. */
function quoted(word: string): string {
  const text = printable(word);
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
