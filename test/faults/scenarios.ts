// The command lines whose system calls are failed.

/** `TARGET` among the words stands for the pid of a process that runs meanwhile. */
export type Scenario = {
  readonly name: string;
  readonly words: readonly string[];
  /** A shell command to be attached to. */
  readonly target?: string;
  /** Where the recording goes; null: nothing is recorded. */
  readonly output: 'file' | 'files' | 'stdout' | null;
  /** Whether a command is run, which prints `begun` and, at its end, `ended`. */
  readonly runsCommand: boolean;
};

/** Long enough to be sampled. */
const COMMAND = work(20_000);
/** Long enough for its output to be looked at several times. */
const LONG_COMMAND = work(400_000);
const BUSY = 'while :; do :; done';

const RECORD: readonly Scenario[] = [
  { name: 'record', words: ['record', ...COMMAND], output: 'file', runsCommand: true },
  {
    name: 'record -g',
    words: ['record', '-F', '2000', '-g', ...COMMAND],
    output: 'file',
    runsCommand: true,
  },
  {
    name: 'record dwarf',
    words: ['record', '--call-graph', 'dwarf', ...COMMAND],
    output: 'file',
    runsCommand: true,
  },
  {
    name: 'record -z',
    words: ['record', '-z', '-F', '2000', '--call-graph', 'dwarf', ...COMMAND],
    output: 'file',
    runsCommand: true,
  },
  {
    name: 'record -p',
    words: ['record', '--duration', '0.5', '-p', 'TARGET'],
    target: BUSY,
    output: 'file',
    runsCommand: false,
  },
  {
    name: 'record -a',
    words: ['record', '--duration', '0.5', '-a'],
    target: BUSY,
    output: 'file',
    runsCommand: false,
  },
  {
    name: 'record --switch-output',
    words: ['record', '-F', '20000', '--switch-output=8K', ...LONG_COMMAND],
    output: 'files',
    runsCommand: true,
  },
  {
    name: 'record -o -',
    words: ['record', '-o', '-', ...COMMAND],
    output: 'stdout',
    runsCommand: true,
  },
  {
    name: 'record --stat',
    words: ['record', '--stat', ...COMMAND],
    output: 'file',
    runsCommand: true,
  },
];

const OTHERS: readonly Scenario[] = [
  { name: 'stat', words: ['stat', ...COMMAND], output: null, runsCommand: true },
  {
    name: 'stat -p',
    words: ['stat', '--duration', '0.2', '-p', 'TARGET'],
    target: BUSY,
    output: null,
    runsCommand: false,
  },
  { name: 'report', words: ['report'], output: null, runsCommand: false },
];

function work(rounds: number): readonly string[] {
  const script = `echo begun; i=0; while [ $i -lt ${rounds} ]; do i=$((i+1)); done; echo ended`;
  return ['--', '/bin/sh', '-c', script];
}

export const SCENARIOS: readonly Scenario[] = [...RECORD, ...OTHERS];
