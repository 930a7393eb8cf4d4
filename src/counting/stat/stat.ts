import { closeSync } from 'node:fs';
import { constants } from 'node:os';
import { Deferred } from '../../base/deferred.ts';
import { AbortError, FailedError } from '../../base/errors.ts';
import { commandWords, detail, isDetail, libraryWords, type Text } from '../../base/words.ts';
import { loadBinding } from '../../native/binding.ts';
import type {
  CommandEnd,
  CommandSpec,
  NativeError,
  NativeHeldCommand,
} from '../../native/types.ts';
import type { StatOptions } from '../../options/stat.ts';
import { STAT } from '../../options/stat.ts';
import { openCgroup } from '../../system/kernel/containers.ts';
import { hasUserSpacePart } from '../../system/kernel/event-name.ts';
import { readKernelSettings } from '../../system/kernel/kernel-settings.ts';
import { readEventSources } from '../../system/kernel/machine-events.ts';
import { checkCpuOption, onlineCpus } from '../../system/kernel/online-cpus.ts';
import { isRefused } from '../../system/kernel/open-refusal.ts';
import { explainRefusal } from '../../system/kernel/permission-help.ts';
import { explainExecFailure, explainStartFailure } from '../../system/launch/start-failure.ts';
import { endCommand, reapLater } from '../../system/launch/started-command.ts';
import { isAlive, listThreads } from '../../system/processes/thread-stat.ts';
import { callAfter, callEvery, type LongTimer } from '../../system/time/long-timer.ts';
import { type Spread, spreadOf } from '../count/spread.ts';
import { chooseGroups } from './choose-counters.ts';
import type { CountedGroup } from './counted-group.ts';
import type { Counters, Refused, Snapshot } from './counters.ts';
import { slotsPerCycle } from './default-events.ts';
import { openCounters } from './open-counters.ts';
import type { StatMachine, StatTarget } from './stat-options.ts';
import { chooseTarget } from './stat-target.ts';
import { type GroupTally, type StatRow, statRowsOf, tallyGroups } from './tally.ts';
import { UnitFinder } from './units.ts';

/** Counts of one span of time, or the mean of several runs. */
export type StatReport = {
  readonly rows: readonly StatRow[];
  /** Wall time of the counting, nanoseconds. */
  readonly elapsedNs: number;
  /** End of the span, nanoseconds since the counting began. */
  readonly timeNs: number;
};

/** All runs of a measurement: the counts as means with their spread, and the times. */
export type StatResult = StatReport & {
  /** Description of the target: the command line, `process 12`, `the whole system`. */
  readonly target: StatTarget;
  readonly runs: number;
  /** Wall-clock time of each run, in nanoseconds. */
  readonly elapsed: Spread;
  readonly elapsedOfRunsNs: readonly number[];
  /** CPU time that the command and what it waited for used, nanoseconds; null without one. */
  readonly userNs: number | null;
  readonly systemNs: number | null;
  readonly notices: readonly string[];
  /** How the last run of the command ended; null where it still runs or there is none. */
  readonly exit: { readonly status: number; readonly signal: number } | null;
};

/** A count under way. */
export type RunningStat = {
  /** Settles when everything is counted; the command may still run. */
  readonly finished: Promise<StatResult>;
  /** Settles when the command, if there is one, has ended. */
  readonly exited: Promise<{ readonly status: number; readonly signal: number } | null>;
  /** Pid of the command, of its run under way with `repeat`; −1 without one. */
  readonly childPid: number;
  /** Ends the counting; the command runs on. */
  stop(): void;
  /** Sends a signal to the command; false if there is none (any more). */
  kill(signal: number): boolean;
  /** Ends the counting and a command that still runs, by SIGTERM and 2 s later by SIGKILL, and waits until both have ended. */
  [Symbol.asyncDispose](): Promise<void>;
};

function thisMachine(): StatMachine {
  return { binding: loadBinding(), sources: readEventSources(), cpus: onlineCpus(), sysfs: '/sys' };
}

/** How often it is looked whether what is attached to is still there. */
const LOOK_MS = 100;
/** Node's own descriptors and what a run opens beside its counters. */
const OTHER_FDS = 64;

/**
 * Counts what `options` ask for, as `perf-ts stat` does. The command's set-up is not counted: its
 * counters are enabled by its exec.
 *
 * ```ts
 * const { rows } = await startStat({ command: ['./app'], events: ['page-faults'] }).finished;
 * rows[0].value; // null if it was not counted; `reason` says why
 * ```
 *
 * `onInterval` gets what was counted in each `intervalMs`. The counters are closed in the event loop's turn
 * after `finished` has settled. Throws UsageError for options that can't be meant; `finished` rejects with
 * UsageError or FailedError, before anything runs where none of the events can be counted.
 *
 * @example
 * ```ts
 * import { type StatOptions, startStat } from 'perf-ts';
 *
 * const options: StatOptions = { command: ['node', 'app.js'], events: ['task-clock', 'page-faults'] };
 * const { rows, elapsedNs } = await startStat(options).finished;
 * for (const { event, value } of rows) console.log(event, value, `in ${elapsedNs / 1e9} s`);
 * ```
 */
export function startStat(
  options: StatOptions,
  onInterval: (report: StatReport) => void = () => {},
  machine: StatMachine = thisMachine(),
): RunningStat {
  const stat = new Stat(options, onInterval, machine);
  const finished = stat.countRuns();
  return {
    finished,
    exited: stat.exited,
    get childPid() {
      return stat.childPid;
    },
    stop: () => stat.stop(),
    kill: (signal) => stat.kill(signal),
    [Symbol.asyncDispose]: async () => {
      stat.stop();
      await Promise.allSettled([endCommand(stat), finished]);
    },
  };
}

class Stat {
  readonly #exited = new Deferred<CommandEnd | null>();
  readonly #options: StatOptions;
  readonly #onInterval: (report: StatReport) => void;
  readonly #machine: StatMachine;
  readonly #target: StatTarget;
  readonly #groups: readonly CountedGroup[];
  readonly #notices: string[] = [];
  readonly #finder: UnitFinder;
  #command: NativeHeldCommand | null = null;
  /** Groups of the last run, until they are closed. */
  #counters: Counters | null = null;
  #isStopped = false;
  #wake: () => void = () => {};

  constructor(
    options: StatOptions,
    onInterval: (report: StatReport) => void,
    machine: StatMachine,
  ) {
    this.#options = options;
    this.#onInterval = onInterval;
    this.#machine = machine;
    const { target, notices } = chooseTarget(options);
    this.#target = target;
    for (const notice of notices) this.#notify(notice);
    this.#groups = chooseGroups(options, target.kind === 'system', machine);
    this.#finder = new UnitFinder(options.aggregation ?? 'total', options.cgroups ?? []);
    const { signal } = options;
    const abort = (): void => {
      this.kill(constants.signals.SIGTERM);
      this.stop();
    };
    signal?.addEventListener('abort', abort, { once: true });
    void this.#exited.promise.then(() => signal?.removeEventListener('abort', abort));
  }

  get exited(): Promise<CommandEnd | null> {
    return this.#exited.promise;
  }

  stop(): void {
    this.#isStopped = true;
    this.#wake();
  }

  get childPid(): number {
    return this.#command?.pid ?? -1;
  }

  kill(signal: number): boolean {
    return this.#command?.kill(signal) ?? false;
  }

  async countRuns(): Promise<StatResult> {
    const { signal } = this.#options;
    try {
      const runs: Run[] = [];
      const wanted = this.#options.repeat ?? 1;
      do {
        if (signal?.aborted) throw new AbortError(signal);
        this.#closeCounters();
        runs.push(await this.#countOnce());
        if (signal?.aborted) throw new AbortError(signal);
      } while (runs.length < wanted && !this.#isStopped);
      const result = this.#resultOf(runs);
      // The kernel takes 15 to 40 ms to close a tracepoint: whoever waits for the counts gets them before.
      setImmediate(() => this.#closeCounters());
      return result;
    } catch (error) {
      this.#closeCounters();
      if (this.#command !== null) {
        this.#command.close();
        // One that was let go runs on.
        reapLater(this.#machine.binding);
      }
      this.#exited.settle(null);
      throw error;
    }
  }

  async #countOnce(): Promise<Run> {
    const { command: spec } = this.#target.kind === 'threads' ? { command: null } : this.#target;
    const command = spec === null ? null : this.#hold(spec);
    this.#command = command;
    const counters = this.#open(command?.pid ?? null);
    this.#counters = counters;
    if (counters.groups.length === 0) throw this.#nothingCounts(counters);
    this.#reportForbidden(counters);
    const run = await this.#countWith(counters, command);
    if (run.end !== null) command?.close();
    return run;
  }

  #closeCounters(): void {
    this.#counters?.close();
    this.#counters = null;
  }

  #hold(spec: CommandSpec): NativeHeldCommand {
    try {
      return new this.#machine.binding.HeldCommand(spec);
    } catch (error) {
      throw explainStartFailure(error as NativeError) ?? error;
    }
  }

  #open(commandPid: number | null): Counters {
    const target = this.#target;
    const options = this.#options;
    const { binding, sources } = this.#machine;
    const { cgroups = [], delayMs = 0 } = options;
    const tids = target.kind === 'threads' ? target.tids : commandPid !== null ? [commandPid] : [];
    const cpus = checkCpuOption(options.cpus, this.#machine.cpus);
    const cgroupFds: number[] = [];
    const perEvent =
      target.kind === 'system' ? cpus.length * Math.max(1, cgroups.length) : tids.length;
    // Where threads are started meanwhile, a watch over them has one per CPU.
    const watch = target.kind === 'threads' ? tids.length * this.#machine.cpus.length : 0;
    const events = this.#groups.reduce((sum, group) => sum + group.events.length, 0);
    binding.raiseFdLimit(events * Math.max(1, perEvent) + watch + OTHER_FDS);
    try {
      for (const path of cgroups) cgroupFds.push(openCgroup(path, STAT.cgroups));
      return openCounters(this.#groups, {
        target,
        tids,
        cpus,
        cgroupCount: cgroups.length,
        cgroupFds,
        binding,
        sources,
        inherit: options.inherit !== false && options.aggregation !== 'thread',
        enableOnExec: target.kind === 'command' && delayMs === 0,
        notify: (notice) => this.#notify(notice),
      });
    } finally {
      for (const fd of cgroupFds) closeSync(fd);
    }
  }

  async #countWith(counters: Counters, command: NativeHeldCommand | null): Promise<Run> {
    const options = this.#options;
    const finder = this.#finder;
    const { delayMs = 0, durationMs, intervalMs } = options;
    // Threads are named while they are there.
    for (const { instances } of counters.groups) {
      for (const { place } of instances) finder.labelOf(place);
    }
    const timers: LongTimer[] = [];
    let end: CommandEnd | null = null;
    const isOver = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    if (delayMs === 0) counters.enable();
    let startNs = process.hrtime.bigint();
    if (command !== null) {
      startNs = this.#release(command, (ended) => {
        end = ended;
        this.#wake();
      });
    } else if (this.#target.kind === 'threads') {
      timers.push(callEvery(LOOK_MS, () => this.#lookForTarget()));
    }
    if (this.#isStopped) this.#wake();

    let before: Snapshot | null = null;
    let lastNs = startNs;
    const report = (nowNs: bigint): void => {
      const now = counters.read();
      const tallies = tallyGroups(counters, now, before, finder);
      this.#onInterval(
        this.#reportOf([tallies], counters, Number(nowNs - lastNs), Number(nowNs - startNs)),
      );
      before = now;
      lastNs = nowNs;
    };
    const begin = (): void => {
      if (intervalMs !== undefined) {
        timers.push(callEvery(intervalMs, () => report(process.hrtime.bigint())));
      }
      if (durationMs !== undefined) timers.push(callAfter(durationMs, () => this.stop()));
    };
    if (delayMs === 0) {
      begin();
    } else {
      timers.push(
        callAfter(delayMs, () => {
          counters.enable(true);
          startNs = process.hrtime.bigint();
          lastNs = startNs;
          begin();
        }),
      );
    }
    await isOver;
    for (const timer of timers) timer.cancel();
    const ended = end as CommandEnd | null;
    if (ended === null) counters.disable();
    else this.#checkStarted(ended);
    const endedNs = ended?.endNs ?? process.hrtime.bigint();
    if (intervalMs !== undefined && endedNs > lastNs) report(endedNs);
    // An interval may be reported between the command's end and its notice: the intervals sum to the whole.
    const endNs = endedNs > lastNs ? endedNs : lastNs;
    const elapsedNs = Number(endNs - startNs);
    const tallies = tallyGroups(counters, counters.read(), null, finder);
    return { tallies, counters, elapsedNs, end };
  }

  #release(command: NativeHeldCommand, onEnd: (end: CommandEnd) => void): bigint {
    const { repeat = 1 } = this.#options;
    return command.release((end) => {
      if (end.failedStep === '' && (repeat === 1 || this.#isStopped)) this.#exited.settle(end);
      onEnd(end);
    });
  }

  /** Throws where the command never ran. */
  #checkStarted({ failedStep, failedCode }: CommandEnd): void {
    if (failedStep === '') return;
    const command = this.#target.kind !== 'threads' ? this.#target.command : null;
    throw explainExecFailure(command, failedStep, failedCode);
  }

  /** Counting ends with the last of the processes and threads. */
  #lookForTarget(): void {
    const target = this.#target;
    if (target.kind !== 'threads') return;
    const now = [...target.pids.flatMap(listThreads), ...target.tids];
    if (!now.some(isAlive)) this.#wake();
  }

  #resultOf(runs: readonly Run[]): StatResult {
    const last = runs.at(-1) as Run;
    const elapsedOfRunsNs = runs.map(({ elapsedNs }) => elapsedNs);
    const elapsed = spreadOf(elapsedOfRunsNs) as Spread;
    const ends = runs.flatMap(({ end }) => (end === null ? [] : [end]));
    const mean = (pick: (end: CommandEnd) => number): number | null =>
      ends.length === 0 ? null : ends.reduce((sum, end) => sum + pick(end), 0) / ends.length;
    if (last.end !== null || this.#command === null) this.#exited.settle(last.end);
    const tallies = runs.map((run) => run.tallies);
    const userUs = mean((end) => end.userUs);
    const systemUs = mean((end) => end.systemUs);
    return {
      ...this.#reportOf(tallies, last.counters, elapsed.mean, elapsed.mean),
      target: this.#target,
      runs: runs.length,
      elapsed,
      elapsedOfRunsNs,
      userNs: userUs === null ? null : userUs * 1000,
      systemNs: systemUs === null ? null : systemUs * 1000,
      notices: this.#notices,
      exit: last.end,
    };
  }

  #reportOf(
    runs: readonly (readonly GroupTally[])[],
    counters: Counters,
    elapsedNs: number,
    timeNs: number,
  ): StatReport {
    const context = { elapsedNs, slotsPerCycle: slotsPerCycle(this.#machine.sources) };
    return { rows: statRowsOf(runs, counters, context), elapsedNs, timeNs };
  }

  #nothingCounts({ refused }: Counters): FailedError {
    const reasons = refused.map(({ event, reason }) => `${event.name}: ${reason}`);
    const hints =
      forbiddenOf(refused).length > 0
        ? this.#permissionHints(false, !refused.some(({ event }) => hasUserSpacePart(event.spec)))
        : ['perf-ts list shows what opens here'];
    return new FailedError('none of the events can be counted', [...reasons, ...hints]);
  }

  /** Names what the kernel does not allow among events that are counted, and what would allow it. */
  #reportForbidden({ refused }: Counters): void {
    const forbidden = forbiddenOf(refused);
    if (forbidden.length === 0) return;
    const names = forbidden.map(({ event }) => event.name).join(', ');
    const how = this.#permissionHints(true, true).join('; ');
    this.#notify(detail(`${names}: not counted, the kernel does not allow it: ${how}`));
  }

  #permissionHints(inOneLine: boolean, kernel: boolean): string[] {
    return explainRefusal(readKernelSettings(), {
      systemWide: this.#target.kind === 'system',
      foreignProcess: this.#target.kind === 'threads',
      kernel,
      inOneLine,
      counting: true,
    });
  }

  #notify(notice: Text): void {
    const inFlags = commandWords(notice);
    if (this.#notices.includes(inFlags)) return;
    this.#notices.push(inFlags);
    this.#options.onNotice?.(libraryWords(notice) ?? inFlags, inFlags, isDetail(notice));
  }
}

/** The result of one run of the target. */
type Run = {
  readonly tallies: readonly GroupTally[];
  readonly counters: Counters;
  readonly elapsedNs: number;
  readonly end: CommandEnd | null;
};

function forbiddenOf(refused: readonly Refused[]): readonly Refused[] {
  return refused.filter(({ code }) => code !== null && isRefused(code));
}
