import { basename } from 'node:path';
import { NODE } from '../runtimes/node-program.ts';
import { readLinkOrNull, readTextOrNull } from '../small-file.ts';

/** The visible state of a process of the machine; null where it is gone or hidden. */
export type ProcessView = {
  readonly parent: number;
  readonly comm: string;
  /** The file name of its program; empty if it may not be known. */
  readonly program: string;
  /** Signals that it ignores, one bit each, the lowest for signal 1. */
  readonly ignored: bigint;
  readonly softFds: number;
  readonly hardFds: number;
};

/** The known facts about how this process was started. */
export type StartFacts = {
  readonly self: ProcessView;
  readonly view: (pid: number) => ProcessView | null;
  /** The environment variable `_`, in which most shells name the program that they start. */
  readonly startedProgram: string | undefined;
  /** Standard input is /dev/null, opened for writing only: GNU nohup's mark. */
  readonly hasNohupInput: boolean;
};

const SIGHUP = 1;
const SIGINT = 2;
const SIGPIPE = 13;
const SIGXFSZ = 25;
const SIGTSTP = 20;
const SIGTTIN = 21;
const SIGTTOU = 22;
const SIGNALS = 64;

/** They stand between the caller and us, with limits and signals of their own. */
const GO_BETWEENS = new Set(['sudo', 'doas', 'su', 'runuser', 'setpriv']);
const MAX_GO_BETWEENS = 8;

/**
 * The soft limit of open files and the ignored signals with which this process was started, for the
 * command. Node raises the one and resets the others before any JavaScript runs, and the kernel
 * keeps no trace of them, so this is a guess, made from the process that started us:
 *
 * - The soft limit is that of the parent, if the hard limits agree; 0 means that nothing is known.
 * - A signal that the parent ignores was ignored: that is inherited over fork and exec. Exceptions
 *   are what programs ignore for themselves and reset in their children: Node everything, others
 *   SIGPIPE and SIGXFSZ, shells with job control everything but SIGHUP and SIGINT.
 * - SIGHUP was ignored if nohup started us.
 *
 * `prlimit --nofile=1000:20000 perf-ts` and `ulimit -n` before `exec` set limits that no other process has: then
 * `record` prints `fdLimitNotice`.
 *
 * It misses what a process changes between fork and exec: `trap '' INT` in a subshell whose last
 * command we are, `env --ignore-signal`, SIGINT and SIGQUIT of a background job in a script, nohup in a shell that sets no
 * `_`. docs/decisions/0017-the-commands-start.md has the reasons, and what to do where it is wrong.
 */
export function guessStartState({ self, view, startedProgram, hasNohupInput }: StartFacts): {
  readonly softFdLimit: number;
  readonly ignoredSignals: number[];
  /** Something between the caller and us set the limits of open files anew: the soft one is not known. */
  readonly hasOwnFdLimits: boolean;
} {
  const caller = findCaller(self.parent, view);
  const ignored = new Set(caller === null ? [] : ignoredByChildrenOf(caller));
  if (hasNohupInput || basename(startedProgram ?? '') === 'nohup') ignored.add(SIGHUP);
  const isRaised = self.softFds === self.hardFds;
  const isLimitKnown = isRaised && caller?.hardFds === self.hardFds;
  return {
    softFdLimit: isLimitKnown ? caller.softFds : 0,
    hasOwnFdLimits: isRaised && caller !== null && caller.hardFds !== self.hardFds,
    ignoredSignals: [...ignored].sort((a, b) => a - b),
  };
}

/** The sentence for a soft limit that is not known, with the way to set it. */
export function fdLimitNotice(hardFds: number): string {
  return (
    `the soft limit of open files is not known here, and the command gets the hard one, ${hardFds}; ` +
    `to set it: -- sh -c 'ulimit -Sn 1024; exec "$@"' sh COMMAND`
  );
}

function findCaller(parent: number, view: StartFacts['view']): ProcessView | null {
  let process = view(parent);
  for (let i = 0; i < MAX_GO_BETWEENS && process !== null; i++) {
    if (!GO_BETWEENS.has(process.comm)) return process;
    process = view(process.parent);
  }
  return process;
}

function ignoredByChildrenOf({ program, ignored }: ProcessView): number[] {
  if (NODE.test(program)) return [];
  const isIgnored = (signal: number): boolean => ((ignored >> BigInt(signal - 1)) & 1n) === 1n;
  const hasJobControl = [SIGTSTP, SIGTTIN, SIGTTOU].every(isIgnored);
  const candidates = hasJobControl
    ? [SIGHUP, SIGINT]
    : Array.from({ length: SIGNALS }, (_, index) => index + 1).filter(
        (signal) => signal !== SIGPIPE && signal !== SIGXFSZ,
      );
  return candidates.filter(isIgnored);
}

/** `pid` may be `self`. */
export function viewProcess(pid: number | 'self'): ProcessView | null {
  const status = readTextOrNull(`/proc/${pid}/status`);
  const limits = readTextOrNull(`/proc/${pid}/limits`);
  if (status === null || limits === null) return null;
  const [, soft = '', hard = ''] = /^Max open files\s+(\d+)\s+(\d+)/m.exec(limits) ?? [];
  const field = (name: string): string =>
    new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(status)?.[1] ?? '';
  return {
    parent: Number(field('PPid')),
    comm: field('Name'),
    program: basename(readLinkOrNull(`/proc/${pid}/exe`) ?? ''),
    ignored: BigInt(`0x${field('SigIgn') || '0'}`),
    softFds: Number(soft),
    hardFds: Number(hard),
  };
}
