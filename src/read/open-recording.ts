import { PerfDataError } from '../base/errors.ts';
import { DETECT_BYTES, detectText, type TextFormat } from '../formats/import/detect-text.ts';
import { openPerfData, type PerfData } from '../formats/perf-data/reader.ts';
import { readTracepointNames } from '../kernel/tracepoint/tracing-data.ts';
import type { FileSource } from './files/fd-source.ts';
import { openFileSource } from './files/file-source.ts';
import { checkEventCount } from './files/reading-limits.ts';
import { type ReadOptions, watchReads } from './files/watched-source.ts';
import { createOwnZstdDecoder, createZstdDecoder } from './files/zstd.ts';

/**
 * Opens the recording at `path` (`-`: standard input; or a directory of `perf record --threads`) for
 * as long as `use` runs, and reads it. Errors of the file name it.
 */
export function withRecording<T>(
  path: string,
  use: (data: PerfData) => T,
  { maxUnpacked, onShare }: ReadOptions = {},
): T {
  return withSource(path, (source) => {
    refuseText(source);
    return use(openRecording(watchReads(source, onShare), maxUnpacked));
  });
}

const TEXTS: Readonly<Record<TextFormat, string>> = {
  'perf-script': 'a text of perf script',
  folded: 'a text of folded stacks',
  devtools: 'a .cpuprofile, .heapprofile or trace of V8',
  firefox: 'a profile of profiler.firefox.com',
  speedscope: 'a profile of speedscope',
  pprof: 'a profile of pprof',
};

/** A profile of another tool can be reported, and is not damaged: it has no header and no records to show. */
function refuseText(source: FileSource): void {
  const format = detectText(source.read(0, DETECT_BYTES));
  if (format === null) return;
  throw new PerfDataError(
    'not-perf-data',
    `it is ${TEXTS[format]}, which has no header and no records: perf-ts report, view, query and diff read it`,
  );
}

/** Opens the source for an asynchronous `use`, and closes it after that. */
export async function withSourceOpen<T>(
  path: string,
  use: (source: FileSource) => Promise<T>,
): Promise<T> {
  const source = openFileSource(path);
  try {
    return await use(source);
  } catch (error) {
    throw naming(path, error);
  } finally {
    source.close();
  }
}

/** Opens whatever is at `path`, before anybody knows that it is a recording, and closes it after `use`. */
export function withSource<T>(path: string, use: (source: FileSource) => T): T {
  const source = openFileSource(path);
  try {
    return use(source);
  } catch (error) {
    throw naming(path, error);
  } finally {
    source.close();
  }
}

function naming(path: string, error: unknown): unknown {
  return error instanceof PerfDataError ? error.at(path) : error;
}

/** Throws `PerfDataError` where it has more events than are read. */
export function openRecording(source: FileSource, maxUnpacked?: number): PerfData {
  const data = openPerfData(source, {
    createZstdDecoder,
    threadFiles: source.threadFiles,
    mostUnpacked: maxUnpacked ?? null,
    readTracepointNames,
  });
  checkEventCount(data.attrs.length, data.mostUnpacked);
  return data;
}

/** Opens a file that this process has just written: nothing in it is refused for its size. */
export function openOwnRecording(source: FileSource): PerfData {
  return openPerfData(source, {
    createZstdDecoder: createOwnZstdDecoder,
    mostUnpacked: Number.POSITIVE_INFINITY,
    readTracepointNames,
  });
}
