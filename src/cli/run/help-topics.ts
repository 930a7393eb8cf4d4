import type { TopicName } from '../shared/topic-names.ts';

/** A text of `perf-ts help TOPIC`: what it is about, lines to type with what each does, and what to know. */
type Topic = {
  readonly title: string;
  readonly lines: readonly (readonly [typed: string, purpose: string])[];
  readonly notes: readonly string[];
};

/** The topics; the texts are read where one is asked for. */
export const TOPICS: Readonly<Record<TopicName, Topic>> = {
  events: {
    title: 'What is counted until a sample is taken: CPU time unless -e names something else.',
    lines: [
      ['perf-ts list', 'the events of this machine; a word chooses: perf-ts list cache'],
      ['perf-ts record -e page-faults -c 1 -- ./app', 'each page fault'],
      ['perf-ts record -e cycles,cache-misses -- ./app', 'two events, each with its samples'],
      ["perf-ts stat -e '{cycles,instructions}' -- ./app", 'counted, not sampled'],
      ["perf-ts record -e 'sched:*' -c 1 -- ./app", 'tracepoints of the kernel (root)'],
    ],
    notes: [
      'Without hardware counters, as in most virtual machines, a timer stands in for cycles.',
      '-F is samples a second, -c events from one sample to the next; :u behind a name is user code only.',
    ],
  },
  stacks: {
    title: 'Who called whom. Node, Bun and Deno are recorded with stacks, other programs by -g.',
    lines: [
      ['perf-ts record -g -- ./app', 'by frame pointers: cheap'],
      ['perf-ts record --call-graph dwarf -- ./app', 'without frame pointers: copies stacks'],
      ['perf-ts record --call-graph auto -- ./app', 'dwarf only where it is needed'],
      ['perf-ts report --tree', 'callers above what they call'],
      ['perf-ts view', 'as a flame graph'],
    ],
    notes: ['perf-ts report -v shows how many stacks are whole, and where the others end.'],
  },
  symbols: {
    title: 'Names of functions, from files on this machine when a recording is read.',
    lines: [
      ['perf-ts report -v', 'which files gave no names, and why'],
      ['perf-ts archive', 'keeps what names a recording beside it'],
      ['perf-ts report --symfs DIR', 'files of another machine'],
      ['perf-ts buildid-list', 'the files of a recording by build ID'],
    ],
    notes: [
      'A stripped file has the names of what it exports; its debug file, by build ID, has all.',
      'Names of the kernel need kernel.kptr_restrict 0, or root.',
    ],
  },
  javascript: {
    title: 'Functions of JavaScript and TypeScript by name, file and line of the source.',
    lines: [
      ['perf-ts app.js', 'record and report; app.ts by tsx, or by Node where it can'],
      ['perf-ts report --frames own', 'only your files; packages and Node are folded'],
      ['perf-ts report --frames all', 'V8, libc and the kernel function by function'],
      ['perf-ts report --sort srcline', 'by line'],
      ['perf-ts record -p PID --attach-js', 'a Node that was started without perf-ts'],
    ],
    notes: [
      "(kinds) in brackets stand for V8's, Node's and the kernel's own work, counted for its caller.",
    ],
  },
  server: {
    title: 'A server of Node: its routes, what a slow request waited for, a busy event loop.',
    lines: [
      ['perf-ts server.js', 'until Ctrl-C, then the report; load comes from another terminal'],
      ['perf-ts -p 1234 --attach-js', 'one that runs'],
      ['perf-ts report --by request', 'routes: how long they took, what ran for them'],
      ['perf-ts turns', 'how long the event loop was busy at a time, and with what'],
      ['perf-ts report -e off-cpu --tree', 'what was waited for, of a record --off-cpu'],
    ],
    notes: [
      'With the load, from its start to its end: perf-ts record --ready URL --load "npx autocannon URL" -- node server.js',
    ],
  },
  memory: {
    title: 'Who takes memory, and who keeps it.',
    lines: [
      ['perf-ts record --memory -- node app.js', 'new memory, and what V8 allocates'],
      ['perf-ts record --memory=live -- node app.js', 'who made what is still there'],
      ['perf-ts report -e new-memory', 'memory taken from the system, by function'],
      ['perf-ts report -e heap-allocated', "objects in V8's heap, by function"],
      ['perf-ts report Heap.1234.heapprofile', 'a file of node --heap-prof'],
    ],
    notes: ['A collection of garbage is a row of every report: (garbage collector).'],
  },
  waits: {
    title: 'Time in which a program is not on a CPU (needs root, or what perf-ts doctor prints).',
    lines: [
      ['sudo perf-ts record --off-cpu -- node app.js', 'what runs, and what is waited for'],
      ['perf-ts report -e off-cpu --tree', 'who waited, and for what'],
      ['perf-ts stat -- node app.js', 'how much of the time it was on a CPU'],
    ],
    notes: [],
  },
  permissions: {
    title:
      'What the kernel lets a user record: own programs, user code only, unless it is told otherwise.',
    lines: [
      ['perf-ts doctor', 'what is allowed here, and the command that allows more'],
      ['sudo perf-ts record -a --duration 5', 'the whole machine'],
      ['sudo perf-ts record --user me -- node app.js', 'with rights of root, the program without'],
    ],
    notes: [
      'kernel.perf_event_paranoid: 2 user code of own programs; 1 their kernel code, too; 0 or less all CPUs.',
    ],
  },
  formats: {
    title: 'Files for other programs, by the ending of their names.',
    lines: [
      ['perf-ts export -o app.html', 'one page: flame graph, tables, source'],
      ['perf-ts export -o app.cpuprofile', "Chrome's DevTools, VS Code"],
      ['perf-ts export -o app.pb.gz', 'go tool pprof, Pyroscope'],
      ['perf-ts export -o app.speedscope.json', 'www.speedscope.app'],
      ['perf-ts export -o app.firefox.json', 'profiler.firefox.com'],
      ['perf-ts export -o app.folded', 'flamegraph.pl'],
      ['perf-ts export -o app.parquet', 'tables for SQL, a folder'],
      ['perf-ts report FILE', 'reads perf.data, .cpuprofile, samply, pprof, folded, speedscope, …'],
    ],
    notes: [
      'perf.data is the format of perf: perf report reads what perf-ts records, and the other way round.',
    ],
  },
  selection: {
    title: 'A part of a recording, for report, view, annotate, export, script and diff alike.',
    lines: [
      ['perf-ts report --time 10%-20%', 'a part of the time; also seconds: --time 3,4.5'],
      ['perf-ts report --comm node --tid 1234', 'threads'],
      ['perf-ts report -S parse', 'samples in a function: parse, app.js:4, a glob'],
      ['perf-ts report -n 0', 'all rows, those that may be chance as well'],
    ],
    notes: [],
  },
  trust: {
    title: 'How sure a number is.',
    lines: [
      ['perf-ts report', 'the interval: a share lies in it in 95 of 100 recordings'],
      ['perf-ts diff OLD NEW', 'changes that are more than chance; several runs a side know more'],
      ['perf-ts periods', 'how samples were spaced, and what was lost'],
      ['perf-ts doctor --selftest --quick', 'checks this machine against known programs'],
    ],
    notes: [
      '~ before an interval: which of two neighbours is larger is not certain. trust: a doubt about the figures.',
    ],
  },
  status: {
    title: 'Exit statuses.',
    lines: [],
    notes: [
      "The command's own, where one ran; 128 + n: it died of signal n.",
      '0 success. 1 nothing was selected, or a gate (--fail-if) is met. 2 the command line is wrong.',
      '3 more was lost than --fail-on-loss allows, or --fail-on found something. 125 perf-ts failed.',
      '126 the command cannot be run. 127 there is no such command.',
    ],
  },
  config: {
    title: "Defaults of one's own.",
    lines: [
      ['PERF_TS_FREQ=999 perf-ts record -- node app.js', 'by variable: PERF_TS_ and the long name'],
      ['perf-ts doctor', 'lists those in force, and the file'],
    ],
    notes: [
      '~/.config/perf-ts/config.json: { "record": { "freq": 999 } }; an option that is typed goes first.',
      'A file in the working folder is never read.',
    ],
  },
};
