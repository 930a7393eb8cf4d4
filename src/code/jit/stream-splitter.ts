// Hot: once per record.

import { ByteBlocks } from '../../base/byte-blocks.ts';
import { copyBytes } from '../../base/join-bytes.ts';
import {
  CODE_EVENT,
  type CodeRecord,
  MOST_CODE_RECORD_BYTES,
  MOST_NAME_BYTES,
  RECORD_BYTES,
} from './code-record.ts';
import { StreamCutter } from './stream-cutter.ts';

/** A longer note or source map stays in the stream, where nobody looks at it: what a loader makes is shorter. */
const MOST_RECORD_BYTES = (16 << 20) + 4096;
/** Ends of lines of a script of a million lines; those of a longer one are nobody's to see. */
const MOST_LINES_BYTES = 1 << 20;
const FIRST_NAME_BYTES = 512;

const TAKEN_OUT: ReadonlySet<number> = new Set([
  CODE_EVENT.NOTE,
  CODE_EVENT.SOURCE_MAP,
  CODE_EVENT.TURN,
  CODE_EVENT.SHORT_TURNS,
  CODE_EVENT.MARK,
  CODE_EVENT.MARK_END,
  CODE_EVENT.CONTEXTS,
  CODE_EVENT.ARM,
  CODE_EVENT.WORK,
  CODE_EVENT.ASYNC_STACK,
  CODE_EVENT.ANSWER,
  CODE_EVENT.WORK_STACK,
]);

/** Called as records of a stream come; the bytes are valid during the call. */
export type StreamEvents = {
  /** `name`: of code, as V8 spells it. */
  readonly onName: (name: Uint8Array) => void;
  /** V8's number `script` is met for the first time, with the code added last of that `name`. */
  readonly onScript?: (script: number, name: Uint8Array) => void;
  /**
   * `url`: the source map, `data:…`, inside the script of the code added last, which is V8's number `script`; `name`: of that code, empty
   * where it is too long.
   */
  readonly onSourceMap: (script: number, name: Uint8Array, url: Uint8Array) => void;
  /** The isolate's thread wants signals of its samples, or no more. `tid`: its number in its own namespace. */
  readonly onArm?: (tid: number, isOn: boolean) => void;
  /** The isolate has sent all that was there when it was asked `question`. */
  readonly onAnswer?: (question: number) => void;
};

/**
 * Takes the stream of one isolate (`code-record.ts` has its layout) apart as its bytes come: at the end of a recording
 * nothing is left to do. All that is damaged, and what comes behind it, stays in `code`; a record that is not whole yet is
 * in no part.
 */
export class StreamSplitter {
  /** The stream without what is kept in other forms. */
  readonly code = new ByteBlocks();
  /** Notes, a line of JSON each. */
  readonly notes = new ByteBlocks();
  /** A stream of the event loop's turns and of marks alone; empty where there are none. */
  readonly turns = new ByteBlocks();
  readonly #events: StreamEvents;
  readonly #cutter: StreamCutter;
  #header: Uint8Array | null = null;
  /** Name of the code added last. */
  #name = new Uint8Array(FIRST_NAME_BYTES);
  #nameSize = 0;

  constructor(events: StreamEvents) {
    this.#events = events;
    this.#cutter = new StreamCutter({
      judge: (record) => this.#judge(record),
      take: (record, bytes) => this.#take(record, bytes),
      pass: (bytes, from, to) => {
        this.#header ??= bytes.slice(from, to);
        this.code.add(bytes, from, to);
      },
    });
  }

  /** Takes what came next. */
  take(bytes: Uint8Array): void {
    this.#cutter.take(bytes);
  }

  /** A record is read whole where it is named or taken out, and not too long for that. */
  #judge({ type, size }: CodeRecord): 'whole' | 'passed' {
    if (type === CODE_EVENT.ADDED) {
      if (size <= MOST_CODE_RECORD_BYTES) return 'whole';
      this.#nameSize = 0;
      return 'passed';
    }
    if (type === CODE_EVENT.LINE_ENDS) return size <= MOST_LINES_BYTES ? 'whole' : 'passed';
    return TAKEN_OUT.has(type) && size <= MOST_RECORD_BYTES ? 'whole' : 'passed';
  }

  #take(record: CodeRecord, bytes: Uint8Array): 'stays' | 'taken' {
    const { type, at, end, textAt, textSize } = record;
    if (type === CODE_EVENT.ADDED) {
      this.#keepName(bytes, textAt, textSize);
      return 'stays';
    }
    const name = this.#name.subarray(0, this.#nameSize);
    if (type === CODE_EVENT.LINE_ENDS) {
      this.#events.onScript?.(record.script, name);
      return 'stays';
    }
    if (type === CODE_EVENT.NOTE) this.notes.add(bytes, textAt, end);
    else if (type === CODE_EVENT.SOURCE_MAP) {
      this.#events.onSourceMap(record.script, name, bytes.subarray(textAt, textAt + textSize));
    } else if (type === CODE_EVENT.ARM) {
      const body = new DataView(bytes.buffer, bytes.byteOffset + at + RECORD_BYTES);
      this.#events.onArm?.(body.getUint32(0, true), body.getUint32(4, true) === 1);
    } else if (type === CODE_EVENT.ANSWER) {
      this.#events.onAnswer?.(new DataView(bytes.buffer, bytes.byteOffset + at).getUint16(6, true));
    } else {
      if (this.turns.length === 0 && this.#header !== null) this.turns.add(this.#header);
      this.turns.add(bytes, at, end);
    }
    return 'taken';
  }

  #keepName(bytes: Uint8Array, textAt: number, textSize: number): void {
    if (textSize > this.#name.length) this.#name = new Uint8Array(MOST_NAME_BYTES);
    this.#nameSize = textSize > MOST_NAME_BYTES ? 0 : textSize;
    copyBytes(bytes, textAt, this.#nameSize, this.#name, 0);
    this.#events.onName(bytes.subarray(textAt, textAt + textSize));
  }
}
