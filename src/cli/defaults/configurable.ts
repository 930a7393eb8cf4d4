const EVERY = ['color', 'quiet', 'verbose'];
const FILES = ['symfs', 'debug-dir'];
const NAMES = [...FILES, 'no-inline'];
const FRAMES = ['frames', 'js-simple', 'no-source-maps'];
const WEIGHING = [...NAMES, ...FRAMES, 'weight', 'debuginfod'];

/** The options that can have a default of the user's, by command and by their long name. */
const CONFIGURABLE: Readonly<Record<string, readonly string[]>> = {
  record: [
    'event',
    'freq',
    'call-graph',
    'mmap-pages',
    'clockid',
    'no-node-flags',
    'no-attach-js',
    'fail-on-loss',
  ],
  stat: ['event'],
  top: ['event', 'freq', 'call-graph', 'mmap-pages', 'delay', 'window', 'limit'],
  report: [...WEIGHING, 'limit', 'idle'],
  diff: [...WEIGHING, 'limit'],
  export: WEIGHING,
  view: [...WEIGHING, 'port', 'no-open'],
  annotate: [...NAMES, 'weight', 'debuginfod', 'limit'],
  query: [...NAMES, ...FRAMES, 'weight', 'limit', 'max-rows', 'timeout'],
  script: NAMES,
  periods: ['streams'],
  archive: FILES,
};

/**
 * The options on a command line, by commander's names, that make the default of another void: they exclude it,
 * ask for the same in another way, or ask for all there is.
 */
const GIVES_WAY_TO: Readonly<Record<string, readonly string[]>> = {
  event: ['topdown', 'detailed'],
  freq: ['count'],
  'call-graph': ['g'],
  frames: ['jsRaw', 'jsSimple', 'json', 'dso', 'dsos'],
  'js-simple': ['jsRaw', 'frames'],
  limit: ['rows', 'entries', 'json', 'md'],
  debuginfod: ['live'],
};

/** Long names of the options of `command` that can have a default of the user's. */
export function configurableOptions(command: string): readonly string[] {
  return [...EVERY, ...(CONFIGURABLE[command] ?? [])];
}

/** The options that make the default of `name` void where they are given. */
export function optionsBefore(name: string): readonly string[] {
  return GIVES_WAY_TO[name] ?? [];
}
