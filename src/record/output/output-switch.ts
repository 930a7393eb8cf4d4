import { basename } from 'node:path';
import type { WrittenAttachment } from '../../formats/perf-data/appendix.ts';
import type { NativeSampler, SamplerEvent } from '../../native/types.ts';
import {
  type FileOwner,
  type OutputFile,
  writeErrorReason,
} from '../../system/files/output-file.ts';
import type { RecordingPlan } from '../plan/recording-plan.ts';
import type { FeatureContext } from './feature-data.ts';
import { RecordingFile } from './recording-file.ts';

type Switched = Extract<SamplerEvent, { kind: 'file-switched' }>;

export type SwitchingContext = {
  /** Path of the file that is being written. */
  readonly path: string;
  readonly plan: RecordingPlan;
  readonly owner: FileOwner | null;
  readonly sampler: NativeSampler;
  readonly features: FeatureContext;
  readonly marksRounds: boolean;
  /** Records of everything that is there by now: each file stands for itself. */
  readonly describe: () => Uint8Array;
  /** Resolves when what names the code that has run until now is in `attachments`; never rejects. */
  readonly catchUp: () => Promise<void>;
  /** Attachments that name JIT code, as far as they are known by now: each file has them all. */
  readonly attachments: () => readonly WrittenAttachment[];
  /** Files that are kept, the one being written aside; 0: all. */
  readonly maxFiles: number;
  /** Told the path of each complete file. */
  readonly onFile: (path: string) => void;
  /** Told what went wrong: the recording goes on all the same. */
  readonly notify: (notice: string) => void;
};

/**
 * A recording over several files. The one that is being written stands at the path that was asked
 * for; a complete one is beside it, its name ending in when it was completed:
 *
 *     perf.data.2026112115420317      year, month, day, hour, minute, second, hundredths
 *     perf.data
 *
 * Nothing that fails here ends the recording: it goes on in the file that it has.
 */
export class OutputSwitch {
  readonly #context: SwitchingContext;
  readonly #complete: OutputFile[] = [];
  #current: RecordingFile;
  /** Opened, but the worker still writes to the one before. */
  #next: RecordingFile | null = null;
  #isOver = false;
  #hasSwitched = false;
  /** Files before the one that is being written that are gone or incomplete. */
  lostFiles = 0;
  #completed: Promise<void> = Promise.resolve();
  /** Said once, and again only after a success. */
  #failure = '';

  constructor(first: RecordingFile, context: SwitchingContext) {
    this.#current = first;
    this.#context = context;
  }

  /** Begins a new file. Does nothing while the last one of these is under way. */
  begin(): void {
    if (this.#next !== null || this.#isOver) return;
    const { path, plan, owner, sampler, marksRounds, describe, notify } = this.#context;
    const { compressionLevel } = this.#current;
    try {
      // A process that starts while the machine is described, and until the worker has switched, is in both.
      sampler.keepSideband(true);
      if (!this.#current.file.rename(this.#freeName())) {
        notify(`${path} is gone: others have replaced or removed it, and what was recorded in it`);
      }
      const file = RecordingFile.create(path, plan, sampler.opened, owner, compressionLevel);
      this.#next = file;
      file.append(describe());
      sampler.switchFile({ ...file.sink(), maxBytes: 0, marksRounds });
      this.#failure = '';
    } catch (error) {
      sampler.keepSideband(false);
      this.#takeBack();
      this.#notifyOnce(`no new file was begun: ${writeErrorReason(error)}`);
    }
  }

  /**
   * The worker writes to the new file: the old one has its features at once, and can be read. What names its code comes
   * behind that, when the programs have sent it; the next file may be begun meanwhile.
   */
  switched({ dataEnd, totals }: Switched): void {
    if (this.#next === null) return;
    const complete = this.#current;
    this.#current = this.#next;
    this.#current.file.keep(this.#context.notify);
    this.#next = null;
    const ended = {
      kind: 'recording-ended',
      reason: 'stopped',
      errno: 0,
      finals: [],
      roundEnds: { ends: new Float64Array(), atNs: new BigUint64Array() },
      tasksLeft: false,
    } as const;
    const { features, catchUp, attachments } = this.#context;
    const described = this.featuresOf(features);
    this.#hasSwitched = true;
    const event = { ...ended, dataEnd, totals };
    let failure: unknown;
    try {
      complete.finish(event, described);
    } catch (error) {
      failure = error;
    }
    this.#completed = this.#completed.then(async () => {
      await catchUp();
      this.#close(complete, () => {
        if (failure !== undefined) throw failure;
        complete.addNames(event, described, attachments());
      });
    });
  }

  /** Closes a file behind its last part, and removes the oldest one where there are too many. Never throws. */
  #close(complete: RecordingFile, addLast: () => void): void {
    const { maxFiles, onFile, notify } = this.#context;
    const place = complete.file.place();
    let isWhole = place !== null;
    try {
      try {
        addLast();
      } finally {
        complete.close();
      }
      if (place !== null) onFile(place);
    } catch (error) {
      isWhole = false;
      notify(`${complete.file.path}: ${writeErrorReason(error)}`);
    }
    if (!isWhole) this.lostFiles++;
    if (place === null) return;
    this.#complete.push(complete.file);
    if (maxFiles > 0 && this.#complete.length > maxFiles) {
      this.#current.file.removeBeside(this.#complete.shift() as OutputFile);
    }
  }

  /** Resolves when all files before the one that is being written have what names their code. Never rejects. */
  get completed(): Promise<void> {
    return this.#completed;
  }

  /** The recording has ended. Returns the file that is still to be completed, at the path. */
  last(): RecordingFile {
    this.#isOver = true;
    // The worker was faster than the switch that was asked for.
    if (this.#next !== null) this.#takeBack();
    return this.#current;
  }

  /** Whether there were files before the one that is being written. */
  get hasSwitched(): boolean {
    return this.#hasSwitched;
  }

  /** `features` for the file that is being written: the counters count on from file to file. */
  featuresOf(features: FeatureContext): FeatureContext {
    return this.hasSwitched ? { countsBegin: 'earlier', ...features } : features;
  }

  /** Undoes the beginning of the new file, so that the file that had its name keeps it. */
  #takeBack(): void {
    const { file } = this.#current;
    const name = basename(this.#context.path);
    try {
      this.#next?.discard();
      this.#next = null;
      if (!file.isTaken(name)) file.rename(name);
    } catch (error) {
      this.#notifyOnce(`${file.path} keeps this name: ${writeErrorReason(error)}`);
    }
  }

  #notifyOnce(failure: string): void {
    if (failure !== this.#failure) this.#context.notify(`${failure}; the recording goes on`);
    this.#failure = failure;
  }

  #freeName(): string {
    const { file } = this.#current;
    const wanted = `${basename(this.#context.path)}.${timeStamp(new Date())}`;
    let name = wanted;
    for (let n = 2; file.isTaken(name); n++) name = `${wanted}-${n}`;
    return name;
  }
}

/** The time in perf's form, in local time. */
function timeStamp(date: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  return [
    date.getFullYear(),
    two(date.getMonth() + 1),
    two(date.getDate()),
    two(date.getHours()),
    two(date.getMinutes()),
    two(date.getSeconds()),
    two(Math.floor(date.getMilliseconds() / 10)),
  ].join('');
}
