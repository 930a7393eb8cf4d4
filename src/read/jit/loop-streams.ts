import { NONE } from '../../base/brand.ts';
import { Diagnostics } from '../../base/diagnostics.ts';
import { getOrMake } from '../../base/group-by.ts';
import type { RawTime } from '../../base/u64.ts';
import { eachStream } from '../../code/jit/code-events.ts';
import { CodeRecord, isStreamAt, STREAM_HEADER_BYTES } from '../../code/jit/code-record.ts';
import { readAppendix } from '../../formats/perf-data/appendix.ts';
import type { PerfData } from '../../formats/perf-data/reader.ts';
import type { MarkTable } from '../../profile/mark-table.ts';
import type { TurnLoop, TurnTable } from '../../profile/turn-table.ts';
import type { ProfileThread } from '../../profile/types.ts';
import { StoredFiles } from '../files/stored-files.ts';
import { AskedWork } from './asked-work.ts';
import {
  LOOP_TURNS_ATTACHMENT,
  POOL_WORK_ATTACHMENT,
  pidOfAttachment,
} from './attachment-names.ts';
import { ContextTableBuilder } from './contexts.ts';
import { TurnTableBuilder } from './loop-turns.ts';
import type { LoopVisitor } from './loop-visitor.ts';
import { MarkTableBuilder } from './marks.ts';
import { decodePoolSamples, PoolSamples, WorkLog, workInSamples } from './pool-work.ts';

/** More than any loop writes in a day. */
const MOST_TURN_BYTES = 2 ** 28;
const MOST_LOOPS = 10_000;

/** The bytes that a process sent of its event loops. */
export type LoopStreams = { readonly pid: number; readonly bytes: Uint8Array };

/** The streams of event loops that a recording keeps, with their turns and marks. */
export function readLoopStreams(data: PerfData, diagnostics: Diagnostics): LoopStreams[] {
  const stored = new StoredFiles(data, diagnostics);
  return readAppendix(data).flatMap(({ name }): LoopStreams[] => {
    const pid = pidOfAttachment(name, LOOP_TURNS_ATTACHMENT);
    const bytes = pid === null ? null : stored.read(name, MOST_TURN_BYTES);
    return pid === null || bytes === null ? [] : [{ pid, bytes }];
  });
}

/** The work of samples of libuv's pool that a recording keeps, see `PoolSamples`; null: it is known of none. */
export function readPoolSamples(data: PerfData, diagnostics: Diagnostics): Uint8Array | null {
  return new StoredFiles(data, diagnostics).read(POOL_WORK_ATTACHMENT, MOST_TURN_BYTES);
}

/** Finds the work that samples of libuv's pool were taken in; null where no work was noted. */
export function openPoolSamples(data: PerfData): PoolSamples | null {
  const { startTime, diagnostics } = data;
  return poolSamplesOf(readLoopStreams(data, diagnostics), startTime, diagnostics);
}

/** The same for these streams. */
export function poolSamplesOf(
  processes: readonly LoopStreams[],
  startTime: RawTime,
  diagnostics: Diagnostics,
): PoolSamples | null {
  const log = readWork(processes, startTime, diagnostics);
  return log.length === 0 ? null : new PoolSamples(startTime, log);
}

function readWork(
  processes: readonly LoopStreams[],
  startTime: RawTime,
  diagnostics: Diagnostics,
): WorkLog {
  const log = new WorkLog();
  visitLoops(processes, startTime, () => NONE, diagnostics, [log]);
  return log;
}

/**
 * The calls in which the work was asked for that samples of libuv's pool were taken in; null where it is not known. `sampled`: of
 * `readPoolSamples`, null: which work that is comes out as samples are read.
 */
export function openAskedWork(data: PerfData, sampled: Uint8Array | null): AskedWork | null {
  // Damage is counted where the tables of the profile are read.
  const unheard = new Diagnostics();
  const log = readWork(readLoopStreams(data, unheard), data.startTime, unheard);
  if (log.length === 0) return null;
  return new AskedWork(log, sampled === null ? Array(log.length).keys() : workInSamples(sampled));
}

/** Turns and marks of event loops; null where they have none. */
export type LoopTables = {
  readonly turns: TurnTable | null;
  readonly marks: MarkTable | null;
};

/**
 * Decodes the turns and the marks of event loops. The processes' bytes are streams of `code-record.ts`, in frames of
 * `code-events.ts`. `endNs`: the end of marks that are open. `poolSamples`: of `readPoolSamples`.
 */
export function decodeLoops(
  processes: readonly LoopStreams[],
  startTime: RawTime,
  threads: readonly ProfileThread[],
  endNs: number,
  diagnostics: Diagnostics,
  poolSamples: Uint8Array | null = null,
): LoopTables {
  const turns = new TurnTableBuilder();
  const marks = new MarkTableBuilder();
  const contexts = new ContextTableBuilder(marks);
  // The thread in the program that a process ran last has the loop: the shell before it has none.
  const rows = new Map(
    processes.length === 0 ? [] : threads.map(({ pid, tid }, row) => [`${pid} ${tid}`, row]),
  );
  const threadOf = (pid: number, tid: number) => rows.get(`${pid} ${tid}`) ?? NONE;
  visitLoops(processes, startTime, threadOf, diagnostics, [turns, marks, contexts]);
  const table = marks.finish(endNs);
  const noted = contexts.finish();
  if (table === null || noted === null) return { turns: turns.finish(), marks: table };
  const { asyncStacks } = contexts;
  const loops = [...table.loops];
  const rowOfThread = new Map<number, number>();
  const loopOf = (pid: number, tid: number): number => {
    const thread = threadOf(pid, tid);
    const add = () => loops.push({ thread, pid, tid, source: 'library' }) - 1;
    return getOrMake(rowOfThread, thread, add);
  };
  const pool =
    poolSamples &&
    decodePoolSamples(poolSamples, startTime, (row) => contexts.requestOfWork(row), loopOf);
  return {
    turns: turns.finish(),
    marks: {
      ...table,
      loops,
      contexts: noted,
      ...(pool !== null && { pool }),
      ...(asyncStacks.length > 0 && { asyncStacks }),
    },
  };
}

/** Visits the loops of the processes, and counts damaged ones. */
export function visitLoops(
  processes: readonly LoopStreams[],
  startTime: RawTime,
  threadOf: (pid: number, tid: number) => number,
  diagnostics: Diagnostics,
  visitors: readonly LoopVisitor[],
): void {
  let loops = 0;
  const record = new CodeRecord();
  for (const { pid, bytes } of processes) {
    const loopOf = (ownPid: number, ownTid: number): TurnLoop => {
      // The main thread has the number of its process, in whatever namespace that is counted.
      const tid = ownTid === ownPid ? pid : ownTid;
      return { thread: threadOf(pid, tid), pid, tid, source: 'library' };
    };
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const isWhole = eachStream(bytes, startTime, (first, end, origin) => {
      if (end - first < STREAM_HEADER_BYTES || !isStreamAt(bytes, first)) return false;
      if (loops++ === MOST_LOOPS) return false;
      const loop = loopOf(view.getUint32(first + 8, true), view.getUint32(first + 12, true));
      for (const visitor of visitors) visitor.begin(loop);
      for (let at = first + STREAM_HEADER_BYTES; ; at = record.end) {
        const state = record.read(view, at, end);
        if (state !== 'whole') return state === 'cut';
        for (const visitor of visitors) visitor.take(view, record, origin);
      }
    });
    if (!isWhole) diagnostics.count('code-events-damaged');
  }
}
