// The page's worker as a module for Node: the sources themselves, without a browser or its messages.

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'vite';
import { outDirectory, root } from '../measure.mjs';

/** Bundles a TypeScript file of this repository and imports it. */
export async function importBundled(path) {
  const name = `${path.replaceAll('/', '-')}-${process.pid}.mjs`;
  await build({
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    build: {
      ssr: join(root, path),
      outDir: join(outDirectory, 'page'),
      emptyOutDir: false,
      rolldownOptions: { output: { entryFileNames: name, codeSplitting: false } },
    },
  });
  return import(pathToFileURL(join(outDirectory, 'page', name)).href);
}
