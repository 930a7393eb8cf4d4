import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const here = fileURLToPath(new URL('.', import.meta.url));

/** One classic script and one style sheet, which `formats/export/html.ts` puts into a page. */
export default defineConfig({
  root: here,
  logLevel: 'warn',
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    target: 'es2022',
    // Licences of the libraries in the page; the file is packed beside it.
    license: { fileName: 'third-party-licenses.md' },
    lib: {
      entry: 'src/page/main.ts',
      formats: ['iife'],
      name: 'perfTsPage',
      fileName: () => 'page.js',
      cssFileName: 'page',
    },
  },
});
