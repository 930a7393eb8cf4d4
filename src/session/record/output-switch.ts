import { renameSync, unlinkSync } from 'node:fs';
import type { NativeSampler, SamplerEvent } from '../../native/types.ts';
import type { Attachment } from '../../perf-data/appendix.ts';
import type { FeatureContext } from './feature-data.ts';
import type { FileOwner } from './output-file.ts';
import { RecordingFile } from './recording-file.ts';
import type { RecordingPlan } from './recording-plan.ts';

type Switched = Extract<SamplerEvent, { kind: 'file-switched' }>;

export type SwitchingContext = {
  /** Where the file stands that is being written. */
  readonly path: string;
  readonly plan: RecordingPlan;
  readonly owner: FileOwner | null;
  readonly sampler: NativeSampler;
  readonly features: FeatureContext;
  readonly marksRounds: boolean;
  /** Records of everything that is there by now: each file stands for itself. */
  readonly describe: () => Uint8Array;
  /** What names code that is in no file, as far as it is known by now: each file has it all. */
  readonly attachments: () => readonly Attachment[];
  /** Files that are kept, the one being written aside; 0: all. */
  readonly maxFiles: number;
  /** Told the path of each complete file. */
  readonly onFile: (path: string) => void;
};

/**
 * A recording over several files. The one that is being written stands at the path that was asked
 * for; a complete one is beside it, its name ending in when it was completed:
 *
 *     perf.data.2026112115420317      year, month, day, hour, minute, second, hundredths
 *     perf.data
 */
export class OutputSwitch {
  readonly #context: SwitchingContext;
  readonly #complete: string[] = [];
  #current: RecordingFile;
  /** Opened, but the worker still writes to the one before. */
  #next: { readonly file: RecordingFile; readonly oldPath: string } | null = null;

  constructor(first: RecordingFile, context: SwitchingContext) {
    this.#current = first;
    this.#context = context;
  }

  /** Begins a new file. Does nothing while the last one of these is under way. */
  begin(): void {
    if (this.#next !== null) return;
    const { path, plan, owner, sampler, marksRounds, describe } = this.#context;
    const oldPath = this.#freePath();
    renameSync(this.#current.place() ?? path, oldPath);
    try {
      // What starts while the machine is described, and until the worker has switched, is in both.
      sampler.keepSideband(true);
      const file = RecordingFile.create(path, plan, sampler.opened, owner);
      this.#next = { file, oldPath };
      file.append(describe());
      sampler.switchFile({ ...file.sink(), maxBytes: 0, marksRounds });
    } catch (error) {
      sampler.keepSideband(false);
      this.#takeBack();
      throw error;
    }
  }

  /** The worker writes to the new file: the old one is complete. */
  switched({ dataEnd, totals }: Switched): void {
    if (this.#next === null) return;
    const { file, oldPath } = this.#next;
    const ended = { kind: 'recording-ended', reason: 'stopped', errno: 0, finals: [] } as const;
    const { features, attachments, maxFiles, onFile } = this.#context;
    const described = this.featuresOf(features);
    this.#current.finish({ ...ended, dataEnd, totals }, described, attachments());
    this.#current = file;
    this.#next = null;
    this.#complete.push(oldPath);
    if (maxFiles > 0 && this.#complete.length > maxFiles) {
      unlinkSync(this.#complete.shift() as string);
    }
    onFile(oldPath);
  }

  /** The recording has ended. Returns the file that is still to be completed, at the path. */
  last(): RecordingFile {
    // The worker was faster than the switch that was asked for.
    if (this.#next !== null) this.#takeBack();
    return this.#current;
  }

  /** Whether there are complete files. */
  get hasSwitched(): boolean {
    return this.#complete.length > 0;
  }

  /** `features` for the file that is being written: the counters count on from file to file. */
  featuresOf(features: FeatureContext): FeatureContext {
    return this.hasSwitched ? { countsBegin: 'earlier', ...features } : features;
  }

  #takeBack(): void {
    const next = this.#next;
    this.#next = null;
    if (next === null) return;
    next.file.discard();
    renameSync(next.oldPath, this.#context.path);
  }

  #freePath(): string {
    const stamp = timeStamp(new Date());
    const isTaken = (path: string) => this.#complete.includes(path);
    let path = `${this.#context.path}.${stamp}`;
    for (let n = 2; isTaken(path); n++) path = `${this.#context.path}.${stamp}-${n}`;
    return path;
  }
}

/** As perf writes it, in local time. */
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
