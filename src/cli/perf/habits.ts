import { endingOf } from '../../options/export.ts';

/** First words of samply, 0x, clinic, py-spy and browsers that mean a command of perf-ts, by the words of that. */
const SAME_COMMAND: Readonly<Record<string, readonly string[]>> = {
  load: ['view'],
  import: ['view'],
  ui: ['view'],
  gui: ['view'],
  web: ['view'],
  serve: ['view'],
  flame: ['view'],
  tree: ['report', '--tree'],
  compare: ['diff'],
  html: ['export', '--format', 'html', '-o', 'perf.html'],
};

/** First words that mean something which takes more to say, by what to type. */
const OTHER_COMMAND: Readonly<Record<string, string>> = {
  profile: 'a program from its start: perf-ts record -- node app.js',
  start: 'a program: perf-ts record -- node app.js; one that runs: perf-ts record -g -p PID',
  attach: 'a program that runs: perf-ts record -g -p PID --duration 10',
  bubbleprof: 'what a program waits for: perf-ts record --off-cpu -g -- node app.js',
  dump: 'stacks of a process as it runs: perf-ts top -p PID; single samples: perf-ts script',
  heapprofiler: 'memory is not sampled: node --heap-prof writes a file that perf-ts view opens',
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
    '--alloc': 'memory is not sampled: -e page-faults samples where it is first touched',
    '--lock': 'what threads wait for: --off-cpu',
    '--wall': 'time of any kind: --off-cpu',
    '--interval': 'time between samples is a rate here: -F 1000 is every millisecond',
    '-i': 'time between samples is a rate here: -F 1000 is every millisecond',
    '--title': 'perf-ts export --format html --title TEXT -o app.html',
    '--root': 'sudo goes in front: sudo perf-ts record …',
    '--bin': 'a program is named behind --: perf-ts record -- target/release/app',
  },
  report: {
    '--lines': 'rows by source line: --sort srcline',
  },
};

/** `perf-ts --prof app.js`: options of Node and of 0x in front of a program. */
const NODE_OPTION = /^--(?:prof|cpu-prof|inspect|heap-prof)\b/;

/** The words of a command line as perf-ts has them, where they are those of another profiler that mean the same. */
export function fromHabit(words: readonly string[]): readonly string[] {
  const [first = '', second = ''] = words;
  if (Object.hasOwn(SAME_COMMAND, first)) return [...SAME_COMMAND[first], ...words.slice(1)];
  if (first === '--help' && second !== '') return ['help', second];
  if (first === 'profile' && second !== '') {
    return ['record', '-g', ...(second.startsWith('-') ? [] : ['--']), ...words.slice(1)];
  }
  return first === 'export' ? exportWords(words) : words;
}

/** `export speedscope`, `export -f speedscope`: the format as it is asked for, and a file where none is named. */
function exportWords(words: readonly string[]): readonly string[] {
  const [, second = '', third = ''] = words;
  const format = second === '-f' ? third : second;
  const file = fileOfFormat(format);
  if (file === null) return words;
  const rest = words.slice(second === '-f' ? 3 : 2);
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
  if (NODE_OPTION.test(word))
    return 'perf-ts needs no option of Node: perf-ts record -- node app.js';
  return Object.hasOwn(OTHER_COMMAND, word) ? OTHER_COMMAND[word] : null;
}

/** Advice for an option of another profiler; null where it is none. */
export function insteadOfHabitualOption(command: string, flag: string): string | null {
  const lines = OTHER_OPTION[command] ?? {};
  return Object.hasOwn(lines, flag) ? lines[flag] : null;
}
