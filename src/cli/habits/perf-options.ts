// Options of perf 6 that perf-ts does not have, by command: what to do in place of each. Options that ask
// for what perf-ts does anyway are in same-options.ts.

/** Advice by the options, long and short, that it stands for. */
type Lines = Readonly<Record<string, string>>;

const NO_TRACES = 'perf-ts records no instruction traces (Intel PT, CoreSight): perf does';
const ONLY_TUNES = 'it tunes how perf itself works: leave it out';
const NO_FILTER = 'rows are selected by --comm, --dso, --symbol, --pid, --tid, --cpu and --time';
const BRANCHES =
  'perf report -b reads the same file: perf-ts records branches (record -b) and script prints them';

const READING: Lines = {
  '-M --disassembler-style --asm-raw --objdump': 'perf-ts disassembles by itself: leave it out',
  '-m --modules --ignore-vmlinux': 'symbols of the kernel: --kallsyms takes a vmlinux, too',
  '-x --exclude-other -p --parent --ignore-callees': NO_FILTER,
  '-w --column-widths': 'columns are as wide as they need: -t , prints them without padding',
  '--prefix --prefix-strip': 'where sources are: --symfs DIR',
  '--source': 'perf-ts annotate shows sources',
  '--branch-history -b --branch-stack --total-cycles --stitch-lbr': BRANCHES,
  '--itrace --call-ret-trace --call-trace --insn-trace --xed': NO_TRACES,
  '--disable-order':
    'records are put in the order of their times always; perf-ts script -D shows them as stored',
  '--dump-unsorted-raw-trace': 'perf-ts script -D dumps the records as stored',
  '--full-source-path':
    '--sort srcline and perf-ts script -F +srcline show paths as they are recorded',
  '--group-sort-idx': 'rows of a group are by its first event; -e EVENT shows another',
  '--hierarchy': 'perf-ts report --sort comm,dso,sym has a row for each combination',
  '--symbol-filter': '-S NAME selects a function',
  '--max-stack': 'stacks are shown whole; -F, --percent-limit and --limit shorten what is printed',
  '--latency --parallelism':
    '--weight wall divides each moment among the threads that ran, after perf-ts record --switch-events',
  '--mem-mode': 'perf mem report reads the same file',
  '--percent-type': '--weight samples|period|events|time|wall chooses what a sample counts for',
  '--percentage': 'shares are always of the whole recording or of what is selected: leave it out',
  '--pretty': '-t , prints fields for programs, --json a document',
  '--raw-trace': 'perf-ts script prints tracepoints with their fields',
  '--samples': 'perf-ts script prints single samples',
  '--show-cpu-utilization': '--sort cpu, or -F overhead,sym per part of the code',
  '--show-on-off-events --switch-off --switch-on':
    '--time START,STOP selects a part of the recording',
  '--show-ref-call-graph': 'each event has a table of its own: -e EVENT --tree',
  '--socket-filter': '-C CPUS selects processors',
  '--time-quantum':
    '--time 10%/2 selects parts of equal length, perf-ts view shows the course of time',
  '-T --threads': '--sort thread has a row for each thread',
  '--tasks': 'perf-ts script --show-task-events prints the processes',
  '--mmaps': 'perf-ts script --show-mmap-events prints the mappings',
  '-D --dump-raw-trace': 'perf-ts script -D dumps the records',
  '--no-call-graph': '-g none is the flat table',
  '--stdio-color': '--color always|never',
  '--no-demangle': 'names are demangled always; --json has them whole',
  '-U --hide-unresolved':
    'rows without a name stay, so that the sum is right; -S NAME selects functions',
  '--ns': 'perf-ts script --ns prints nanoseconds',
};

const RECORD: Lines = {
  '--latency': 'perf-ts record --switch-events, then perf-ts report --weight wall',
  '-r --realtime':
    'give the recorder a real-time priority from outside: chrt -f 1 perf-ts record …',
  '-S --snapshot': '--overwrite keeps the last samples, and SIGUSR2 writes them',
  '--aux-sample': NO_TRACES,
  '--affinity --mmap-flush --num-thread-synthesize --proc-map-timeout': ONLY_TUNES,
  '--clang-opt --clang-path': 'perf-ts loads no BPF programs: leave it out',
  '--debuginfod': 'perf-ts report --debuginfod asks the servers when names are needed',
  '--group': "events that are counted together stand in braces: -e '{cycles,instructions}'",
  '--filter':
    'all samples of a tracepoint are recorded: perf-ts script --json | jq selects; perf record --filter writes the same kind of file',
  '--exclude-perf':
    'what perf-ts does itself has rows of its own (--sort comm); with -p or a command it is left out',
  '--kcore': 'perf-ts archive stores the symbols of the kernel with the recording',
  '--kernel-callchains': 'stacks of the kernel only: -e cycles:k -g',
  '--user-callchains': 'stacks of user code only: -e cycles:u -g',
  '--bpf-event --no-bpf-event':
    'BPF programs are recorded always, which takes next to no room: leave it out',
  '--no-buffering': 'records are written every 100 ms: leave it out',
  '--running-time': '--counts records the counter with each sample',
  '--switch-output-event':
    '--control lets a program say when: switch-output is sent to it as snapshot',
  '--synth --tail-synthesize': 'processes that run already are described always: leave it out',
  '--timestamp-filename':
    '--switch-output names files by time; -o "perf.data.$(date +%s)" names one',
  '--transaction': 'transactions have no field of their own: -e cpu/tx-abort/ counts them',
  '--vmlinux': 'symbols of the kernel are chosen at the report: perf-ts report --kallsyms vmlinux',
};

const STAT: Lines = {
  '-g --group': "events that are counted together stand in braces: -e '{cycles,instructions}'",
  '-G --cgroup': '-a --for-each-cgroup PATHS counts control groups',
  '-M --metrics':
    'metrics of the counted events are printed beside them; --topdown has those of the pipeline',
  '-n --null': 'for times alone: perf-ts stat -e duration_time,task-clock',
  '-S --sync': 'run it before: sync; perf-ts stat …',
  '-T --transaction': '-e cpu/tx-start/,cpu/tx-abort/ counts transactions',
  '--append': 'the shell appends: perf-ts stat -o - … >> FILE',
  '--control': 'perf-ts record --stat --control counts what a program switches on and off',
  '--cputype': 'the PMU is named with the event: -e cpu_core/cycles/',
  '--filter':
    'a count has no filter: perf stat --filter counts so, or record the tracepoint and select with perf-ts script --json | jq',
  '--hybrid-merge': 'events of all kinds of cores are listed singly: leave it out',
  '--interval-clear': 'watch -n 1 perf-ts stat … clears the screen',
  '--iostat': "-e 'uncore_iio_*/…/' counts, perf-ts list shows what there is",
  '--log-fd': 'the shell names the descriptor: -o /dev/fd/N',
  '--metric-no-group --metric-no-merge': 'events are grouped by braces only: leave it out',
  '--metric-only': '--json has metrics as fields of their own',
  '--no-merge': 'events of each PMU are listed singly where they are named so: leave it out',
  '--per-die --per-node': '--per-socket, or --no-aggr for each CPU',
  '--percore-show-thread': '--no-aggr shows each CPU',
  '--post': 'the shell runs it after: perf-ts stat … ; COMMAND',
  '--pre': 'the shell runs it before: COMMAND; perf-ts stat …',
  '--no-scale':
    'the share of time that an event was counted is printed beside it; --json has the raw counts',
  '--smi-cost': '-e msr/smi/,msr/aperf/ counts system management interrupts',
  '--summary': '-I prints the sum at the end always: leave it out',
  '--json-output': 'it is -j here: perf-ts stat -j',
  '--td-level': '--topdown prints the levels that this CPU counts',
};

const TOP: Lines = {
  '-b --branch-any -j --branch-filter': BRANCHES,
  '-D --dump-symtab': 'PERF_TS_DEBUG=symbols prints which files gave names',
  '-f --count-filter --percent-limit': '-n ROWS shows the first rows only',
  '-K --hide_kernel_symbols': 'user code only: --all-user',
  '-U --hide_user_symbols': 'kernel code only: --all-kernel',
  '-k --vmlinux':
    'for other symbols of the kernel: perf-ts record, then perf-ts report --kallsyms vmlinux',
  '--kallsyms': 'perf-ts record, then perf-ts report --kallsyms FILE',
  '-r --realtime': 'give it a real-time priority from outside: chrt -f 1 perf-ts top',
  '-z --zero': '--window S shows the last seconds only',
  '--children': 'both are shown with -g: self, and the total with what was called',
  '--comms': 'the key / filters rows; -p PID watches a process',
  '--dsos --symbols': 'the key / filters rows',
  '--fields': '-s KEYS chooses what rows are by',
  '--show-total-period': '--weight period is the default, --json has the sums',
  '--sym-annotate': 'perf-ts record, then perf-ts annotate SYMBOL',
  '--overwrite': 'top reads samples as they come: leave it out',
  '--all-cgroups': '-G PATH watches one control group',
  '--namespaces': 'files of other namespaces are found without it: leave it out',
  '--no-bpf-event': 'leave it out',
  '--num-thread-synthesize --proc-map-timeout': ONLY_TUNES,
  '--group': "events that are counted together stand in braces: -e '{cycles,instructions}'",
};

const SCRIPT: Lines = {
  '-a --all-cpus': 'perf-ts script prints a file; sudo perf-ts record -a records',
  '-d --debug-mode': 'perf-ts periods reports what was lost; order is checked always',
  '-g --gen-script':
    'perf-ts script --json prints a line of JSON for each record, for any language',
  '-G --hide-call-graph': '-F comm,tid,cpu,time,event prints samples without stacks',
  '-L --Latency': 'perf script -L reads the same file',
  '-l --list': 'perf-ts has no scripts: --json is for programs, perf-ts export for other tools',
  '-s --script':
    'perf-ts script --json prints a line of JSON for each record; perf script -s reads the same file',
  '--addr-range --graph-function --stop-bt': NO_FILTER,
  '--deltatime --reltime': 'times are those of the recording; --json has them as numbers',
  '--dlarg --dlfilter --list-dlfilters': 'perf script --dlfilter reads the same file',
  '--guest-code --guestkallsyms --guestmodules --guestmount --guestvmlinux':
    'perf script reads the same file, with files of guests',
  '--max-blocks': BRANCHES,
  '--per-event-dump': '-e EVENT prints one event',
  '--show-kernel-path': 'kernel code is [kernel.kallsyms] as in perf: leave it out',
  '--show-round-events': '-D shows all records of the file',
};

const DIFF: Lines = {
  '-b --baseline-only': '--json names functions of each side',
  '--compute': '--by absolute|second|share chooses what is compared',
  '-F --formula': '--json has both figures of each row',
  '-o --order': 'rows are by how much they changed: leave it out',
  '-p --period': '--json has the weights of both sides',
  '-s --sort': 'rows are functions: compare others by two reports with --sort',
  '-t --field-separator': '--json is for programs',
  '--cycles-hist --stream': BRANCHES,
};

const INJECT: Lines = {
  '-j --jit':
    'perf-ts record stores code of Node by itself, with the recording; for other jitdumps: perf inject -j reads the file',
  '-s --sched-stat':
    'perf inject -s reads the same file; waiting is recorded by perf-ts record --off-cpu',
  '--buildid-all': '-b adds the build IDs of mapped files',
  '--known-build-ids': '-b adds the build IDs of files that are on this machine',
  '-k --vmlinux --kallsyms --ignore-vmlinux':
    'symbols are chosen at the report: perf-ts report --kallsyms FILE',
  '--itrace --strip --vm-time-correlation': NO_TRACES,
  '--guest-data': 'perf inject --guest-data reads the same file',
  '--guestmount': 'perf inject --guestmount reads the same file',
};

const ANNOTATE: Lines = {
  '-n --show-nr-samples':
    'the first line has the samples of the function; --json has those of each place',
  '--show-total-period': '--json has the weights, in the unit of the event',
  '-P --full-paths': 'sources have the paths that the program was built with: leave it out',
  '--stdio-color': '--color always|never',
};

const BUILD_IDS: Lines = {
  '-m --kernel-maps': 'perf-ts buildid-list FILE prints the kernel and the modules of a recording',
};

const LIST: Lines = {
  '-d --desc': 'descriptions are shown where there are some: leave it out',
  '--long-desc': 'descriptions are shown where there are some; -v prints more',
  '--cputype': "the PMU stands before the event: perf-ts list 'cpu_core/*'",
  '--debug': '-v prints what each source knows',
  '--deprecated': 'all that the kernel and libpfm know is listed: leave it out',
  '--details': '--json has the attr of each event',
};

const BY_COMMAND: Readonly<Record<string, readonly Lines[]>> = {
  report: [READING],
  annotate: [ANNOTATE, READING],
  diff: [DIFF, READING],
  script: [SCRIPT, READING],
  record: [RECORD],
  stat: [STAT],
  top: [TOP, READING],
  inject: [INJECT],
  'buildid-list': [BUILD_IDS],
  list: [LIST],
};

/**
 * Advice on what to do in place of an option of perf, in the spelling of the command line; null
 * where perf has none.
 */
export function insteadOfOption(command: string, flag: string): string | null {
  for (const lines of BY_COMMAND[command] ?? []) {
    for (const [flags, line] of Object.entries(lines)) {
      if (flags.split(' ').includes(flag)) return line;
    }
  }
  return null;
}
