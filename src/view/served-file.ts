import { printable } from '../base/printable.ts';
import type { PageFile, PageProgress } from '../formats/export/page-profile.ts';
import type { ReadingProgress } from '../options/reading.ts';

export const DOWNLOADS = {
  folded: { label: 'Folded stacks', extension: 'folded', type: 'text/plain; charset=utf-8' },
  speedscope: {
    label: 'Speedscope',
    extension: 'speedscope.json',
    type: 'application/json; charset=utf-8',
  },
  firefox: {
    label: 'Firefox Profiler',
    extension: 'firefox.json',
    type: 'application/json; charset=utf-8',
  },
  cpuprofile: {
    label: 'DevTools, VS Code',
    extension: 'cpuprofile',
    type: 'application/json; charset=utf-8',
  },
  pprof: { label: 'pprof', extension: 'pb.gz', type: 'application/octet-stream' },
} as const;
export type DownloadFormat = keyof typeof DOWNLOADS;

export function isDownloadFormat(name: string): name is DownloadFormat {
  return Object.hasOwn(DOWNLOADS, name);
}

/** A part of a recording's samples: what the page shows of them. Each list admits any of its members. */
export type SamplePart = {
  /** Nanoseconds since the recording's start: the first moment in, the first out. */
  readonly fromNs?: number;
  readonly toNs?: number;
  readonly tids?: readonly number[];
  readonly pids?: readonly number[];
  readonly cpus?: readonly number[];
  /** Milliseconds: in turns of an event loop that took as long or longer. */
  readonly inTurnsOver?: number;
};

/** The progress of reading a recording, and the heaviest functions of what is read. */
export type FileReading = ReadingProgress & Pick<PageProgress, 'soFar'>;

/** Questions of the server to a recording, in this thread or in another. All answers may be a `FailedError`. */
export type ServedFile = {
  /** Name of the recording as given, without its folder. */
  readonly name: string;
  /** The progress of reading; null: it has not begun, or nobody follows it. */
  progress?(): FileReading | null;
  /** Bytes for `decodePageData`. */
  pageData(): Uint8Array | Promise<Uint8Array>;
  /** Text for `decodePageReport`. */
  pageReport(): string | Promise<string>;
  /** `FirstAnswer` as JSON. */
  firstAnswer(): string | Promise<string>;
  download(format: DownloadFormat, part: SamplePart): Promise<Uint8Array>;
  /** Texts of the source files of the heaviest functions: JSON of an object by row in the strings. */
  hotSources(): string | Promise<string>;
  /** `PageSource` of a file that the profile names, as JSON; `string` is its row in the strings. */
  source(string: number): string | Promise<string>;
  /** A `PageAssembly` as JSON; `func` is a row of the profile's functions as the page has them. */
  assembly(func: number): Promise<string>;
};

/** How the page finds all this; `index` is the place of the file among those that are viewed. */
export function describeFile(name: string, index: number): PageFile {
  const title = printable(name);
  return {
    title,
    data: { kind: 'url', url: `profile/${index}` },
    report: { kind: 'url', url: `report/${index}` },
    progress: `progress/${index}`,
    links: {
      speedscope: `speedscope/index.html#profileURL=../download/${index}/speedscope&title=${encodeURIComponent(title)}`,
      downloads: Object.entries(DOWNLOADS).map(([format, { label }]) => ({
        label,
        url: `download/${index}/${format}`,
      })),
      source: `source/${index}`,
      assembly: `assembly/${index}`,
    },
  };
}
