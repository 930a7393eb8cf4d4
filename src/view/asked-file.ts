import { basename } from 'node:path';
import type { DownloadFormat, SamplePart, ServedFile } from './served-file.ts';

/** Questions to a recording: the methods of `ServedFile`. */
export type FileMethod = Exclude<keyof ServedFile, 'name' | 'progress'>;

/** The answer to a question, when it comes. */
export type AnswerTo<Method extends FileMethod> = Promise<Awaited<ReturnType<ServedFile[Method]>>>;

/** A recording whose answers come from elsewhere, those to all questions by one way. */
export abstract class AskedFile implements ServedFile {
  readonly name: string;

  constructor(path: string) {
    this.name = basename(path);
  }

  protected abstract ask<Method extends FileMethod>(
    method: Method,
    ...args: Parameters<ServedFile[Method]>
  ): AnswerTo<Method>;

  pageData(): AnswerTo<'pageData'> {
    return this.ask('pageData');
  }

  pageReport(): AnswerTo<'pageReport'> {
    return this.ask('pageReport');
  }

  firstAnswer(): AnswerTo<'firstAnswer'> {
    return this.ask('firstAnswer');
  }

  download(format: DownloadFormat, part: SamplePart): AnswerTo<'download'> {
    return this.ask('download', format, part);
  }

  hotSources(): AnswerTo<'hotSources'> {
    return this.ask('hotSources');
  }

  source(string: number): AnswerTo<'source'> {
    return this.ask('source', string);
  }

  assembly(func: number): AnswerTo<'assembly'> {
    return this.ask('assembly', func);
  }
}
