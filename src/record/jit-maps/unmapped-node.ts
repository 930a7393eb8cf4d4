import { basename } from 'node:path';
import { textOfBytes } from '../../base/byte-text.ts';
import type { Attachment } from '../../formats/perf-data/appendix.ts';
import { scanRecords } from '../../formats/perf-data/scan-records.ts';
import { NODE } from '../../system/launch/node-in-shell.ts';
import { identifyNode } from '../../system/launch/node-program.ts';
import { V8_FLAGS } from '../../system/launch/v8-flags.ts';
import { pidsWithCode } from './node-files.ts';

/** In an MMAP2, behind its header: pid, tid, address, length, offset, device and inode, prot, flags. */
const PID_OFFSET = 8;
const FILE_NAME_OFFSET = 72;
/** The kernel's name of executable memory of no file. */
const ANONYMOUS = '//anon';
/** No more of them are listed. */
const MOST_PIDS = 3;

/** Mappings of processes while they were recorded, by their pids. */
export type MappedNode = {
  /** Paths of programs called `node`. */
  readonly programs: ReadonlyMap<number, string>;
  /** Those that made code: `node --version` does not. */
  readonly withCode: ReadonlySet<number>;
  readonly withDump: ReadonlySet<number>;
};

/** Finds that among the MMAP2 records `codeMappings`. */
export function findMappedNode(codeMappings: Uint8Array): MappedNode {
  const programs = new Map<number, string>();
  const withCode = new Set<number>();
  const withDump = new Set<number>();
  scanRecords(codeMappings, (view, offset, size) => {
    const pid = view.getInt32(offset + PID_OFFSET, true);
    const bytes = codeMappings.subarray(0, offset + size);
    const start = offset + FILE_NAME_OFFSET;
    const path = textOfBytes(bytes.subarray(start, bytes.indexOf(0, start)));
    const name = basename(path);
    if (path === ANONYMOUS) withCode.add(pid);
    else if (NODE.test(name)) programs.set(pid, path);
    else if (/^jit-\d+\.dump$/.test(name)) withDump.add(pid);
  });
  return { programs, withCode, withDump };
}

/**
 * Explains what is missing of Node processes that a command started without V8's map, in one sentence;
 * null if nothing is. `areFlagsSet`: NODE_OPTIONS had the flags, and they did not arrive.
 */
export function explainUnmappedNode(
  { programs, withCode, withDump }: MappedNode,
  mappedPids: ReadonlySet<number>,
  areFlagsSet: boolean,
  identify: typeof identifyNode = identifyNode,
): string | null {
  const pids = [...programs.keys()].filter(
    (pid) =>
      withCode.has(pid) &&
      !withDump.has(pid) &&
      !mappedPids.has(pid) &&
      identify(programs.get(pid)!).kind === 'node',
  );
  if (pids.length === 0) return null;
  const listed = pids.slice(0, MOST_PIDS).join(', ') + (pids.length > MOST_PIDS ? ' …' : '');
  const who = pids.length === 1 ? `process ${listed}` : `${pids.length} processes (${listed})`;
  const cure = areFlagsSet
    ? `start it with: node ${V8_FLAGS.join(' ')}`
    : 'record with --node-flags';
  return `${who} ran Node without V8's perf map, so that its JavaScript has no names: ${cure}`;
}

/** The same of the mappings and the attachments of a recording. */
export function findUnmappedNode(
  codeMappings: Uint8Array,
  attachments: readonly Attachment[],
  areFlagsSet: boolean,
): string | null {
  const found = findMappedNode(codeMappings);
  return explainUnmappedNode(found, pidsWithCode(attachments), areFlagsSet);
}
