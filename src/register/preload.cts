/**
 * `perf-ts/register`: loaded into a program by its user, with `import` or `node --import perf-ts/register`. It lets
 * a recorder ask for V8's code later, and does nothing else until one does. A child that inherits NODE_OPTIONS may
 * be any Node: this file has the syntax of Node 8, and leaves where what it requires would not be parsed.
 */

// biome-ignore-all lint/style/noCommonJs: a preload of --require is CommonJS.
const LEAST_MAJOR = 18;
const NAMING = /(?:^|\s)--perf[-_](?:basic[-_])?prof\b/;

/** There may be no such library here, and another user may have taken the place: the program runs as without us. */
function listen(): void {
  try {
    // A snapshot would keep what is loaded, and can't keep a library.
    if (process.execArgv.some((word) => word.startsWith('--build-snapshot'))) return;
    (require('./listen.cjs') as typeof import('./listen.cts')).listen();
  } catch (_error) {
    // Nobody can ask for its code then.
  }
}

/** V8's map names code by functions of what loaders made in memory. */
function noteSources(): void {
  try {
    const given = `${process.env.NODE_OPTIONS || ''} ${process.execArgv.join(' ')}`;
    if (!NAMING.test(given)) return;
    (require('./with-map.cjs') as typeof import('./with-map.cts')).noteSources(null);
  } catch (_error) {
    // V8's map has no notes then.
  }
}

/** Takes all of our files but this one, which its user named, out of what the program can list of its modules. */
function forgetFiles(): void {
  const isAnother = (file: string) => file.startsWith(`${__dirname}/`) && file !== __filename;
  const { _pathCache: paths = {} } = module.constructor as unknown as {
    readonly _pathCache?: Record<string, string>;
  };
  for (const file of Object.keys(require.cache)) {
    if (isAnother(file)) delete require.cache[file];
  }
  for (const key of Object.keys(paths)) if (isAnother(paths[key])) delete paths[key];
}

if (Number.parseInt(process.versions.node, 10) >= LEAST_MAJOR) {
  listen();
  noteSources();
}
try {
  forgetFiles();
} catch (_error) {
  // They are listed then.
}
