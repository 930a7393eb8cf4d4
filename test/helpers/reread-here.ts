import { basename } from 'node:path';
import { openProfile } from '../../src/read/open-profile.ts';
import type { Rereader } from '../../src/view/growing-file.ts';
import type { ServedFile } from '../../src/view/served-file.ts';
import { ViewedFile } from '../../src/view/viewed-file.ts';

/** Reads a growing recording in this thread, as the live page's own thread does. */
export function rereadHere(path: string): Rereader {
  const reading = openProfile(path).then(
    (opened) => new ViewedFile(path, opened, { isLive: true }),
  );
  return {
    ...servedHere(path, reading),
    async reread(from, isLast) {
      (await reading).replace(await openProfile(from), { isLive: !isLast });
    },
    close: async () => {},
  };
}

/** Answers for a recording that is read in this thread, as the threads of `view` do. */
export function servedHere(path: string, reading: Promise<ViewedFile>): ServedFile {
  return {
    name: basename(path),
    pageData: async () => (await reading).pageData(),
    pageReport: async () => (await reading).pageReport(),
    firstAnswer: async () => (await reading).firstAnswer(),
    download: async (format, part) => (await reading).download(format, part),
    hotSources: async () => (await reading).hotSources(),
    source: async (string) => (await reading).source(string),
    assembly: async (func) => (await reading).assembly(func),
  };
}
