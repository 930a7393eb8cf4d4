import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { NONE } from '../../base/brand.ts';
import { lateModules } from '../../base/late-modules.ts';
import type { CommandSpec } from '../../native/types.ts';
import { packageFile } from '../version.ts';
import { variable, withVariable } from './command-environment.ts';
import { findNode, type NodeCommand, nodeOnPath } from './node-command.ts';
import { identifyNode, type NodeProgram } from './node-program.ts';
import { findPlantedMap } from './planted-maps.ts';
import { newRecordingId } from './recording-id.ts';
import { type NodeFlags, namesCode, quote, withV8Flags } from './v8-flags.ts';

/** NODE_OPTIONS takes all of these from here on; an older Node would refuse to start. */
const LEAST_MAJOR = 12;
/** Taken to be this where the program does not say: older ones have had no support for years. */
const USUAL_MAJOR = 18;

/**
 * How V8's code comes to its names: a map that V8 writes, events that the preload sends, or a jitdump.
 */
export type CodeNaming = 'maps' | 'events' | 'dump';

/**
 * Gives a command that runs Node what V8 needs. `wanted` true: whatever the command is; false:
 * never; undefined: where the command is seen to run Node.
 */
export function addNodeFlags(
  command: CommandSpec,
  wanted: boolean | undefined,
  identify: (node: string) => NodeProgram = identifyNode,
  findPlanted: () => string | null = findPlantedMap,
  naming: CodeNaming = 'maps',
): NodeFlags {
  const nothing = { causesMaps: false, recordingId: null, codeSocket: null, dumpsIn: null };
  const unchanged = { command, notes: [], ...nothing };
  if (wanted === false) return unchanged;
  const found = findNode(command) ?? (wanted ? unseenNode(command) : null);
  if (found === null) return unchanged;
  const program = identify(found.node);
  if (program.kind === 'other' && !wanted) return unchanged;
  const version = program.kind === 'node' ? program.version : null;
  const major = Number(/^v(\d+)\./.exec(version ?? '')?.[1] ?? USUAL_MAJOR);
  if (major < LEAST_MAJOR) {
    const reason = `Node ${version} does not take V8's profiling flags from NODE_OPTIONS`;
    return { ...unchanged, notes: [`JavaScript may stay without names: ${reason}`] };
  }
  // A script of that name passes its words on to whatever it likes.
  const isNode = found.at >= 0 && program.kind === 'node';
  const inherited = wordsOf(variable(command.env, 'NODE_OPTIONS'));
  const own = nodeWords(command, isNode ? found.at : NONE);
  const isRestricted = restrictsNode(command, found);
  const preload = found.losesOptions || isRestricted ? null : preloadFor(command, found, major);
  if (naming === 'events' && preload !== null && ![...inherited, ...own].some(namesCode)) {
    return withCodeEvents(command, preload);
  }
  const facts = { command, found, isNode, version, major, inherited, own, preload, isRestricted };
  return withV8Flags(facts, naming === 'dump', findPlanted);
}

/**
 * The preload sends V8's code to the recorder as it is compiled: neither V8's map nor its log is
 * written. Where that fails it sets V8's flags, so maps may come to be all the same.
 */
function withCodeEvents(command: CommandSpec, preload: string): NodeFlags {
  const recordingId = newRecordingId({ maps: true, dumps: false });
  const codeSocket = newCodeSocket();
  const earlier = variable(command.env, 'NODE_OPTIONS');
  const value = `${earlier} --require=${quote(preload)}`.trim();
  let env = withVariable(command.env, 'NODE_OPTIONS', value);
  env = withVariable(env, 'PERF_TS_RECORDING', recordingId);
  env = withVariable(env, 'PERF_TS_CODE_EVENTS', codeSocket);
  return {
    command: { ...command, env },
    notes: ["NODE_OPTIONS got a preload that reports V8's code; --no-node-flags leaves it alone"],
    causesMaps: true,
    recordingId,
    codeSocket,
    dumpsIn: null,
  };
}

/** An abstract Unix socket (unix(7)) that nobody guesses: no file, and gone with whoever listens. */
export function newCodeSocket(): string {
  return `@perf-ts-${lateModules.crypto.randomBytes(8).toString('hex')}`;
}

/** Node's own options on its command line: those before the script. */
function nodeWords({ argv }: CommandSpec, at: number): string[] {
  if (at === NONE) return [];
  const end = argv.findIndex((word, index) => index > at && !word.startsWith('-'));
  return argv.slice(at + 1, end < 0 ? undefined : end);
}

/** A Node that the command starts in a way that it does not show. */
function unseenNode({ env }: CommandSpec): NodeCommand {
  return { node: nodeOnPath(env), at: NONE, losesOptions: false, text: '' };
}

/**
 * Options of Node under which a program reads only what it is allowed to, and would end where the
 * preload is not.
 */
const RESTRICTING = /(?:^|[\s=])--(?:experimental[-_])?(?:permission|policy)\b/;
function restrictsNode({ argv, env }: CommandSpec, { text }: NodeCommand): boolean {
  return [...argv, variable(env, 'NODE_OPTIONS'), text].some((words) => RESTRICTING.test(words));
}

/**
 * The module that notes worker threads and the source maps of code that is transformed in memory;
 * null where the target's user may not read it, since Node ends where it can't load a preload. What
 * root starts may start Node as any user (gosu, su, setpriv).
 */
function preloadFor({ user }: CommandSpec, { at }: NodeCommand, major: number): string | null {
  if (major < 18) return null;
  const path = packageFile('dist/register/preload.cjs');
  try {
    accessSync(path, constants.R_OK);
    const isOfRoot = (user?.uid ?? process.geteuid?.()) === 0;
    const isOfOthers = isOfRoot ? at !== 0 : user !== undefined;
    return isOfOthers && !isForAll(path) ? null : path;
  } catch {
    return null;
  }
}

/** Whether all users may read a file. */
function isForAll(path: string): boolean {
  if ((statSync(path).mode & 0o004) === 0) return false;
  for (let at = dirname(path); ; at = dirname(at)) {
    if ((statSync(at).mode & 0o001) === 0) return false;
    if (at === dirname(at)) return true;
  }
}

function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}
