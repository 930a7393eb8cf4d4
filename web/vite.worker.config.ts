import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const here = fileURLToPath(new URL('.', import.meta.url));

/** The worker, one classic script beside the page's: a page that is a file starts it from a blob. */
export default defineConfig({
  root: here,
  logLevel: 'warn',
  publicDir: false,
  build: {
    outDir: '../dist/web',
    emptyOutDir: false,
    target: 'es2022',
    lib: {
      entry: 'src/worker/main.ts',
      formats: ['iife'],
      name: 'perfTsWorker',
      fileName: () => 'worker.js',
    },
  },
});
