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
    const { isMainThread } = require('./thread-note.cjs') as typeof import('./thread-note.cts');
    if (isMainThread) (require('./listen.cjs') as typeof import('./listen.cts')).listen();
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

if (Number.parseInt(process.versions.node, 10) >= LEAST_MAJOR) {
  listen();
  noteSources();
}
