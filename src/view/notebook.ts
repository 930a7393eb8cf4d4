import { resolve } from 'node:path';
import { FailedError } from '../base/errors.ts';
import { printable } from '../base/printable.ts';
import type { NotebookRow } from '../formats/export/page-profile.ts';
import { type ListedRecording, listRecordings } from '../read/list-recordings.ts';
import { stateAt } from '../system/asked-files.ts';
import { type AnswerTo, AskedFile, type FileMethod } from './asked-file.ts';
import type { ServedFile } from './served-file.ts';

/** A reader of a recording that ends when it is closed. */
export type ClosableFile = ServedFile & { close(): Promise<void> };
/** `forPage` false: for the first answer alone. */
export type OpenListed = (path: string, forPage: boolean) => ClosableFile;

/** Bytes of a recording that is read before anybody opens it. */
const MOST_BYTES = 256 * 2 ** 20;
/** Recordings that are open at a time, each with a thread and its tables; the one that was asked last stays longest. */
const MOST_OPEN = 8;

/** The recordings of a folder, listed anew for each page, and read one after the other for their first answers. */
export class Notebook {
  readonly folder: string;
  readonly #open: OpenListed;
  /** Numbers on the server by path and state of the file: another may have taken the name. */
  readonly #numbers = new Map<string, number>();
  /** Files that were asked, the last one at the end. */
  readonly #asked = new Set<LaterFile>();
  /** The reading for a first answer that came last, and its reader. */
  #last: Promise<unknown> = Promise.resolve();
  #reader: ClosableFile | null = null;

  constructor(folder: string, open: OpenListed) {
    this.folder = resolve(folder);
    this.#open = open;
  }

  /** `add` takes a recording that is new, and returns its number. */
  list(add: (file: ServedFile) => number): NotebookRow[] {
    return listRecordings(this.folder).map((listed) => {
      const { path, name, commandLine, bytes, changedMs, lengthNs } = listed;
      const key = `${path}\0${stateAt(path, false)?.state}`;
      const file = this.#numbers.get(key) ?? add(this.#later(listed));
      this.#numbers.set(key, file);
      const words = commandLine.map(printable);
      return { file, name: printable(name), commandLine: words, bytes, changedMs, lengthNs };
    });
  }

  async close(): Promise<void> {
    await Promise.all([this.#reader, ...this.#asked].map((file) => file?.close()));
  }

  #later({ path, bytes }: ListedRecording): ServedFile {
    const later: LaterFile = new LaterFile(path, {
      open: () => this.#open(path, true),
      answer: () => {
        const answer = this.#last.then(() => this.#firstAnswer(path, bytes));
        this.#last = answer.catch(() => {});
        return answer;
      },
      onAsked: () => this.#noteAsked(later),
    });
    return later;
  }

  #noteAsked(file: LaterFile): void {
    this.#asked.delete(file);
    this.#asked.add(file);
    for (const idle of this.#asked) {
      if (this.#asked.size <= MOST_OPEN) break;
      if (idle.isBusy) continue;
      this.#asked.delete(idle);
      void idle.close();
    }
  }

  async #firstAnswer(path: string, bytes: number): Promise<string> {
    if (bytes > MOST_BYTES) throw new FailedError('large: open it to see');
    const file = this.#open(path, false);
    this.#reader = file;
    try {
      return await file.firstAnswer();
    } finally {
      this.#reader = null;
      await file.close();
    }
  }
}

type LaterFileOptions = {
  readonly open: () => ClosableFile;
  readonly answer: () => Promise<string>;
  readonly onAsked: () => void;
};

/** A recording that is read for the page when somebody opens it, and again where it was closed since. */
class LaterFile extends AskedFile {
  readonly #options: LaterFileOptions;
  #file: ClosableFile | null = null;
  #first: Promise<string> | null = null;
  #questions = 0;

  constructor(path: string, options: LaterFileOptions) {
    super(path);
    this.#options = options;
  }

  /** Somebody waits for an answer. */
  get isBusy(): boolean {
    return this.#questions > 0;
  }

  progress() {
    return this.#file?.progress?.() ?? null;
  }

  /** A failure is not kept: it may pass. */
  override firstAnswer(): Promise<string> {
    this.#first ??= this.#options.answer().catch((error: unknown) => {
      this.#first = null;
      throw error;
    });
    return this.#first;
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = null;
    await file?.close();
  }

  protected ask<Method extends FileMethod>(
    method: Method,
    ...args: Parameters<ServedFile[Method]>
  ): AnswerTo<Method> {
    this.#file ??= this.#options.open();
    this.#questions++;
    this.#options.onAsked();
    const answer: AnswerTo<Method> = Reflect.apply(this.#file[method], this.#file, args);
    return answer.finally(() => this.#questions--) as AnswerTo<Method>;
  }
}
