import { NONE } from '../base/brand.ts';
import { Diagnostics } from '../base/diagnostics.ts';
import { getOrMake } from '../base/group-by.ts';
import type { RawTime } from '../base/u64.ts';
import { eachStream } from '../code/jit/code-events.ts';
import { addCallFrame, SCRIPTS } from '../formats/import/call-frame.ts';
import { asNumber } from '../formats/import/json-text.ts';
import { readAppendix } from '../formats/perf-data/appendix.ts';
import type { PerfData } from '../formats/perf-data/reader.ts';
import { isHeapEvent } from '../profile/wait-event.ts';
import { StoredFiles } from './files/stored-files.ts';
import {
  LOOP_TURNS_ATTACHMENT,
  NODE_NOTES_ATTACHMENT,
  pidOfAttachment,
} from './jit/attachment-names.ts';
import { type HeapNote, MAX_NOTES_BYTES, type NodeNote, parseNotes } from './jit/node-notes.ts';
import type { Pipeline } from './pipeline.ts';

/** A terabyte of allocations. Beyond, the samples of one stack and size in a note are one: a short note can tell of any number. */
const MOST_SAMPLES = 4_000_000;
/** Frames of functions without an address lie above the kernel's half and below all code. */
const NO_ADDRESS_BASE = -(2 ** 52);
/** No allocation is larger. */
const MOST_BYTES = 2 ** 53;

/**
 * Adds what V8 has sampled of the heaps of recorded Node processes to the samples of the recording's event for it, with the
 * functions by which V8 names code of the processes. Of a sample it is known in which half second it was taken: those of a note
 * are spread over its time, in no order.
 */
export function addHeapSamples(pipeline: Pipeline): void {
  const { data, diagnostics } = pipeline;
  const stored = new StoredFiles(data, diagnostics);
  let room = MOST_SAMPLES;
  for (const { pid, notes } of heapNotes(data, stored)) {
    const heaps = new Map<number, Heap>();
    for (const note of notes) {
      if (note.kind === 'heapLeft')
        diagnostics.count('heap-left-to-program', `tid ${note.tid || pid}`);
      else getOrMake(heaps, note.tid, () => new Heap(pipeline, pid)).take(note);
    }
    const startNs = startOnClock(stored, data.startTime, pid);
    for (const [tid, heap] of heaps) {
      room = Math.max(0, room - heap.addSamples(tid === 0 ? pid : tid, startNs, room));
    }
  }
}

/** The number of samples that V8 took of the heaps of a recording's processes, as a profile has them. */
export function countHeapSamples(data: PerfData): number {
  let samples = 0;
  for (const { notes } of heapNotes(data, new StoredFiles(data, new Diagnostics()))) {
    const ofThread = new Map<number, number>();
    for (const note of notes) {
      if (note.kind === 'heapLeft') continue;
      let own = note.of === 'live' ? 0 : (ofThread.get(note.tid) ?? 0);
      for (const { rows } of samplesOf(note, MOST_SAMPLES - samples)) own += rows;
      ofThread.set(note.tid, own);
    }
    for (const own of ofThread.values()) samples += own;
  }
  return samples;
}

/** The samples of a note, by node: the bytes that they stand for together, and the rows that they become, one each up to `room`. */
function* samplesOf({ samples }: HeapNote, room: number) {
  for (let at = 0; at + 3 <= samples.length; at += 3) {
    const count = asNumber(samples[at + 2], 0);
    const bytes = asNumber(samples[at + 1], 0) * count;
    if (!(bytes > 0 && count > 0 && bytes < MOST_BYTES)) continue;
    const rows = Number.isInteger(count) && count <= room ? count : 1;
    room -= rows;
    yield { node: asNumber(samples[at], NONE), bytes, rows };
  }
}

/** The notes of heaps, by process. Damage is counted where the other notes are read. */
function* heapNotes(data: PerfData, stored: StoredFiles) {
  if (!data.attrs.some(isHeapEvent)) return;
  for (const { name } of readAppendix(data)) {
    const pid = pidOfAttachment(name, NODE_NOTES_ATTACHMENT);
    const bytes = pid === null ? null : stored.read(name, MAX_NOTES_BYTES);
    if (pid === null || bytes === null) continue;
    const notes = parseNotes(bytes, new Diagnostics()).filter(isOfHeap);
    if (notes.length > 0) yield { pid, notes };
  }
}

function isOfHeap(note: NodeNote) {
  return note.kind === 'heap' || note.kind === 'heapLeft';
}

/** The time on CLOCK_MONOTONIC at which the recording starts: another than its own where it has another clock. */
function startOnClock(stored: StoredFiles, startTime: RawTime, pid: number): number {
  const bytes = stored.read(`${LOOP_TURNS_ATTACHMENT}${pid}`, MAX_NOTES_BYTES);
  let start = startTime;
  if (bytes !== null) {
    eachStream(bytes, startTime, (_first, _end, origin) => {
      start = origin;
      return false;
    });
  }
  return start.high * 2 ** 32 + (start.low >>> 0);
}

/** The heap of a thread. */
class Heap {
  readonly #pipeline: Pipeline;
  readonly #pid: number;
  readonly #functions: object[] = [];
  /** Stack row by node. */
  readonly #stacks: number[] = [];
  #notes: HeapNote[] = [];
  #seed = 0;

  constructor(pipeline: Pipeline, pid: number) {
    this.#pipeline = pipeline;
    this.#pid = pid;
  }

  take(note: HeapNote): void {
    const { functions, nodes } = note;
    for (let at = 0; at + 4 <= functions.length; at += 4) {
      const [functionName, url, line, column] = functions.slice(at, at + 4);
      const [lineNumber, columnNumber] = [asNumber(line, 0) - 1, asNumber(column, 0) - 1];
      this.#functions.push({ functionName, url, lineNumber, columnNumber });
    }
    for (let at = 0; at + 2 <= nodes.length; at += 2) {
      const caller = this.#stacks[asNumber(nodes[at], NONE)] ?? NONE;
      const frame = this.#functions[asNumber(nodes[at + 1], NONE)];
      this.#stacks.push(addCallFrame(this, caller, frame));
    }
    // What is live now is all of it.
    if (note.of === 'live') this.#notes = [];
    this.#notes.push(note);
  }

  /** A frame of `addCallFrame`: functions of scripts are those of the code that the process made. */
  stack(prefix: number, name: string, dso: string | null): number {
    const { builder, processes } = this.#pipeline;
    const { strings, funcs, frames, stacks } = builder;
    const row = dso === SCRIPTS ? processes.dsos.intern({ kind: 'jit', pid: this.#pid }) : NONE;
    const func = funcs.intern(strings.intern(name), row);
    const frame = frames.intern(row, NO_ADDRESS_BASE - func, 0);
    frames.setFunc(frame, func);
    return stacks.intern(prefix, frame);
  }

  /** A part of 1, in no order, and the same whenever the recording is read. */
  #nextPart(): number {
    this.#seed = (Math.imul(this.#seed, 1_664_525) + 1_013_904_223) >>> 0;
    return this.#seed / 2 ** 32;
  }

  /** Returns how many were added: each by itself up to `room` of them. */
  addSamples(tid: number, startNs: number, room: number): number {
    let added = 0;
    for (const note of this.#notes) {
      const { fromNs, toNs } = note;
      for (const { node, bytes, rows } of samplesOf(note, room - added)) {
        const stack = this.#stacks[node] ?? NONE;
        for (let i = 0; i < rows; i++) {
          const timeNs = fromNs - startNs + (toNs - fromNs) * this.#nextPart();
          this.#pipeline.addHeapSample(this.#pid, tid, timeNs, bytes / rows, stack);
        }
        added += rows;
      }
    }
    return added;
  }
}
