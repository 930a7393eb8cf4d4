/**
 * `perf-ts/register`: loaded into a program by its user, with `import` or `node --import perf-ts/register`. It lets
 * a recorder ask for V8's code later, and does nothing else until one does.
 */

// biome-ignore-all lint/style/noCommonJs: a preload of --require is CommonJS.
const { isMainThread } = require('./thread-note.cjs') as typeof import('./thread-note.cts');

const NAMING = /(?:^|\s)--perf[-_](?:basic[-_])?prof\b/;

try {
  if (isMainThread) (require('./listen.cjs') as typeof import('./listen.cts')).listen();
} catch {
  // There is no such library here, or another user has taken the place: the program runs as it does without us.
}
try {
  const given = `${process.env.NODE_OPTIONS ?? ''} ${process.execArgv.join(' ')}`;
  if (NAMING.test(given))
    (require('./with-map.cjs') as typeof import('./with-map.cts')).noteSources(null);
} catch {
  // V8's map has no notes then.
}
