import { endingOf } from '../../options/export.ts';
import { SYSTEM_CALLS } from './perf-commands.ts';

/** First words of samply, 0x, clinic, py-spy and browsers, and names of what is slow, that mean a command of perf-ts, by the words of that. */
const SAME_COMMAND: Readonly<Record<string, readonly string[]>> = {
  load: ['view'],
  import: ['view'],
  ui: ['view'],
  gui: ['view'],
  web: ['view'],
  serve: ['view'],
  server: ['view'],
  flame: ['view'],
  flamegraph: ['view'],
  timeline: ['view'],
  hotspot: ['view'],
  tree: ['report', '--tree'],
  callgraph: ['report', '--tree'],
  'call-graph': ['report', '--tree'],
  summary: ['report'],
  analyze: ['report'],
  analyse: ['report'],
  show: ['report'],
  hotspots: ['report'],
  functions: ['report'],
  lines: ['report', '--sort', 'srcline'],
  threads: ['report', '--sort', 'tid'],
  json: ['report', '--json'],
  csv: ['report', '-t', ','],
  compare: ['diff'],
  monitor: ['top'],
  clean: ['doctor', '--clean'],
  loop: ['turns'],
  eventloop: ['turns'],
  'event-loop': ['turns'],
  lag: ['turns'],
  request: ['report', '--by', 'request'],
  requests: ['report', '--by', 'request'],
  routes: ['report', '--by', 'request'],
  latency: ['report', '--by', 'request'],
  '?': ['help'],
  '-?': ['help'],
  '--usage': ['help'],
  docs: ['help'],
  html: ['export', '--format', 'html', '-o', 'perf.html'],
  svg: ['export', '--format', 'svg', '-o', 'perf.svg'],
  speedscope: ['export', '--format', 'speedscope', '-o', 'perf.speedscope.json'],
  folded: ['export', '--format', 'folded', '-o', '-'],
  collapse: ['export', '--format', 'folded', '-o', '-'],
  stackcollapse: ['export', '--format', 'folded', '-o', '-'],
};

/** Commands that these words mean with a program behind them, or with a process: it is recorded for the picture. */
const MEASURING: Readonly<Record<string, readonly string[]>> = {
  flame: ['run', '-o', 'flamegraph.html'],
  flamegraph: ['run', '-o', 'flamegraph.html'],
  doctor: ['run'],
  bubbleprof: ['run', '--off-cpu'],
  wall: ['run', '--off-cpu'],
  'off-cpu': ['run', '--off-cpu'],
  offcpu: ['run', '--off-cpu'],
  heapprofiler: ['run', '--memory'],
  heap: ['run', '--memory'],
  memory: ['run', '--memory'],
  alloc: ['run', '--memory'],
  leak: ['run', '--memory=live'],
  wait: ['run', '--off-cpu'],
  waits: ['run', '--off-cpu'],
  requests: ['run'],
  latency: ['run'],
  loop: ['run'],
  eventloop: ['run'],
  'event-loop': ['run'],
  gc: ['run'],
  slow: ['run'],
  exec: ['run'],
};

/** Words that begin the command line of a program, where no `--` does. */
const PROGRAM = /^(?:node|deno|bunx?|npm|npx|pnpm|yarn|tsx|ts-node)$|\.[cm]?[jt]sx?$/;

const ATTACH = 'a process that runs: perf-ts record -g -p PID --duration 10';
const NO_AGENT = 'a recording ends with Ctrl-C, or by itself: perf-ts record -p PID --duration 30';
const MEMORY =
  'memory: who takes it: perf-ts record --memory -- node app.js; who made what is there is in the file of node ' +
  '--heap-prof, which perf-ts report reads';
const KEPT = 'memory that is kept: who made it: perf-ts record --memory=live -- node app.js';
const HAND_ON = 'nothing leaves this machine; a page to hand on: perf-ts export -o app.html';
const TITLE = 'perf-ts export --format html --title TEXT -o app.html';
const KERNEL = 'kernel code is recorded wherever this user may: perf-ts doctor';
const SUDO = 'sudo goes in front: sudo perf-ts record -- ./app';
const BUILT = 'cargo builds it first; then: perf-ts record -- target/release/app';
const RUNS = 'several runs and their spread: perf-ts stat -r 10 -- node app.js';
const LAUNCH = 'a program: perf-ts record -- ./app; one that runs: perf-ts record -g -p PID';
const PPROF =
  'a profile of pprof in the browser: perf-ts view FILE; as a table: perf-ts report FILE';
const DEVTOOLS = 'a file that DevTools and VS Code open: perf-ts export -o app.cpuprofile';
const REDIRECTED =
  'the text: perf-ts report > report.txt; a page or a file of another tool: perf-ts export -o app.html';
const WAITS = 'what a program waits for: perf-ts record --off-cpu -- node app.js';
const THAT_WAIT = 'who waited, and for what: -e off-cpu';
const OF_ROUTES = 'how long each route took, and what ran for it: --by request';
const SLOW = 'where its time goes: perf-ts app.js; of one that runs: perf-ts -p PID';
const COLLECTOR =
  "the collector's share is a row of perf-ts report; who gives it work: perf-ts record --memory -- node app.js";
const SET_UP = 'nothing has to be set up; what stands in the way here: perf-ts doctor';
const AGENT =
  'profiles without an end, sent to Pyroscope, Parca, an OTLP receiver or a folder: perf-ts agent --sink folder:profiles';
const OWN_NAME = 'leave the name out: perf-ts record -- node app.js';
const NOT_HERE = 'no program on the PATH has this name: install it, or type where it is';
const SERVED_HERE =
  'the page is for this machine alone; from another: ssh -L 3000:127.0.0.1:3000 HOST perf-ts view --port 3000';
const PROBES = "probes of the kernel: sudo perf-ts record -e 'sched:*' -c 1 -- ./app; perf-ts list";
const UNDER_LOAD =
  "a server under load: perf-ts record --ready URL --load 'autocannon URL' -- node server.js";

/** First words that mean something which takes more to say, by what to type. */
const OTHER_COMMAND: Readonly<Record<string, string>> = {
  profile: 'a program from its start: perf-ts record -- node app.js',
  start: 'a program: perf-ts record -- node app.js; one that runs: perf-ts record -g -p PID',
  attach: ATTACH,
  collect: ATTACH,
  stop: NO_AGENT,
  resume: NO_AGENT,
  status: NO_AGENT,
  bubbleprof: WAITS,
  wall: WAITS,
  'off-cpu': WAITS,
  offcpu: WAITS,
  io: WAITS,
  wait: WAITS,
  waits: WAITS,
  waiting: WAITS,
  blocked: WAITS,
  leak: KEPT,
  leaks: KEPT,
  rss: MEMORY,
  gc: COLLECTOR,
  slow: SLOW,
  why: SLOW,
  pid: ATTACH,
  dump: 'stacks of a process as it runs: perf-ts top -p PID; single samples: perf-ts script',
  heapprofiler: MEMORY,
  heap: MEMORY,
  memory: MEMORY,
  alloc: MEMORY,
  snapshot: MEMORY,
  'heap-snapshot': MEMORY,
  setup: SET_UP,
  init: SET_UP,
  inspect: DEVTOOLS,
  devtools: DEVTOOLS,
  chrome: DEVTOOLS,
  convert: 'another format, by the ending of its name: perf-ts export -i perf.data -o app.html',
  callers: 'who called a function: perf-ts report -S NAME -G',
  strace: SYSTEM_CALLS,
  offcputime: WAITS,
  offwaketime: WAITS,
  pyroscope: AGENT,
  parca: AGENT,
  'parca-agent': AGENT,
  clinic: OWN_NAME,
  samply: OWN_NAME,
  '0x': OWN_NAME,
  'py-spy': OWN_NAME,
  asprof: OWN_NAME,
  austin: OWN_NAME,
  rbspy: OWN_NAME,
  vtune: OWN_NAME,
  'magic-trace': OWN_NAME,
  node: NOT_HERE,
  deno: NOT_HERE,
  bun: NOT_HERE,
  bunx: NOT_HERE,
  pnpm: NOT_HERE,
  yarn: NOT_HERE,
  dtrace: PROBES,
  bpftrace: PROBES,
  '-n': PROBES,
  '-l': 'what can be sampled here: perf-ts list',
  '-m': RUNS,
  hyperfine: RUNS,
  bench: RUNS,
  upload: HAND_ON,
  ask: HAND_ON,
  '--heap-prof': MEMORY,
  '--prof-process': 'perf-ts reads its own recordings and .cpuprofile files: perf-ts view FILE',
  '--on-port': UNDER_LOAD,
  '-P': UNDER_LOAD,
  '--open': 'the page, when it is recorded: perf-ts view',
  '--visualize-only': 'a recording in the browser: perf-ts view FILE',
  '--title': TITLE,
  '--kernel-tracing': KERNEL,
  '--root': SUDO,
  '--bin': BUILT,
  '--release': BUILT,
  '--warmup': RUNS,
  '--runs': RUNS,
  '-r': RUNS,
  '-w': RUNS,
  xctrace: LAUNCH,
  instruments: LAUNCH,
  pprof: PPROF,
  '-d': ATTACH,
  '-f': ATTACH,
  '-i': ATTACH,
  '-Cp': ATTACH,
  '-list': 'source lines of a function: perf-ts annotate NAME -i FILE',
  '-report': 'where the time went: perf-ts report',
  '--exportTo': 'a file of another tool: perf-ts export -o app.firefox.json',
};

/** Options of other profilers that perf-ts has by another name, by command: what to type. */
const OTHER_OPTION: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  record: {
    '--format': 'the format is chosen at the export: perf-ts export --format speedscope -o x.json',
    '-f': 'the format is chosen at the export: perf-ts export --format speedscope -o x.json',
    '--open': 'the page while it is recorded: --view; later: perf-ts view',
    '-r': 'samples a second: -F 1000',
    '--gil': 'only what is on a CPU is sampled: leave it out',
    '--idle': 'time in which threads wait: --off-cpu',
    '--threads': 'perf-ts report --sort tid has a row for each thread: leave it out',
    '--locals': 'values of variables are not recorded: leave it out',
    '--alloc': MEMORY,
    '--heap': MEMORY,
    '--heap-prof': MEMORY,
    '--leak': KEPT,
    '--waits': 'what threads wait for: --off-cpu',
    '--lock': 'what threads wait for: --off-cpu',
    '--wall': 'time of any kind: --off-cpu',
    '--sampling-interval': 'time between samples is a rate here: -F 1000 is every millisecond',
    '--timeout': 'stop by itself: --duration 10',
    '--time': 'stop by itself: --duration 10',
    '--cpu-prof': 'perf-ts needs no option of Node: leave it out',
    '--prof': 'perf-ts needs no option of Node: leave it out',
    '--cwd': 'the shell changes the folder: (cd DIR && perf-ts record -- ./app)',
    '--env': 'variables stand before the program: perf-ts record -- NAME=value ./app',
    '--name': 'a process by its name: perf-ts record -p "$(pgrep -n node)"',
    '--interval': 'time between samples is a rate here: -F 1000 is every millisecond',
    '-i': 'time between samples is a rate here: -F 1000 is every millisecond',
    '--profile-name': TITLE,
    '--title': TITLE,
    '--release': BUILT,
    '--bin': BUILT,
    '--root': SUDO,
    '--kernel-tracing': KERNEL,
    '--iteration-count': RUNS,
    '--reuse-threads': RUNS,
    '--warmup': RUNS,
    '--per-cpu-threads': 'each CPU has its row: leave it out; then: perf-ts report --sort cpu',
    '--cswitch-markers': 'when threads run and wait: --switch-events, or --off-cpu',
    '--include-args': 'its arguments are in the head of perf-ts report: leave it out',
    '--raw-file':
      'the recording is the raw data: -o perf.data; a picture of it: perf-ts export -o app.svg',
    '--output-dir': 'the file is named: -o DIR/perf.data',
    '--collect-delay': 'begin to sample later: -D 500',
    '--main-thread-only': 'each thread has its row: leave it out; then: perf-ts report --sort tid',
    '--unstable-presymbolicate': 'what names the samples goes with the recording: --archive',
    '--template': LAUNCH,
    '--launch': LAUNCH,
  },
  run: { '-f': ATTACH, '-d': ATTACH, '-i': ATTACH, '--on-port': UNDER_LOAD },
  doctor: { '--on-port': UNDER_LOAD },
  view: {
    '--bin': BUILT,
    '--bench': BUILT,
    '--release': BUILT,
    '-P': 'the port of the page: --port 3000',
    '--host': SERVED_HERE,
    '--address': SERVED_HERE,
    '--perfdata': 'a recording in the browser: perf-ts view FILE',
    '--flame': 'the flame graph is the first tab: perf-ts view',
  },
  report: {
    '--lines': 'rows by source line: --sort srcline',
    '--memory': 'who took memory: -e new-memory; who made objects: -e heap-allocated',
    '--heap': 'who made objects: -e heap-allocated',
    '--waits': THAT_WAIT,
    '--off-cpu': THAT_WAIT,
    '--requests': OF_ROUTES,
    '--routes': OF_ROUTES,
    '-o': REDIRECTED,
    '--output': REDIRECTED,
  },
};

/** `perf-ts --prof app.js`: options of Node in front of a program; the first mean nothing else than `perf-ts app.js`. */
const PROFILE_OPTION = /^--(?:prof|cpu-prof)$/;
const NODE_OPTION = /^--(?:prof|cpu-prof|inspect(?:-brk)?|heap-prof)\b/;
const ID = /^\d+$/;
const ADDRESS = /^https?:/;
/** Options by which pprof shows a file, and the command of perf-ts that shows it so. */
const PPROF_OPTIONS: readonly (readonly [option: RegExp, ...command: string[]])[] = [
  [/^--?http=/, 'view'],
  [/^-web$/, 'view'],
  [/^-top$/, 'report'],
  [/^-svg$/, 'export', '-o', 'perf.svg'],
];

/** The words of a command line as perf-ts has them, where they are those of another profiler that mean the same. */
export function fromHabit(words: readonly string[]): readonly string[] {
  const [first = '', second = '', ...rest] = words;
  if (first === 'pprof' && second !== '') {
    const isFile = !second.startsWith('-');
    return isFile ? ['view', second, ...rest] : fromHabit(words.slice(1));
  }
  const [, ...shown] = PPROF_OPTIONS.find(([option]) => option.test(first)) ?? [];
  if (shown.length > 0 && second !== '') return [...shown, ...words.slice(1)];
  if (first === '-collect') return ['run', ...rest];
  const isProgram = PROGRAM.test(second);
  const isMeasured = words.some((word) => word === '--' || word === '-p' || word === '--pid');
  if (Object.hasOwn(MEASURING, first) && (isMeasured || isProgram)) {
    // The picture may have a name already.
    const [run, ...more] = MEASURING[first];
    const begin = isProgram ? ['--'] : [];
    return [run, ...(second === '-o' ? [] : more), ...begin, ...words.slice(1)];
  }
  if (Object.hasOwn(SAME_COMMAND, first)) return [...SAME_COMMAND[first], ...words.slice(1)];
  if (first === '--help' && second !== '') return ['help', second];
  if (PROFILE_OPTION.test(first) && second !== '' && !second.startsWith('-')) {
    return ['run', '--', second, ...rest];
  }
  if (/^(?:attach|start|profile)$/.test(first) && ID.test(second))
    return ['run', '-p', second, ...rest];
  if (first === 'profile' && second !== '') {
    return ['record', '-g', ...(second.startsWith('-') ? [] : ['--']), ...words.slice(1)];
  }
  if (first === 'export') return exportWords(words);
  if (first === 'record' || first === 'run') return withKnownEvents(words);
  return asyncProfilerWords(/^(?:collect|start)$/.test(first) ? words.slice(1) : words) ?? words;
}

/** Events of async-profiler, by the options of `record` that record the same. */
const ITS_EVENTS: Readonly<Record<string, readonly string[]>> = {
  cpu: [],
  itimer: [],
  ctimer: [],
  wall: ['--off-cpu'],
  lock: ['--off-cpu'],
  alloc: ['--memory'],
  nativemem: ['--memory'],
};

/** `record -e wall -- node app.js`: an event of async-profiler in front of the command. */
function withKnownEvents(words: readonly string[]): readonly string[] {
  const at = words.indexOf('-e');
  const end = words.indexOf('--');
  const event = words[at + 1] ?? '';
  if (at < 0 || (end >= 0 && end < at) || !Object.hasOwn(ITS_EVENTS, event)) return words;
  return [...words.slice(0, at), ...ITS_EVENTS[event], ...words.slice(at + 2)];
}

/** Options of async-profiler, whose last word is a process, by the words of `run`; null where it has none. */
const ASYNC_PROFILER: Readonly<Record<string, (value: string) => readonly string[] | null>> = {
  '-d': (seconds) => ['--duration', seconds],
  '-f': (file) => ['-o', file],
  '-e': (event) => (Object.hasOwn(ITS_EVENTS, event) ? ITS_EVENTS[event] : null),
};

/** `1234`, `-e cpu -d 30 -f flame.html 1234`: a process that is recorded; null for other words. */
function asyncProfilerWords(words: readonly string[]): readonly string[] | null {
  const pid = words.at(-1) ?? '';
  if (!ID.test(pid) || words.length % 2 === 0) return null;
  const meant: string[] = [];
  for (let at = 0; at + 1 < words.length; at += 2) {
    const option = Object.hasOwn(ASYNC_PROFILER, words[at]) ? ASYNC_PROFILER[words[at]] : null;
    const own = words[at + 1].startsWith('-') ? null : (option?.(words[at + 1]) ?? null);
    if (own === null) return null;
    meant.push(...own);
  }
  return ['run', '-p', pid, ...meant];
}

/** Formats by the names that other tools have for them. */
const OTHER_FORMAT: Readonly<Record<string, string>> = {
  collapsed: 'folded',
  flamegraph: 'html',
  chrome: 'cpuprofile',
  devtools: 'cpuprofile',
  gecko: 'firefox',
};

/** `export speedscope`, `export -f speedscope`: the format as it is asked for, and a file where none is named. */
function exportWords(words: readonly string[]): readonly string[] {
  const [, second = '', third = ''] = words;
  const isOption = second === '-f' || second === '--format';
  const named = isOption ? third : second;
  const format = Object.hasOwn(OTHER_FORMAT, named) ? OTHER_FORMAT[named] : named;
  const file = fileOfFormat(format);
  if (file === null) return words;
  const rest = words.slice(isOption ? 3 : 2);
  const isNamed = rest.some((word) => /^(?:-o|--output(?:=|$))/.test(word));
  return ['export', '--format', format, ...(isNamed ? [] : ['-o', file]), ...rest];
}

/** The file of an export that names none; null for what is no format, and for a folder of tables. */
function fileOfFormat(format: string): string | null {
  if (format === 'folded') return '-';
  const ending = format === 'parquet' ? null : endingOf(format);
  return ending === null ? null : `perf${ending}`;
}

/** Advice for a first word of another profiler; null where it is none. */
export function insteadOfHabit(word: string): string | null {
  if (Object.hasOwn(OTHER_COMMAND, word)) return OTHER_COMMAND[word];
  if (ADDRESS.test(word)) return UNDER_LOAD;
  if (NODE_OPTION.test(word))
    return 'perf-ts needs no option of Node: perf-ts record -- node app.js';
  return word.startsWith('-') ? insteadOfHabitualOption('run', word) : null;
}

const OPTIONS_OF_NODE = 'options of Node stand behind node: perf-ts node --import tsx app.ts';

/** `--import`, `--max-old-space-size=100`: Node has such an option. */
function isOfNode(word: string): boolean {
  const flag = word.replace(/=.*$/s, '');
  if (!flag.startsWith('--')) return false;
  return (
    /^--(?:watch|test|run|expose-gc)$/.test(flag) || process.allowedNodeEnvironmentFlags.has(flag)
  );
}

/** Advice for an option of another profiler; null where it is none. */
export function insteadOfHabitualOption(command: string, flag: string): string | null {
  const isRun = command === 'run';
  const lines = {
    ...(isRun && { ...OTHER_OPTION.record, ...OTHER_COMMAND }),
    ...OTHER_OPTION[command],
  };
  if (Object.hasOwn(lines, flag)) return lines[flag];
  return (isRun || command === 'record') && isOfNode(flag) ? OPTIONS_OF_NODE : null;
}
