import { basename } from 'node:path';
import { textOfBytes } from '../../base/byte-text.ts';
import { memoize } from '../../base/memoize.ts';
import { type Text, words } from '../../base/words.ts';
import type { WrittenAttachment } from '../../formats/perf-data/appendix.ts';
import { scanRecords } from '../../formats/perf-data/scan-records.ts';
import { RECORD } from '../../options/record.ts';
import { isAlive, MS_PER_TICK, readStat, STAT_FIELD } from '../../system/processes/thread-stat.ts';
import { forbidsInspector } from '../../system/runtimes/attached-runtimes.ts';
import { findHeldNode, identifyNode, NODE } from '../../system/runtimes/node-program.ts';
import { pidsWithCode } from './node-files.ts';

/** Offsets in an MMAP2, behind its header: pid, tid, address, length, offset, device and inode, prot, flags. */
const PID_OFFSET = 8;
const FILE_NAME_OFFSET = 72;
/** The kernel's name of executable memory of no file. */
const ANONYMOUS = '//anon';
/** Files on disk and the kernel's pages. Other executable memory may have code that no file has, also memory by two mappings. */
const FILE_OR_KERNEL =
  /^(?:\/(?!\/|dev\/|memfd:)(?!.* \(deleted\)$)|\[(?:vdso|vsyscall|uprobes)\]$)/s;
/** No more of them are listed. */
const MOST_PIDS = 3;
/** Time for looking at programs and command lines, of which thousands may have been mapped; the first is always looked at. */
const MOST_MS = 500;
/** CPU time after which a Node has come to its preload: some 40 ms, of which the kernel counts ticks. */
const BEGUN_MS = 250;

/** Mappings of processes while they were recorded, by their pids. */
export type MappedNode = {
  /** Paths of programs called `node`. */
  readonly programs: ReadonlyMap<number, string>;
  /** The first file of every other process: its program. */
  readonly others: ReadonlyMap<number, string>;
  /** Processes that made code: `node --version` does not. */
  readonly withCode: ReadonlySet<number>;
  readonly withDump: ReadonlySet<number>;
  /** Whether any process has memory for code that is not of a file, without which none has JIT code. */
  readonly hasCodeMemory: boolean;
};

/** Finds that among the MMAP2 records `codeMappings`. */
export function findMappedNode(codeMappings: Uint8Array): MappedNode {
  const programs = new Map<number, string>();
  const others = new Map<number, string>();
  const withCode = new Set<number>();
  const withDump = new Set<number>();
  let hasCodeMemory = false;
  const bytes = Buffer.from(codeMappings.buffer, codeMappings.byteOffset, codeMappings.length);
  /** Paths by their bytes: thousands of processes map few files. */
  const paths = new Map<string, string>();
  scanRecords(codeMappings, (view, offset, size) => {
    const pid = view.getInt32(offset + PID_OFFSET, true);
    const field = bytes.subarray(offset + FILE_NAME_OFFSET, offset + size);
    const raw = field.subarray(0, field.indexOf(0)).toString('latin1');
    const path = paths.get(raw) ?? textOfBytes(field.subarray(0, field.indexOf(0)));
    paths.set(raw, path);
    const name = basename(path);
    hasCodeMemory ||= !FILE_OR_KERNEL.test(path);
    if (path === ANONYMOUS) withCode.add(pid);
    else if (NODE.test(name)) programs.set(pid, path);
    else if (/^jit-\d+\.dump$/.test(name)) withDump.add(pid);
    else if (path.startsWith('/') && !others.has(pid)) others.set(pid, path);
  });
  return { programs, others, withCode, withDump, hasCodeMemory };
}

/** How processes are looked at; for tests. */
export type Looks = {
  readonly identify: typeof identifyNode;
  readonly findHeld: typeof findHeldNode;
  /** Words of the command line of a process; empty where it is gone. */
  readonly wordsOf: (pid: number) => Promise<readonly string[]>;
  /** CPU time that a process has had, in milliseconds; null where it has ended. */
  readonly cpuMsOf: (pid: number) => number | null;
};

/**
 * Explains what is missing of Node processes that a command started without V8's map, in one sentence;
 * null if nothing is. `areFlagsSet`: NODE_OPTIONS had what names code, and it did not arrive.
 */
export async function explainUnmappedNode(
  { programs, others, withCode, withDump }: MappedNode,
  namedPids: ReadonlySet<number>,
  areFlagsSet: boolean,
  { identify, findHeld, wordsOf, cpuMsOf }: Looks,
): Promise<Text | null> {
  const unnamed = (pid: number): boolean =>
    withCode.has(pid) && !withDump.has(pid) && !namedPids.has(pid) && hasBegun(pid);
  // A recording that ends early may see a Node that has not come to its preload yet.
  const hasBegun = (pid: number): boolean => (cpuMsOf(pid) ?? BEGUN_MS) >= BEGUN_MS;
  // Each look reads most of a program.
  const isNode = memoize((path: string) => identify(path).kind === 'node');
  const holdsNode = memoize((path: string) => findHeld(path) !== null);
  const endMs = performance.now() + MOST_MS;
  const pids: number[] = [];
  let mayBeAsked = false;
  for (const [pid, path] of programs) {
    if (!unnamed(pid) || !isNode(path)) continue;
    const given = await wordsOf(pid);
    if (!isWatcher(given)) pids.push(pid);
    mayBeAsked ||= !forbidsInspector(given);
    if (performance.now() > endMs) break;
  }
  for (const [pid, path] of others) {
    if (unnamed(pid) && !programs.has(pid) && holdsNode(path)) {
      pids.push(pid);
      mayBeAsked = true;
    }
    if (performance.now() > endMs) break;
  }
  if (pids.length === 0) return null;
  const listed = pids.slice(0, MOST_PIDS).join(', ') + (pids.length > MOST_PIDS ? ' …' : '');
  const who = pids.length === 1 ? `process ${listed}` : `${pids.length} processes (${listed})`;
  const missing = 'so that its JavaScript has no names';
  if (!mayBeAsked) {
    return words`${who} ran Node under its permission model, ${missing}: record with ${RECORD.nodeFlags.as(true)}`;
  }
  return areFlagsSet
    ? words`${who} ran Node without perf-ts's preload, ${missing}: what started it replaced NODE_OPTIONS, or left it out; a script can add to it: NODE_OPTIONS="$NODE_OPTIONS --max-old-space-size=4096", or ${RECORD.attachJs.as(true)} asks it through its inspector`
    : words`${who} ran Node without perf-ts's preload, ${missing}: record with ${RECORD.nodeFlags.as(true)}, or with ${RECORD.attachJs.as(true)} where what starts it gives it another environment`;
}

/** `node --watch` starts the program as a child, and runs no JavaScript of the user's itself. */
function isWatcher(words: readonly string[]): boolean {
  const end = words.findIndex((word, index) => index > 0 && !word.startsWith('-'));
  return words.slice(1, end < 0 ? undefined : end).some((word) => /^--watch(?:$|[-=])/.test(word));
}

/**
 * Finds Node processes whose code has no names, by the mappings and the attachments of a recording; `command`: the words of its process, and processes that
 * were asked for their code, of which nothing more is said.
 */
export function findUnmappedNode(
  codeMappings: Uint8Array,
  attachments: readonly WrittenAttachment[],
  areFlagsSet: boolean,
  command: {
    readonly pid: number;
    readonly words: readonly string[];
    readonly asked: ReadonlySet<number>;
    readonly wordsOf: Looks['wordsOf'];
  },
): Promise<Text | null> {
  const found = findMappedNode(codeMappings);
  const named = new Set([...pidsWithCode(attachments), ...command.asked]);
  return explainUnmappedNode(found, named, areFlagsSet, {
    identify: identifyNode,
    findHeld: findHeldNode,
    cpuMsOf: readCpuMs,
    wordsOf: async (pid) => {
      const met = await command.wordsOf(pid);
      // It may be gone by now.
      return met.length <= 1 && pid === command.pid ? command.words : met;
    },
  });
}

function readCpuMs(pid: number): number | null {
  const stat = readStat(pid);
  if (stat === null || isAlive(pid) !== true) return null;
  const [user, system] = stat.slice(STAT_FIELD.userTicks).map(Number);
  return (user + system) * MS_PER_TICK;
}
