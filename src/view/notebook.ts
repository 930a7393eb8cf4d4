import { resolve } from 'node:path';
import { FailedError } from '../base/errors.ts';
import { printable } from '../base/printable.ts';
import type { NotebookRow } from '../formats/export/page-profile.ts';
import { type ListedRecording, listRecordings } from '../read/list-recordings.ts';
import { type AnswerTo, AskedFile, type FileMethod } from './asked-file.ts';
import type { ServedFile } from './served-file.ts';

/** A reader of a recording that ends when it is closed. */
export type ClosableFile = ServedFile & { close(): Promise<void> };
/** `forPage` false: for the first answer alone. */
export type OpenListed = (path: string, forPage: boolean) => ClosableFile;

/** Bytes of a recording that is read before anybody opens it. */
const MOST_BYTES = 256 * 2 ** 20;

/** The recordings of a folder, listed anew for each page, and read one after the other for their first answers. */
export class Notebook {
  readonly folder: string;
  readonly #open: OpenListed;
  /** Numbers on the server by path and time of the last change: another file may have taken the name. */
  readonly #numbers = new Map<string, number>();
  /** The reading for a first answer that came last. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(folder: string, open: OpenListed) {
    this.folder = resolve(folder);
    this.#open = open;
  }

  /** `add` takes a recording that is new, and returns its number. */
  list(add: (file: ServedFile) => number): NotebookRow[] {
    return listRecordings(this.folder).map((listed) => {
      const { path, name, commandLine, bytes, changedMs, lengthNs } = listed;
      const key = `${path}\0${changedMs}`;
      const file = this.#numbers.get(key) ?? add(this.#later(listed));
      this.#numbers.set(key, file);
      const words = commandLine.map(printable);
      return { file, name: printable(name), commandLine: words, bytes, changedMs, lengthNs };
    });
  }

  #later({ path, bytes }: ListedRecording): ServedFile {
    return new LaterFile(path, this.#open, () => {
      const answer = this.#last.then(() => this.#firstAnswer(path, bytes));
      this.#last = answer.catch(() => {});
      return answer;
    });
  }

  async #firstAnswer(path: string, bytes: number): Promise<string> {
    if (bytes > MOST_BYTES) throw new FailedError('large: open it to see');
    const file = this.#open(path, false);
    try {
      return await file.firstAnswer();
    } finally {
      await file.close();
    }
  }
}

/** A recording that is read for the page when somebody opens it. */
class LaterFile extends AskedFile {
  readonly #open: () => ServedFile;
  readonly #answer: () => Promise<string>;
  #file: ServedFile | null = null;
  #first: Promise<string> | null = null;

  constructor(path: string, open: OpenListed, answer: () => Promise<string>) {
    super(path);
    this.#open = () => open(path, true);
    this.#answer = answer;
  }

  progress() {
    return this.#file?.progress?.() ?? null;
  }

  override firstAnswer(): Promise<string> {
    this.#first ??= this.#answer();
    return this.#first;
  }

  protected ask<Method extends FileMethod>(
    method: Method,
    ...args: Parameters<ServedFile[Method]>
  ): AnswerTo<Method> {
    this.#file ??= this.#open();
    return Reflect.apply(this.#file[method], this.#file, args);
  }
}
