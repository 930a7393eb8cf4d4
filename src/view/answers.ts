import { FailedError } from '../base/errors.ts';
import type { LiveStreams } from './live-streams.ts';
import { renderPageDocument } from './page-document.ts';
import { dataHeaders, pageHeaders, speedscopeHeaders } from './policy.ts';
import { DOWNLOADS, describeFile, isDownloadFormat, type ServedFile } from './served-file.ts';
import { pageFiles, type StaticFiles, speedscopeFiles } from './static-files.ts';

export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
};

/** What the server has: an address below the token is one of these, or it is not found. */
export class ServerAnswers {
  readonly #files: readonly ServedFile[];
  readonly #live: LiveStreams | null;
  readonly #page: StaticFiles = pageFiles();
  #speedscope: StaticFiles | null = null;

  constructor(files: readonly ServedFile[], live: LiveStreams | null) {
    this.#files = files;
    this.#live = live;
  }

  /**
   *     (empty)                        the page
   *     page.js page.css worker.js     its parts
   *     profile/N                      recording N for the page
   *     report/N                       the report of its periods
   *     download/N/FORMAT              recording N for other tools
   *     source/N?name=S                text of the source file in row S of recording N's strings
   *     assembly/N?func=F              code of the function in row F of recording N's functions
   *     speedscope/NAME                speedscope
   */
  async find(path: string, query: URLSearchParams): Promise<Answer> {
    if (path === '') return this.#document();
    const parts = path.split('/');
    switch (parts[0]) {
      case 'profile':
        return this.#ofFile(parts, 2, (file) => this.#profile(file));
      case 'report':
        return this.#ofFile(parts, 2, (file) => this.#report(file));
      case 'download':
        return this.#ofFile(parts, 3, (file) => this.#download(file, parts[2]));
      case 'source':
        return this.#ofFile(parts, 2, (file) => this.#source(file, query));
      case 'assembly':
        return this.#ofFile(parts, 2, (file) => this.#assembly(file, query));
      case 'speedscope':
        return parts.length === 2 ? this.#speedscopeFile(parts[1]) : notFound();
      default:
        return parts.length === 1 ? staticAnswer(this.#page, path, pageHeaders()) : notFound();
    }
  }

  #document(): Answer {
    const document = renderPageDocument({
      schema: 'perf-ts/page-setup@1',
      files: this.#files.map(({ name }, index) => describeFile(name, index)),
      live: this.#live === null ? null : `live?since=${this.#live.version}`,
    });
    return ok('text/html; charset=utf-8', document, pageHeaders());
  }

  async #ofFile(
    parts: readonly string[],
    count: number,
    answer: (file: ServedFile) => Answer | Promise<Answer>,
  ): Promise<Answer> {
    const index = readIndex(parts[1]);
    const file = index === null ? undefined : this.#files[index];
    if (file === undefined || parts.length !== count) return notFound();
    try {
      return await answer(file);
    } catch (error) {
      if (error instanceof FailedError) return plainText(404, error.message);
      throw error;
    }
  }

  async #profile(file: ServedFile): Promise<Answer> {
    return ok('application/octet-stream', await file.pageData(), dataHeaders());
  }

  async #report(file: ServedFile): Promise<Answer> {
    return ok('application/json; charset=utf-8', await file.pageReport(), dataHeaders());
  }

  async #download(file: ServedFile, format: string): Promise<Answer> {
    if (!isDownloadFormat(format)) return notFound();
    const { extension, type } = DOWNLOADS[format];
    const name = `${asFileName(file.name)}.${extension}`;
    return ok(type, await file.download(format), {
      ...dataHeaders(),
      'Content-Disposition': `attachment; filename="${name}"`,
    });
  }

  async #source(file: ServedFile, query: URLSearchParams): Promise<Answer> {
    const row = readIndex(query.get('name') ?? undefined);
    if (row === null) return notFound();
    return ok('text/plain; charset=utf-8', await file.source(row), dataHeaders());
  }

  async #assembly(file: ServedFile, query: URLSearchParams): Promise<Answer> {
    const row = readIndex(query.get('func') ?? undefined);
    if (row === null) return notFound();
    return ok('application/json; charset=utf-8', await file.assembly(row), dataHeaders());
  }

  #speedscopeFile(name: string): Answer {
    this.#speedscope ??= speedscopeFiles();
    return staticAnswer(this.#speedscope, name, speedscopeHeaders());
  }
}

function staticAnswer(
  files: StaticFiles,
  name: string,
  headers: Readonly<Record<string, string>>,
): Answer {
  const file = files.find(name);
  return file === null ? notFound() : ok(file.type, file.bytes, headers);
}

function ok(
  type: string,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>>,
): Answer {
  return { status: 200, headers: { ...headers, 'Content-Type': type }, body };
}

export function plainText(status: number, text: string): Answer {
  const headers = { ...dataHeaders(), 'Content-Type': 'text/plain; charset=utf-8' };
  return { status, headers, body: text };
}

function notFound(): Answer {
  return plainText(404, 'no such address');
}

/** A row or a place in a list, in decimal. */
function readIndex(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : null;
}

/** Without what a header or a file system would take for something else. */
function asFileName(name: string): string {
  return name.replace(/[^A-Za-z0-9._-]/g, '_');
}
