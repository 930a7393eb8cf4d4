import { NONE } from '../base/brand.ts';
import { Diagnostics } from '../base/diagnostics.ts';
import { getOrMake } from '../base/group-by.ts';
import type { RawTime } from '../base/u64.ts';
import { eachStream } from '../code/jit/code-events.ts';
import { addCallFrame, SCRIPTS } from '../formats/import/call-frame.ts';
import { asNumber } from '../formats/import/json-text.ts';
import { readAppendix } from '../formats/perf-data/appendix.ts';
import { isHeapEvent } from '../profile/wait-event.ts';
import { StoredFiles } from './files/stored-files.ts';
import {
  LOOP_TURNS_ATTACHMENT,
  NODE_NOTES_ATTACHMENT,
  pidOfAttachment,
} from './jit/attachment-names.ts';
import { type HeapNote, MAX_NOTES_BYTES, parseNotes } from './jit/node-notes.ts';
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
  if (!data.attrs.some(isHeapEvent)) return;
  const stored = new StoredFiles(data, diagnostics);
  let room = MOST_SAMPLES;
  for (const { name } of readAppendix(data)) {
    const pid = pidOfAttachment(name, NODE_NOTES_ATTACHMENT);
    const bytes = pid === null ? null : stored.read(name, MAX_NOTES_BYTES);
    if (pid === null || bytes === null) continue;
    const heaps = new Map<number, Heap>();
    // Damage is counted where the other notes are read.
    for (const note of parseNotes(bytes, new Diagnostics())) {
      if (note.kind !== 'heap') continue;
      getOrMake(heaps, note.tid, () => new Heap(pipeline, pid)).take(note);
    }
    if (heaps.size === 0) continue;
    const startNs = startOnClock(stored, data.startTime, pid);
    for (const [tid, heap] of heaps) {
      room = Math.max(0, room - heap.addSamples(tid === 0 ? pid : tid, startNs, room));
    }
  }
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
    for (const { samples, fromNs, toNs } of this.#notes) {
      for (let at = 0; at + 3 <= samples.length; at += 3) {
        const stack = this.#stacks[asNumber(samples[at], NONE)] ?? NONE;
        const bytes = asNumber(samples[at + 1], 0);
        const count = asNumber(samples[at + 2], 0);
        if (!(bytes > 0 && count > 0 && bytes * count < MOST_BYTES)) continue;
        const rows = Number.isInteger(count) && count <= room - added ? count : 1;
        for (let i = 0; i < rows; i++) {
          const timeNs = fromNs - startNs + (toNs - fromNs) * this.#nextPart();
          this.#pipeline.addHeapSample(this.#pid, tid, timeNs, (bytes * count) / rows, stack);
        }
        added += rows;
      }
    }
    return added;
  }
}
