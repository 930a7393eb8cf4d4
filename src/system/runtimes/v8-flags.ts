import { accessSync, constants, statSync } from 'node:fs';
import { printable } from '../../base/printable.ts';
import { detail, type Text, words } from '../../base/words.ts';
import type { CommandSpec } from '../../native/types.ts';
import { RECORD } from '../../options/record.ts';
import type { NodeCommand } from './node-command.ts';
import { type Preload, withNodeOptions } from './node-session.ts';
import { findPlantedDump } from './planted-maps.ts';
import { newRecordingId } from './recording-id.ts';

/**
 * Flags of V8 by which its code has names. `--perf-basic-prof` appends a line for each function
 * that it compiles to `/tmp/perf-PID.map`; `--interpreted-frames-native-stack` gives each
 * interpreted function an entry of its own, so that its frames are distinguished on a stack. Both are
 * taken from NODE_OPTIONS, so they reach children, clusters and workers.
 *
 * A jitdump (`--perf-prof`) also brings the machine code and its source positions, and for an HTTP
 * server it is 16 times as large; docs/decisions/0011-node-flags.md has both costs.
 */
export const V8_FLAGS = ['--perf-basic-prof', '--interpreted-frames-native-stack'] as const;

/** Flags of V8 where a jitdump is asked for: `jit-PID.dump` in the working directory. */
const DUMP_FLAGS = ['--perf-prof', '--interpreted-frames-native-stack'] as const;

/**
 * Nodes from this one on end where they can't make the dump, as a child does that starts in a closed
 * directory: they get the flag on the command line alone, which children do not inherit.
 */
const ENDS_WITHOUT_DUMP_MAJOR = 25;

/**
 * V8 opens a log too with these flags, `isolate-…-v8.log` in the working directory; where it can't,
 * it logs to standard output, into what the program says. `+` is a file that nobody sees.
 * NODE_OPTIONS refuses both, so only a command that is Node itself gets them.
 */
const HIDE_LOG = ['--logfile=+', '--no-logfile-per-isolate'] as const;

/** Whether one of V8's flags makes it state where its code is. */
export function namesCode(word: string): boolean {
  return /^--perf[-_](?:basic[-_])?prof(?:$|=|[-_])/.test(word);
}

export type NodeFlags = {
  /** The command with its environment changed. */
  readonly command: CommandSpec;
  /** Sentences about what was set; empty if nothing was. */
  readonly notes: readonly Text[];
  /** True where V8 writes maps because of what was set: they are ours to remove. */
  readonly causesMaps: boolean;
  /** The name by which the notes of its processes are known; null if they were not asked for any. */
  readonly recordingId: string | null;
  /** The Unix socket where its processes report V8's code; null if they write maps. */
  readonly codeSocket: string | null;
  /**
   * The place of jitdumps that are written because of what was set, to be stored and removed: `.`, the working
   * directory of each process, or the path of a directory; null where none are.
   */
  readonly dumpsIn: string | null;
};

/** A command that gets nothing. */
export function unflagged(command: CommandSpec): NodeFlags {
  return {
    command,
    notes: [],
    causesMaps: false,
    recordingId: null,
    codeSocket: null,
    dumpsIn: null,
  };
}

/** Facts about a command that runs Node. */
export type NodeFacts = {
  readonly command: CommandSpec;
  readonly found: NodeCommand;
  /** Whether the words behind `found.at` are Node's. */
  readonly isNode: boolean;
  /** Null: its file does not report it. */
  readonly version: string | null;
  readonly major: number;
  /** Options in NODE_OPTIONS, and on its command line. */
  readonly inherited: readonly string[];
  readonly own: readonly string[];
  readonly preload: Preload | null;
  readonly isRestricted: boolean;
};

const RESTRICTED =
  'the command restricts what Node may read: its workers, and code that loaders make in memory, ' +
  'stay without names and lines of their own';

/** Lets V8 write a map, or with `wantsDump` a jitdump, of its code. */
export function withV8Flags(
  { command, found, isNode, version, major, inherited, own, preload, isRestricted }: NodeFacts,
  wantsDump: boolean,
  findPlanted: () => string | null,
): NodeFlags {
  const unchanged = unflagged(command);
  const given = [...inherited, ...own];
  if (found.losesOptions && !isNode) {
    const reason = 'the command takes NODE_OPTIONS from Node';
    return { ...unchanged, notes: [`JavaScript may stay without names: ${reason}`] };
  }
  const canLog = isDirectoryWritable(command);
  const isExact = version !== null && major < ENDS_WITHOUT_DUMP_MAJOR;
  const dump = !wantsDump ? null : chooseDump({ given, canLog, isNode, isExact, version });
  const added = missingFlags(found.losesOptions ? [] : inherited, own, dump?.flags ?? V8_FLAGS);
  if (added.length > 0 && !canLog && !isNode) {
    const reason = "V8 would log to standard output, since its log can't be in this directory";
    return { ...unchanged, notes: [`JavaScript may stay without names: ${reason}`] };
  }
  const isOfRoot = (command.user?.uid ?? process.geteuid?.()) === 0;
  const makesMap = added.includes('--perf-basic-prof');
  const planted =
    (isOfRoot && makesMap ? findPlanted() : null) ??
    (isOfRoot && dump?.isMade ? findPlantedDump() : null);
  if (planted !== null) {
    const reason = `${printable(planted)} is a link of another user, and V8 of root's Node would follow it`;
    const cure = 'remove it, and set fs.protected_symlinks to 1';
    return { ...unchanged, notes: [`JavaScript may stay without names: ${reason}; ${cure}`] };
  }
  const inOptions = canLog && !found.losesOptions;
  const options = inOptions ? added : [];
  const hidesLog = isNode && added.length > 0 && !given.some(wantsLog);
  const words = [
    ...(dump?.words ?? []),
    ...(inOptions ? [] : added),
    ...(hidesLog ? HIDE_LOG : []),
  ];
  if (options.length === 0 && words.length === 0 && preload === null) return unchanged;
  const causesMaps = makesMap && !own.some(namesCode);
  const isDumped = dump?.isMade === true;
  const recordingId =
    preload === null ? null : newRecordingId({ maps: causesMaps, dumps: isDumped });
  const session =
    preload === null || recordingId === null ? null : { ...preload, recording: recordingId };
  const behindNode = found.at + 1;
  const where = inOptions ? 'NODE_OPTIONS' : 'node';
  return {
    command: {
      ...command,
      argv: [...command.argv.slice(0, behindNode), ...words, ...command.argv.slice(behindNode)],
      env: withNodeOptions(command.env, options, session),
    },
    notes: [
      ...(added.length === 0 ? [] : [leftAloneBy(`${where} got ${added.join(' ')}`)]),
      ...(dump === null ? [] : [dump.note]),
      ...(isRestricted ? [RESTRICTED] : []),
    ],
    causesMaps,
    recordingId,
    codeSocket: null,
    dumpsIn: isDumped ? '.' : null,
  };
}

/** How a command that was asked for a jitdump gets one. */
type ChosenDump = {
  /** V8's flags, for NODE_OPTIONS. */
  readonly flags: readonly string[];
  /** Arguments on Node's command line, ahead of the command's own. */
  readonly words: readonly string[];
  readonly isMade: boolean;
  readonly note: Text;
};

/** A notice of what perf-ts has added, with the option that leaves it alone. */
export function leftAloneBy(added: string): Text {
  return detail(words`${added}; ${RECORD.nodeFlags.as(false)} leaves it alone`);
}

/** A dump where Node can make it; else the map, and why. */
function chooseDump({
  given,
  canLog,
  isNode,
  isExact,
  version,
}: {
  readonly given: readonly string[];
  readonly canLog: boolean;
  readonly isNode: boolean;
  readonly isExact: boolean;
  readonly version: string | null;
}): ChosenDump {
  const cost =
    'V8 writes all code that it makes to jit-PID.dump in the working directory: 2 MB at the start, ' +
    'some megabytes for each second of compiling; the recording keeps it, and the file is removed';
  const none = { flags: V8_FLAGS, words: [], isMade: false };
  if (!canLog) {
    const reason = 'V8 writes it into the working directory, where the command may not write';
    return { ...none, note: words`${RECORD.jitdump}: no jitdump, a perf map instead: ${reason}` };
  }
  if (given.some((word) => namesCode(word))) {
    const reason = 'the command has a flag for it of its own';
    return {
      ...none,
      note: words`${RECORD.jitdump}: perf-ts leaves V8's names of code alone: ${reason}`,
    };
  }
  if (isExact)
    return { flags: DUMP_FLAGS, words: [], isMade: true, note: words`${RECORD.jitdump}: ${cost}` };
  const node = version === null ? 'this Node, whose version is not known,' : `Node ${version}`;
  if (!isNode) {
    const reason = `${node} ends where a process can't make the file, so that NODE_OPTIONS can't have it`;
    const cure = 'make node the command: node --import tsx app.ts';
    return {
      ...none,
      note: words`${RECORD.jitdump}: no jitdump, a perf map instead: ${reason}; ${cure}`,
    };
  }
  const note = words`${RECORD.jitdump}: ${cost}; children get a perf map, since ${node} ends where it can't make the file`;
  return { flags: V8_FLAGS, words: [DUMP_FLAGS[0]], isMade: true, note };
}

/** `--prof`, `--log-deopt`, `--logfile=…`: the user wants V8's log. */
function wantsLog(word: string): boolean {
  return /^--(?:prof$|log)/.test(word.replaceAll('_', '-'));
}

/**
 * Whether the command's user may make a file in the working directory, where the command starts.
 */
function isDirectoryWritable({ user }: CommandSpec): boolean {
  try {
    if (user === undefined || user.uid === process.geteuid?.()) {
      accessSync('.', constants.W_OK);
      return true;
    }
    const { uid, gid, mode } = statSync('.');
    if (user.uid === 0) return true;
    if (uid === user.uid) return (mode & 0o200) !== 0;
    return (mode & (user.groups.includes(gid) || gid === user.gid ? 0o020 : 0o002)) !== 0;
  } catch {
    return false;
  }
}

/**
 * The flags that NODE_OPTIONS lacks. What stands on the command line itself does not reach
 * children, so it is added all the same, but for what the user decided otherwise: a jitdump,
 * `--no-…`.
 */
function missingFlags(
  inherited: readonly string[],
  own: readonly string[],
  flags: readonly string[],
): string[] {
  const nameOf = (word: string): string => word.replaceAll('_', '-').split('=', 1)[0];
  const others = [...inherited, ...own].map(nameOf);
  return flags.filter((flag) => {
    if (inherited.map(nameOf).includes(flag)) return false;
    if (others.includes(flag.replace('--', '--no-'))) return false;
    return flag !== '--perf-basic-prof' || !others.some(wantsOtherNames);
  });
}

/** Another of V8's ways to name its code. */
function wantsOtherNames(word: string): boolean {
  return namesCode(word) && word !== '--perf-basic-prof';
}
