import { basename } from 'node:path';

/** A command within the words of a program that only runs it. */
export type WrappedCommand = {
  /** Index of its first word. */
  readonly at: number;
  /** True where the environment that the wrapper was given does not reach it, or not NODE_OPTIONS. */
  readonly losesOptions: boolean;
};

type Wrapper = {
  /** Options of one letter that take a value, the rest of the word or the next one. */
  readonly short?: string;
  /** Long options whose value is the next word. */
  readonly long?: readonly string[];
  /** Words before the command that are not options: `timeout 10 node`. */
  readonly operands?: number;
  /** `NAME=value` may stand before the command. */
  readonly assigns?: true;
  /** Options with which the words are not a command that it runs. */
  readonly without?: RegExp;
  /** Options with which NODE_OPTIONS does not reach the command. */
  readonly loses?: RegExp;
  /** The only options with which the environment reaches the command; by default it does. */
  readonly keeps?: RegExp;
  /** True where what it runs depends on who runs it: taken into account for root alone. */
  readonly ofRoot?: true;
};

/** Programs that run the command in their words in their own place, or as a child. */
const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  chrt: {
    short: 'TPD',
    long: ['--sched-runtime', '--sched-period', '--sched-deadline'],
    operands: 1,
    without: /^-(?:p|m|-pid|-max)/,
  },
  'dumb-init': { short: 'r', long: ['--rewrite'] },
  env: {
    short: 'uC',
    long: ['--unset', '--chdir'],
    assigns: true,
    without: /^(?:-S|-\w*S|--split-string)/,
    loses: /^(?:-|-\w*i\w*|--ignore-environment|NODE_OPTIONS=.*|(?:-u|--unset=?)NODE_OPTIONS)$/,
  },
  flock: { short: 'wE', long: ['--timeout', '--wait', '--conflict-exit-code'], operands: 1 },
  gosu: { operands: 1, ofRoot: true },
  ionice: {
    short: 'cnpPu',
    long: ['--class', '--classdata'],
    without: /^-(?:p|P|u|-pid|-pgid|-uid)/,
  },
  nice: { short: 'n', long: ['--adjustment'] },
  nohup: {},
  numactl: {
    short: 'NmiCpw',
    long: ['--cpunodebind', '--membind', '--interleave', '--physcpubind', '--preferred'],
  },
  prlimit: { short: 'p', without: /^(?:-p|--pid)/ },
  setsid: {},
  stdbuf: { short: 'ioe', long: ['--input', '--output', '--error'] },
  strace: { short: 'abeEIoOpPsSuUX', without: /^-p/ },
  'su-exec': { operands: 1, ofRoot: true },
  sudo: {
    short: 'CDghpRrTtUu',
    long: ['--user', '--group', '--chdir', '--host', '--prompt', '--close-from'],
    assigns: true,
    without: /^(?:-\w*[ileKkVvs]\w*|--(?:login|list|edit|shell|validate))$/,
    keeps: /^(?:-\w*E\w*|--preserve-env)$/,
    ofRoot: true,
  },
  taskset: { operands: 1, without: /^-(?:\w*p|-pid)/ },
  time: { short: 'fo', long: ['--format', '--output'] },
  timeout: { short: 'ks', long: ['--kill-after', '--signal'], operands: 1 },
  tini: { short: 'pe' },
  xargs: {
    short: 'adEILnPs',
    long: ['--arg-file', '--delimiter', '--max-args', '--max-procs', '--max-lines', '--max-chars'],
  },
  'xvfb-run': { short: 'efnpsw' },
};

const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*=/;

/** The command that `words` wrap, by one wrapper: `nice node x.js`; null where there is none. */
export function findWrapped(words: readonly string[], isRoot: boolean): WrappedCommand | null {
  const name = basename(words[0] ?? '');
  const wrapper = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined;
  if (wrapper === undefined || (wrapper.ofRoot && !isRoot)) return null;
  const optionsEnd = skipOptions(words, wrapper);
  let at = optionsEnd + (wrapper.operands ?? 0);
  while (wrapper.assigns && ASSIGNMENT.test(words[at] ?? '')) at++;
  if (at >= words.length) return null;
  const own = words.slice(1, at);
  if (own.some((word) => wrapper.without?.test(word))) return null;
  const joined = own.flatMap((word, index) => [word, `${word}${own[index + 1] ?? ''}`]);
  const isLost = joined.some((word) => wrapper.loses?.test(word));
  const isKept = wrapper.keeps === undefined || own.some((word) => wrapper.keeps?.test(word));
  return { at, losesOptions: isLost || !isKept };
}

/** The index behind the options of a wrapper. */
function skipOptions(words: readonly string[], { short = '', long = [] }: Wrapper): number {
  let at = 1;
  while (at < words.length) {
    const word = words[at];
    if (word === '--') return at + 1;
    if (!word.startsWith('-')) return at;
    const letters = word.startsWith('--') ? [] : [...word.slice(1)];
    const valued = letters.findIndex((letter) => short.includes(letter));
    const takesNext = long.includes(word) || (valued >= 0 && valued === letters.length - 1);
    at += takesNext ? 2 : 1;
  }
  return at;
}
