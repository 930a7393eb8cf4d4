/**
 * How rolldown makes the command line, dist/bin, of what tsc has made: fewer files to find and to read
 * at each start. Packages stay outside, but for commander: its module loads `node:child_process` for
 * commands that are programs of their own, which perf-ts has none of, and that takes milliseconds.
 */
const EAGER = "require('node:child_process')";
const LATE = "{ get spawn() { return process.getBuiltinModule('node:child_process').spawn; } }";

const commanderWithoutChildren = {
  name: 'commander-without-children',
  transform(code, id) {
    if (!id.endsWith('/commander/lib/command.js')) return null;
    if (!code.includes(EAGER)) throw new Error(`${id} has no ${EAGER}: look at its new version`);
    return code.replace(EAGER, LATE);
  },
};

/**
 * CommonJS, since Node loads it in half the time: an import of `node:fs` as a module runs its getters,
 * which load streams, and each file of a bundle is resolved and linked on its own. The package is one
 * of modules, so the folder says that it is not.
 */
const commonjsFolder = {
  name: 'commonjs-folder',
  generateBundle() {
    const source = `${JSON.stringify({ type: 'commonjs' })}\n`;
    this.emitFile({ type: 'asset', fileName: 'package.json', source });
  },
};

export default {
  input: [
    'dist/cli/main.js',
    'dist/cli/program.js',
    'dist/cli/view/start-view-thread.js',
    'dist/cli/view/view-thread.js',
    'dist/tools/self/self-thread.js',
  ],
  platform: 'node',
  logLevel: 'silent',
  external: [
    'node-gyp-build',
    'fzstd',
    '@jridgewell/trace-mapping',
    '@sveltejs/acorn-typescript',
    'acorn',
    '@alexaltea/capstone-js',
    '@duckdb/node-api',
    'hyparquet-writer',
  ],
  output: {
    dir: 'dist/bin',
    format: 'cjs',
    // Code that V8 has compiled in an earlier run cannot import: `code-cache/bundle.ts` requires.
    dynamicImportInCjs: false,
    // V8 keeps a file with one character beyond Latin-1 in two bytes a character, and every start reads all of it.
    charset: 'ascii',
    comments: { legal: true, annotation: false, jsdoc: false },
  },
  plugins: [commanderWithoutChildren, commonjsFolder],
};
