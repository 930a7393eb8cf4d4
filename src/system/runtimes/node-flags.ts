import { NONE } from '../../base/brand.ts';
import { words } from '../../base/words.ts';
import type { CommandSpec } from '../../native/types.ts';
import { RECORD } from '../../options/record.ts';
import { variable } from './command-environment.ts';
import { findNode, type NodeCommand, nodeOnPath } from './node-command.ts';
import { identifyNode, type NodeProgram } from './node-program.ts';
import { choosePreload, optionsOf, type Preload, withNodeOptions } from './node-session.ts';
import { findPlantedMap } from './planted-maps.ts';
import { shellTextModule } from './register-modules.ts';
import { leftAloneBy, type NodeFlags, namesCode, unflagged, withV8Flags } from './v8-flags.ts';

/** NODE_OPTIONS takes all of these from here on; an older Node would refuse to start. */
const LEAST_MAJOR = 12;
/** Taken to be this where the program does not report it: older ones have had no support for years. */
const USUAL_MAJOR = 18;

/** How V8's code comes to its names: a map or a jitdump that V8 writes, or events that the preload sends there. */
export type CodeNaming = 'map' | 'dump' | { readonly newSocket: () => string };

/**
 * Gives a command that runs Node what V8 needs. `wanted` true: whatever the command is; false:
 * never; undefined: where the command is seen to run Node.
 */
export function addNodeFlags(
  command: CommandSpec,
  wanted: boolean | undefined,
  identify: (node: string) => NodeProgram = identifyNode,
  findPlanted: () => string | null = findPlantedMap,
  naming: CodeNaming = 'map',
): NodeFlags {
  const unchanged = unflagged(command);
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
  const newSocket = typeof naming === 'object' ? naming.newSocket : null;
  const sendsCode = newSocket !== null && ![...inherited, ...own].some(namesCode);
  // `env NODE_OPTIONS=… node` loses those of the environment, and takes more in its word.
  const takesWords = sendsCode && shellTextModule().withOptionsInShell(command.argv, '') !== null;
  const reached = { ...found, losesOptions: found.losesOptions && !takesWords };
  const { preload, isRestricted, obstacle } = choosePreload(command, reached, { version, major });
  if (sendsCode && preload !== null) {
    return withCodeEvents(command, preload, newSocket());
  }
  // V8's own ways leave a log and a map behind, and words in `process.execArgv`: only who asks for them gets them.
  if (newSocket !== null && !wanted && obstacle !== null) {
    const cure = words`${RECORD.nodeFlags.as(true)} names it by V8's map in /tmp`;
    return { ...unchanged, notes: [words`JavaScript has no names: ${obstacle}; ${cure}`] };
  }
  const facts = { command, found, isNode, version, major, inherited, own, preload, isRestricted };
  return withV8Flags(facts, naming === 'dump', findPlanted);
}

/**
 * The preload sends V8's code to the recorder as it is compiled: neither V8's map nor its log is written. Where it
 * can't, nothing else is done in its place.
 */
function withCodeEvents(command: CommandSpec, preload: Preload, socket: string): NodeFlags {
  const env = withNodeOptions(command.env, [], { ...preload, socket });
  const argv = shellTextModule().withOptionsInShell(command.argv, optionsOf(preload));
  return {
    ...unflagged({ ...command, argv: argv ?? command.argv, env }),
    notes: [leftAloneBy("NODE_OPTIONS got a preload that reports V8's code")],
    codeSocket: socket,
  };
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

function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}
