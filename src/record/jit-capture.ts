import { describeError } from '../base/system-error.ts';
import { encodeAppendix } from '../formats/perf-data/appendix.ts';
import { CLOCK_IDS } from '../kernel/perf-event/clock-ids.ts';
import type { CodeMapped } from '../native/types.ts';
import type { RecordSettings } from '../options/record.ts';
import { NOTES_FOLDER } from '../read/jit/node-notes.ts';
import { hasPreload } from '../system/runtimes/node-session.ts';
import { silentPlaces } from '../system/strangers/silent-places.ts';
import { AttachedProcesses } from './code-events/attached-processes.ts';
import type { CodeEventSink } from './code-events/code-event-sink.ts';
import { LateNodes } from './code-events/late-nodes.ts';
import { HeldNotes } from './jit-maps/held-notes.ts';
import {
  type JitAttachments,
  takeJitAttachments,
  watchJitFiles,
} from './jit-maps/jit-attachments.ts';
import { MetWords } from './jit-maps/met-words.ts';
import { findMappedNode, findUnmappedNode } from './jit-maps/unmapped-node.ts';
import { AttachmentPacking } from './output/packed-attachment.ts';
import { RecordingFile } from './output/recording-file.ts';
import type { OpenedRecording } from './recording-parts.ts';

/**
 * Captures the names of JIT code while a recording runs: perf maps and jitdumps that programs write, V8's code events
 * that they send, and running processes that are asked to send them.
 *
 *     attach ─ start ─ take(false) … ─ end ─ removeStored ─ close
 */
export class JitCapture {
  readonly #opened: OpenedRecording;
  readonly #options: RecordSettings;
  readonly #files: ReturnType<typeof watchJitFiles>;
  readonly #held = new HeldNotes();
  /** Receives V8's code from the programs; null if they do not report it. */
  readonly #code: CodeEventSink | null;
  /** Running processes that are asked for their code; null where none are. */
  #attaching: AttachedProcesses | null = null;
  /** Nodes that begin without the preload; null where they are not to be asked. */
  #late: LateNodes | null = null;
  #attachingLate: AttachedProcesses | null = null;
  /** Null where no command was given variables that its Nodes may lack. */
  readonly #words: MetWords | null;
  /** Mappings of code that came faster than they were looked at. */
  #unmet = 0;

  constructor(
    opened: OpenedRecording,
    options: RecordSettings,
    code: CodeEventSink | null,
    startedMs: number,
  ) {
    const { session, features } = opened;
    this.#opened = opened;
    this.#options = options;
    this.#code = code;
    this.#words = session.target.kind === 'command' && code !== null ? new MetWords() : null;
    const readClock = () => features.readClockPair(CLOCK_IDS[features.clock]);
    const hearsOfCode = opened.output instanceof RecordingFile;
    this.#files = watchJitFiles(session, readClock, startedMs, hearsOfCode);
  }

  /**
   * The appendix that the recording would have if it ended now; empty where no program announces its code to it. It is read
   * once, and not deflated: a page asks for it each second.
   */
  appendixSoFar(): Uint8Array {
    if (this.#code === null) return new Uint8Array();
    const { attachments } = this.take(false, new AttachmentPacking(0));
    return attachments.length === 0 ? new Uint8Array() : Buffer.concat(encodeAppendix(attachments));
  }

  /** Asks running Node processes for their code. Resolves when sampling may begin: see `AttachedProcesses`. */
  async attach(onWait: (pid: number | null) => void, giveUp?: AbortSignal): Promise<void> {
    await silentPlaces.settle([NOTES_FOLDER]);
    const { target } = this.#opened.session;
    const code = this.#code;
    if (code === null) return;
    const byInspector = this.#options.attachJs === true;
    const { notify } = this.#opened.features;
    const options = { socket: code.name, byInspector, notify };
    const running = target.kind === 'processes' ? target.pids : [];
    if (target.kind === 'processes') {
      this.#held.hold(running);
      this.#attaching = new AttachedProcesses({ ...options, pids: running, onWait });
    }
    if (byInspector && target.kind !== 'system') {
      this.#late = new LateNodes(running, code);
      const pids = this.#late.pids(this.#attaching?.asked ?? Promise.resolve());
      const late = { ...options, pids, isLate: true, onWait: () => {} };
      this.#attachingLate = new AttachedProcesses(late);
    }
    await this.#attaching?.begin(giveUp);
  }

  /** Sees the MMAP2 records that have come since `sinceNs`. */
  meet({ records, leftOut, sinceNs }: CodeMapped): void {
    this.#unmet += leftOut;
    const found = findMappedNode(records);
    this.#files.maps.meet(found, sinceNs);
    this.#late?.meet(found);
    this.#words?.meet(found, (pid) => this.#code?.has(pid) === true);
  }

  start(): void {
    this.#files.maps.start();
    this.#files.dumps.start();
  }

  /** The files and events so far. `finish`: nothing is sampled any more. */
  take(finish: boolean, packed?: AttachmentPacking): JitAttachments {
    const announced = (packing: AttachmentPacking) => this.#code?.attachments(packing) ?? [];
    const { maps, dumps, notes } = this.#files;
    const { notify } = this.#opened.features;
    const given = { ...notes, heldNotes: this.#held };
    return takeJitAttachments(maps, announced, dumps, finish, notify, given, packed);
  }

  /** Waits for the code that programs have compiled until now, and announce; a second at most. One call at a time. */
  async catchUp(): Promise<void> {
    await this.#code?.catchUp();
  }

  /**
   * All of it, as far as it is there in time, and a notice on Node processes that gave nothing. Never rejects.
   * `dataEnd`: where the records of `output` end.
   */
  async end(output: OpenedRecording['output'], dataEnd: number): Promise<JitAttachments> {
    const { features } = this.#opened;
    const { notify } = features;
    const startMs = performance.now();
    if (this.#unmet > 0) {
      notify(
        `${this.#unmet} mappings of code came faster than they were looked at: a program among these that ended before ` +
          'the recording did is not kept in it, and was not asked for the names of its code',
      );
    }
    this.#late?.end();
    this.#words?.end();
    await Promise.all([this.#attaching?.end(), this.#attachingLate?.end()]);
    await this.#code?.settle(performance.now() - startMs);
    const places = output instanceof RecordingFile ? output.placesOfNames(dataEnd, features) : [];
    await silentPlaces.settle([NOTES_FOLDER, ...places]);
    const jit = this.take(true);
    try {
      if (output instanceof RecordingFile) await this.#reportUnmappedNode(output, dataEnd, jit);
    } catch (error) {
      notify(`which Node processes wrote no map is not known: ${describeError(error)}`);
    }
    return jit;
  }

  /** Node that the command started in a way that nothing showed. */
  async #reportUnmappedNode(
    file: RecordingFile,
    dataEnd: number,
    jit: JitAttachments,
  ): Promise<void> {
    const { features, session } = this.#opened;
    const { target, causesMaps } = session;
    if (target.kind !== 'command' || this.#options.nodeFlags === false) return;
    const mappings = file.codeMappings(dataEnd, features);
    const areFlagsSet = causesMaps || hasPreload(target.command);
    const missing = await findUnmappedNode(mappings, jit.attachments, areFlagsSet, {
      pid: session.sampler.opened.childPid,
      words: target.command.argv,
      // The result of these has been reported.
      asked: this.#late?.asked ?? new Set(),
      wordsOf: (pid) => this.#words?.of(pid) ?? Promise.resolve([]),
    });
    if (missing !== null) features.notify(missing);
  }

  /** Removes files of JITs that the recording has stored. */
  removeStored(jit: JitAttachments): void {
    if (this.#opened.session.causesMaps) this.#files.maps.removeMaps(jit.startedPids);
    this.#files.dumps.remove();
    jit.remove();
  }

  close(): void {
    this.#late?.end();
    this.#attaching?.close();
    this.#attachingLate?.close();
    this.#files.maps.stop();
    this.#code?.close();
    this.#files.dumps.stop();
    this.#held.close();
  }
}
