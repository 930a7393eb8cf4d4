import { constants } from 'node:os';
import { FailedError, UsageError } from '../../base/errors.ts';
import { EXIT, signalStatus } from '../../base/exit-status.ts';
import type { CommandExit } from '../../record/recording.ts';
import { processesOfUser } from '../../tools/top/processes-of-user.ts';
import type { SliceTableKey } from '../../tools/top/slice-tables.ts';
import { type RunningTop, startTop } from '../../tools/top/top.ts';
import type { TopOptions } from '../../tools/top/top-options.ts';
import { readOptions } from '../record/record-flags.ts';
import { parseSort } from '../report/sort-keys.ts';
import { wantsColour } from '../shared/colour.ts';
import { commandStatus } from '../shared/command-status.ts';
import { EndingSignals } from '../shared/ending-signals.ts';
import { notify } from '../shared/failure.ts';
import { positiveNumber, wholeNumber } from '../shared/option-values.ts';
import { isTerminal } from '../shared/stdout.ts';
import { printBatches } from './top-batch.ts';
import { showScreen } from './top-interactive.ts';
import { checkTerminal } from './top-screen.ts';
import type { TopFlags, TopShown } from './top-shown.ts';

const PLAIN_TABLES: readonly SliceTableKey[] = ['sym', 'dso', 'comm', 'thread'];
const BATCH_ROWS = 40;

/** `perf-ts top`: on a terminal a screen that is drawn anew, else table after table. */
export async function runTop(command: string[], flags: TopFlags): Promise<void> {
  const isBatch = flags.batch === true || flags.json === true || !isTerminal(1);
  const order = parseSort(flags.sort);
  const keys = order.kind === 'grouped' ? order.keys : [];
  const first: SliceTableKey = order.kind === 'grouped' ? 'grouped' : order.key;
  const rows = readRows(flags, isBatch);
  // On the screen they would be written over: they are said when it is gone.
  if (!isBatch) checkTerminal();
  const notices: string[] = [];
  let hasScreen = false;
  const options = readTopOptions(command, flags, (notice) => {
    if (flags.quiet) return;
    if (hasScreen) notices.push(notice);
    else notify(`perf-ts: ${notice}`);
  });
  const signals = new EndingSignals({ first: 'stop', again: 'quit' });
  const top = start({ ...options, ...(keys.length > 0 && { keys }) }, flags);
  signals.begin(top);
  const shown: TopShown = {
    top,
    tables: [first, ...PLAIN_TABLES.filter((table) => table !== first)],
    look: {
      colour: wantsColour(),
      hasStacks: options.callGraph !== undefined && options.callGraph !== 'none',
      keys,
      rows,
    },
    flags,
    end: (name) => signals.end(name),
  };
  try {
    hasScreen = !isBatch;
    if (isBatch) await printBatches(shown);
    else await showScreen(shown);
  } finally {
    hasScreen = false;
    for (const notice of notices) notify(`perf-ts: ${notice}`);
  }
  process.exitCode = exitStatus(signals, await top.exited);
}

/** Without a target it is the whole machine, which not everybody may see. */
function start(options: TopOptions, { allCpus, cpu }: TopFlags): RunningTop {
  try {
    return startTop(options);
  } catch (error) {
    const isDefault = options.systemWide && !allCpus && cpu === undefined;
    if (!(error instanceof FailedError) || !isDefault) throw error;
    const hints = [
      ...error.hints,
      'or watch what is yours: perf-ts top -p PID, perf-ts top -- ./app',
    ];
    throw new FailedError(error.message, hints);
  }
}

function readTopOptions(
  command: string[],
  flags: TopFlags,
  onNotice: (notice: string) => void,
): TopOptions {
  const { uid, delay, window, weight, withSelf, batch, json, sort, ...rest } = flags;
  const { limit, rows, entries, ...recorded } = rest;
  const others = [flags.pid, flags.tid].filter((target) => target !== undefined).length;
  if (uid !== undefined && (others > 0 || flags.allCpus || command.length > 0)) {
    throw new UsageError('-u, -p, -t, -a and a command exclude each other: name one target');
  }
  const hasTarget =
    command.length > 0 ||
    flags.pid !== undefined ||
    flags.tid !== undefined ||
    uid !== undefined ||
    flags.cpu !== undefined;
  const given = readOptions(command, { ...recorded, allCpus: flags.allCpus || !hasTarget });
  return {
    ...given,
    ...(uid !== undefined && { pids: processesOfUser(uid) }),
    onNotice,
    ...(delay !== undefined && { intervalMs: positiveNumber('-d', delay) * 1000 }),
    ...(window !== undefined && { windowMs: positiveNumber('--window', window) * 1000 }),
    ...(weight !== undefined && { weight }),
    ...(withSelf && { withSelf }),
  };
}

function readRows({ limit, rows, entries, json }: TopFlags, isBatch: boolean): number {
  const asked = rows ?? entries ?? (limit === true ? undefined : limit);
  const most = asked === undefined ? (isBatch && !json ? BATCH_ROWS : 0) : wholeNumber('-n', asked);
  return most === 0 ? Number.POSITIVE_INFINITY : most;
}

/** Ctrl-C and `q` are how one ends it: then neither they nor the command's end by them are a failure. */
function exitStatus({ endedBy, sent }: EndingSignals, exit: CommandExit | null): number {
  if (endedBy !== null) return signalStatus(constants.signals[endedBy]);
  if (exit === null || exit.signal === sent) return EXIT.OK;
  return commandStatus(exit);
}
