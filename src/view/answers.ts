import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { FailedError, PerfDataError } from '../base/errors.ts';
import { printable } from '../base/printable.ts';
import type { HtmlFile } from '../formats/export/html.ts';
import type { PageProgress, PageSetup } from '../formats/export/page-profile.ts';
import { STAGE_WORDS } from '../options/reading.ts';
import { renderPage } from '../read/outputs/render-page.ts';
import type { LiveStreams } from './live-streams.ts';
import type { Notebook } from './notebook.ts';
import { dataHeaders, pageHeaders, speedscopeHeaders } from './policy.ts';
import {
  DOWNLOADS,
  describeFile,
  isDownloadFormat,
  type SamplePart,
  type ServedFile,
} from './served-file.ts';
import { pageFiles, type StaticFiles, speedscopeFiles } from './static-files.ts';

export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
};

/** A page shows one recording, or compares a handful. */
const MOST_SHOWN = 32;

/** Numbers of the recordings of a page: the first is shown, with others of its side; and what they are compared with. */
type Shown = { readonly after: readonly number[]; readonly before: readonly number[] };

/** The server's answers: an address below the token is one of these, or it is not found. */
export class ServerAnswers {
  readonly #files: ServedFile[];
  /** Files that the server was started with. */
  readonly #given: Shown;
  readonly #live: LiveStreams | null;
  readonly #takesFiles: boolean;
  readonly #notebook: Notebook | null;
  readonly #page: StaticFiles = pageFiles();
  #speedscope: StaticFiles | null = null;

  /** `before`: what the files are compared with; `notebook`: the folder that has more. */
  constructor(
    files: readonly ServedFile[],
    live: LiveStreams | null,
    {
      takesFiles = false,
      before = [] as readonly ServedFile[],
      notebook = null as Notebook | null,
    } = {},
  ) {
    this.#files = [...files, ...before];
    this.#given = {
      after: files.map((_, index) => index),
      before: before.map((_, index) => files.length + index),
    };
    this.#live = live;
    this.#takesFiles = takesFiles;
    this.#notebook = notebook;
  }

  /** One more recording; returns its number. */
  add(file: ServedFile): number {
    return this.#files.push(file) - 1;
  }

  /**
   *     ?files=N&before=M,L            the page of recording N, compared with M and L; all that were given, or the list
   *                                    of the folder's
   *     answer/N                       `FirstAnswer` of recording N
   *     page?files=N&before=M&view=V   the same as one file, with the sources of the heaviest functions
   *     page.js page.css worker.js     its parts
   *     profile/N                      recording N for the page
   *     progress/N                     `PageProgress` of the reading of recording N
   *     report/N                       the report of its periods
   *     download/N/FORMAT?PART         recording N, or a part of it, for other tools
   *     source/N?name=S                `PageSource` of the file in row S of recording N's strings
   *     assembly/N?func=F              code of the function in row F of recording N's functions
   *     speedscope/NAME                speedscope
   */
  async find(path: string, query: URLSearchParams): Promise<Answer> {
    try {
      return await this.#find(path, query);
    } catch (error) {
      // A recording, or the folder of them, that can't be read.
      const isOfFile = error instanceof FailedError || error instanceof PerfDataError;
      if (isOfFile) return plainText(404, printable(error.message));
      throw error;
    }
  }

  async #find(path: string, query: URLSearchParams): Promise<Answer> {
    if (path === '') return this.#document(query);
    const parts = path.split('/');
    switch (parts[0]) {
      case 'page':
        return parts.length === 1 ? this.#pageFile(query) : notFound();
      case 'profile':
        return this.#ofFile(parts, 2, (file) => this.#profile(file));
      case 'progress':
        return this.#ofFile(parts, 2, (file) => describeProgress(file));
      case 'answer':
        return this.#ofFile(parts, 2, (file) => firstAnswer(file));
      case 'report':
        return this.#ofFile(parts, 2, (file) => this.#report(file));
      case 'download':
        return this.#ofFile(parts, 3, (file) => this.#download(file, parts[2], readPart(query)));
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

  #document(query: URLSearchParams): Answer {
    const shown = this.#shown(query);
    if (shown === null) return notFound();
    const document = renderPageDocument({
      schema: 'perf-ts/page-setup@1',
      files: [...shown.after, ...shown.before].map((index) => {
        const file = describeFile(this.#files[index].name, index);
        return { ...file, links: { ...file.links, page: `page?${addressOf(shown)}` } };
      }),
      firstBefore: shown.after.length,
      live: this.#live === null ? null : `live?since=${this.#live.version}`,
      open: this.#takesFiles ? 'open' : null,
      view: '',
      ...this.#folder(shown),
    });
    return ok('text/html; charset=utf-8', document, pageHeaders());
  }

  /** The folder, and its recordings where none is shown. */
  #folder({ after }: Shown): Pick<PageSetup, 'notebook'> {
    const notebook = this.#notebook;
    if (notebook === null) return {};
    const rows = after.length > 0 ? [] : notebook.list((file) => this.add(file));
    return { notebook: { folder: printable(notebook.folder), rows } };
  }

  async #pageFile(query: URLSearchParams): Promise<Answer> {
    const shown = this.#shown(query);
    if (shown === null || shown.after.length === 0) return notFound();
    const files = [...shown.after, ...shown.before].map((index) => this.#files[index]);
    const name = `${asFileName(files[0].name)}.html`;
    const view = query.get('view') ?? '';
    const document = await renderPageFile(files, { view, firstBefore: shown.after.length });
    return ok('text/html; charset=utf-8', document, {
      ...dataHeaders(),
      'Content-Disposition': `attachment; filename="${name}"`,
    });
  }

  /** The recordings that a page shows; null where one is not there. */
  #shown(query: URLSearchParams): Shown | null {
    const files = query.get('files');
    if (files === null) return this.#given;
    const after = this.#known(files);
    const asked = query.get('before');
    const before = asked === null ? [] : this.#known(asked);
    if (after === null || before === null) return null;
    return after.length + before.length > MOST_SHOWN ? null : { after, before };
  }

  #known(list: string): readonly number[] | null {
    const indexes = list.split(',').map(readIndex);
    const known = indexes.filter((index) => index !== null && this.#files[index] !== undefined);
    return known.length === indexes.length ? (known as number[]) : null;
  }

  async #ofFile(
    parts: readonly string[],
    count: number,
    answer: (file: ServedFile) => Answer | Promise<Answer>,
  ): Promise<Answer> {
    const index = readIndex(parts[1]);
    const file = index === null ? undefined : this.#files[index];
    return file === undefined || parts.length !== count ? notFound() : answer(file);
  }

  async #profile(file: ServedFile): Promise<Answer> {
    return ok('application/octet-stream', await file.pageData(), dataHeaders());
  }

  async #report(file: ServedFile): Promise<Answer> {
    return ok('application/json; charset=utf-8', await file.pageReport(), dataHeaders());
  }

  async #download(file: ServedFile, format: string, part: SamplePart): Promise<Answer> {
    if (!isDownloadFormat(format)) return notFound();
    const { extension, type } = DOWNLOADS[format];
    const name = `${asFileName(file.name)}.${extension}`;
    return ok(type, await file.download(format, part), {
      ...dataHeaders(),
      'Content-Disposition': `attachment; filename="${name}"`,
    });
  }

  async #source(file: ServedFile, query: URLSearchParams): Promise<Answer> {
    const row = readIndex(query.get('name') ?? undefined);
    if (row === null) return notFound();
    return ok('application/json; charset=utf-8', await file.source(row), dataHeaders());
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

async function firstAnswer(file: ServedFile): Promise<Answer> {
  return ok('application/json; charset=utf-8', await file.firstAnswer(), dataHeaders());
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

export function notFound(): Answer {
  return plainText(404, 'no such address');
}

/**
 * `from`, `to` in nanoseconds since the start; lists of `tids`, `pids`, `cpus`; `turns`: in those of so many
 * milliseconds or more. Others are left out.
 */
function readPart(query: URLSearchParams): SamplePart {
  const list = (name: string) =>
    query
      .get(name)
      ?.split(',')
      .map(readIndex)
      .filter((number) => number !== null);
  const whole = (name: string) => {
    const text = query.get(name) ?? '';
    return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
  };
  return definedOnly({
    fromNs: whole('from'),
    toNs: whole('to'),
    tids: list('tids'),
    pids: list('pids'),
    cpus: list('cpus'),
    inTurnsOver: whole('turns'),
  });
}

function definedOnly(
  part: {
    readonly [Key in keyof SamplePart]: SamplePart[Key] | undefined;
  },
): SamplePart {
  return Object.fromEntries(Object.entries(part).filter(([, value]) => value !== undefined));
}

/** A row or a place in a list, in decimal. */
function readIndex(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : null;
}

function addressOf({ after, before }: Shown): string {
  const files = `files=${after.join(',')}`;
  return before.length === 0 ? files : `${files}&before=${before.join(',')}`;
}

/** Leaves out what a header or a file system would take for something else. */
function asFileName(name: string): string {
  return name.replace(/[^A-Za-z0-9._-]/g, '_');
}

function describeProgress(file: ServedFile): Answer {
  const { stage, share = null, soFar = null } = file.progress?.() ?? {};
  const progress: PageProgress = {
    words: stage === undefined ? '' : STAGE_WORDS[stage](printable(file.name)),
    percent: share === null ? null : Math.round(share * 100),
    soFar,
  };
  return ok('application/json; charset=utf-8', JSON.stringify(progress), dataHeaders());
}

/** The page of the server: nothing but where its parts are. */
export function renderPageDocument(setup: PageSetup): string {
  // In a data block nothing is executed; a `<` could end it.
  const json = JSON.stringify(setup).replaceAll('<', '\\u003c');
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<title>perf-ts</title>',
    '<link rel="icon" href="data:,">',
    '<link rel="stylesheet" href="page.css">',
    '</head>',
    '<body>',
    '<noscript>This page draws the profile with a script of perf-ts.</noscript>',
    `<script type="application/json" id="page-setup">${json}</script>`,
    '<script src="page.js"></script>',
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

/** Leaves the thread free for other answers meanwhile. */
const compress = promisify(gzip);

/** One file with the page of these recordings and the sources of their heaviest functions, opened as `view`. */
async function renderPageFile(
  files: readonly ServedFile[],
  shown: { readonly view: string; readonly firstBefore: number },
): Promise<string> {
  const packed: HtmlFile[] = [];
  for (const file of files) {
    packed.push({
      title: file.name,
      data: await pack(await file.pageData()),
      report: await pack(await file.pageReport()),
      sources: await pack(await file.hotSources()),
    });
  }
  return renderPage(packed, shown);
}

async function pack(content: Uint8Array | string): Promise<string> {
  return (await compress(content)).toString('base64');
}
