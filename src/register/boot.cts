// biome-ignore-all lint/complexity/useArrowFunction: a program that is recorded may start any Node.
// biome-ignore-all lint/complexity/useOptionalChain: the same.
// biome-ignore-all lint/complexity/useLiteralKeys: the same.
// biome-ignore-all lint/correctness/noInnerDeclarations: the same.
// biome-ignore-all lint/style/useNodejsImportProtocol: the same.
// biome-ignore-all lint/style/useTemplate: the same.
// biome-ignore-all lint/style/useConst: the same.
// biome-ignore-all lint/style/noCommonJs: a preload of --require is CommonJS.
// biome-ignore-all lint/suspicious/noVar: the same.

/**
 * The first file of perf-ts in a program: `--require` in NODE_OPTIONS of a recorded command names it, so every
 * Node that inherits the environment runs it before the program, in each of its workers too. It is written in
 * ECMAScript 5, which each Node that reads NODE_OPTIONS parses, and imports nothing but `fs`.
 *
 * The recorder keeps a copy at a place that stays when perf-ts moves or goes (`system/runtimes/boot-file.ts`): a
 * shell, a multiplexer or a daemon may have the environment for longer than the recording lasts.
 *
 *   NODE_OPTIONS     "--require /…/perf-ts/boot-0123456789ab.cjs --max-old-space-size=400"
 *   PERF_TS_SESSION  `Session` as JSON
 *
 * It comes ahead of the preloads of others: code that V8 has compiled before it has no name.
 * Both are taken out of `process.env` at once: the program finds its environment as its user has made it.
 * What perf-ts does in the program is in `recorded`, which is required only while its recorder runs.
 */
var VARIABLE = 'PERF_TS_SESSION';
var LEAST_MAJOR = 18;
/** Field of /proc/PID/stat behind the comm, see proc(5). */
var START_TICKS = 19;

/** The session that this process was started with; a worker has a copy of an environment without. */
function readSession(fs: typeof import('fs')): string | undefined {
  var given = process.env[VARIABLE];
  if (given !== undefined) return given;
  var entries = fs.readFileSync('/proc/self/environ', 'utf8').split('\0');
  for (var i = 0; i < entries.length; i++) {
    if (entries[i].indexOf(VARIABLE + '=') === 0) return entries[i].slice(VARIABLE.length + 1);
  }
  return undefined;
}

/**
 * Makes NODE_OPTIONS what it is without perf-ts. The space behind our words tells an empty variable from none. A shell,
 * or who starts a worker, may have made another value of it since; one whose text was changed has them between spaces
 * in front (`shell-text`), and what the environment has, maybe, behind.
 */
function restoreOptions(words: string): void {
  var options = process.env['NODE_OPTIONS'];
  var own = words.trim();
  var added = ' ' + own + ' ';
  if (options === undefined || own === '') return;
  if (options === own) delete process.env['NODE_OPTIONS'];
  else if (options.indexOf(own) >= 0) {
    if (options.indexOf(added) === 0) options = options.slice(added.length);
    process.env['NODE_OPTIONS'] = options.split(words).join('');
  }
}

/** Takes this file out of what Node shows of its options and modules. */
function hide(file: string): void {
  var preloads = Object.getOwnPropertyDescriptor(process, '_preload_modules');
  if (preloads && preloads.configurable && Array.isArray(preloads.value)) {
    preloads.value = preloads.value.filter(function (path: string) {
      return path !== file;
    });
    // Up to Node 10 it is there only for a program with a preload.
    if (preloads.writable && preloads.value.length === 0)
      delete (process as { _preload_modules?: unknown })._preload_modules;
    else Object.defineProperty(process, '_preload_modules', preloads);
  }
  var words = process.execArgv;
  for (var i = words.length - 2; i >= 0; i--) {
    if (words[i] === '--require' && words[i + 1] === file) words.splice(i, 2);
  }
}

function forget(file: string): void {
  delete require.cache[file];
  var paths = (module.constructor as unknown as { _pathCache?: Record<string, string> })._pathCache;
  for (var key in paths) if (paths[key] === file) delete paths[key];
}

/** Whether a recorder, `PID-STARTTICKS-PIDNAMESPACE-BOOT`, has ended; false where that can't be known. */
function hasEnded(recorder: string): boolean {
  var fs = require('fs') as typeof import('fs');
  var parts = recorder.split('-');
  var stat: string;
  try {
    if (fs.readlinkSync('/proc/self/ns/pid') !== 'pid:[' + parts[2] + ']') return false;
    stat = fs.readFileSync('/proc/' + parts[0] + '/stat', 'latin1');
  } catch (_error) {
    return isGone(Number(parts[0]));
  }
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[START_TICKS] !== parts[1];
}

/** /proc may hide processes of others: only the kernel's word counts. */
function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** Whether nobody else has put the file there since the recording began. */
function isOurs(fs: typeof import('fs'), file: string, owner: number): boolean {
  var uid = fs.statSync(file).uid;
  return uid === 0 || uid === owner || (process.geteuid !== undefined && uid === process.geteuid());
}

/** A snapshot would keep what is loaded, and can't keep a library. */
function isSnapshotBuilt(): boolean {
  return process.execArgv.some(function (word) {
    return word === '--build-snapshot' || word.indexOf('--build-snapshot-config') === 0;
  });
}

function start(): void {
  var fs = require('fs') as typeof import('fs');
  var text = readSession(fs);
  var session: import('./session.cts').Session;
  var recorded: typeof import('./recorded.cts');
  forget(__filename);
  delete process.env[VARIABLE];
  if (text === undefined) return;
  session = JSON.parse(text);
  restoreOptions(session.words);
  hide(session.boot);
  if (parseInt(process.versions.node, 10) < LEAST_MAJOR || isSnapshotBuilt()) return;
  if (session.recorder !== undefined && hasEnded(session.recorder)) return;
  if (!isOurs(fs, session.program, session.owner)) return;
  recorded = require(session.program);
  forget(session.program);
  recorded.begin(session, hasEnded);
}

try {
  start();
} catch (_error) {
  // The program runs as it does without us.
}
