import { constants } from 'node:os';
import { errorText, FailedError, UsageError } from '../../base/errors.ts';
import { EXIT, signalStatus } from '../../base/exit-status.ts';
import { forLibrary } from '../../options/read-flags.ts';
import type { TopOptions } from '../../options/top.ts';
import { TOP } from '../../options/top.ts';
import type { CommandExit } from '../../record/recording.ts';
import { processesOfUser } from '../../system/processes/processes-of-user.ts';
import type { SliceTableKey } from '../../tools/top/slice-tables.ts';
import { type RunningTop, startTop } from '../../tools/top/top.ts';
import { parseSort } from '../report/sort-keys.ts';
import { wantsColour } from '../shared/colour.ts';
import { commandStatus } from '../shared/command-status.ts';
import { EndingSignals } from '../shared/ending-signals.ts';
import { notify } from '../shared/failure.ts';
import { thisRun } from '../shared/run.ts';
import { withRunner } from '../shared/script-runner.ts';
import { isTerminal } from '../shared/stdout.ts';
import { printBatches } from './top-batch.ts';
import { showScreen } from './top-interactive.ts';
import { checkTerminal } from './top-screen.ts';
import type { AskedTop, TopShown } from './top-shown.ts';

const PLAIN_TABLES: readonly SliceTableKey[] = ['sym', 'dso', 'comm', 'thread'];
const BATCH_ROWS = 40;

/** `perf-ts top`: on a terminal a screen that is drawn anew, else table after table. */
export async function runTop(words: string[], asked: AskedTop): Promise<void> {
  const command = withRunner(words);
  const isBatch = asked.batch === true || asked.json === true || !isTerminal(1);
  const order = parseSort(asked.sort ?? 'sym');
  const keys = order.kind === 'grouped' ? order.keys : [];
  const first: SliceTableKey = order.kind === 'grouped' ? 'grouped' : order.key;
  const rows = shownRows(asked, isBatch);
  // On the screen they would be written over: they are said when it is gone.
  if (!isBatch) checkTerminal();
  const notices: string[] = [];
  let hasScreen = false;
  const options = topAsked(command, asked, (notice, isDetail) => {
    if (asked.quiet || (isDetail && !thisRun().isVerbose)) return;
    if (hasScreen) notices.push(notice);
    else notify(`perf-ts: ${notice}`);
  });
  const signals = new EndingSignals({ first: 'stop', again: 'quit' });
  const top = start({ ...options, ...(keys.length > 0 && { keys }) }, asked);
  signals.begin(top);
  const shown: TopShown = {
    top,
    tables: [first, ...PLAIN_TABLES.filter((table) => table !== first)],
    look: {
      colour: wantsColour(),
      hasStacks: top.hasStacks,
      keys,
      rows,
    },
    asked,
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

/** Starts sampling; without a target it is of the whole machine, which not everybody may see. */
function start(options: TopOptions, { systemWide, cpus }: AskedTop): RunningTop {
  try {
    return startTop(options);
  } catch (error) {
    const isDefault = options.systemWide && !systemWide && cpus === undefined;
    if (!(error instanceof FailedError) || !isDefault) throw error;
    const { message, hints } = errorText(error);
    throw new FailedError(message, [
      ...hints,
      'or watch what is yours: perf-ts top -p PID, perf-ts top -- ./app',
    ]);
  }
}

function topAsked(
  command: readonly string[],
  asked: AskedTop,
  onNotice: (notice: string, isDetail: boolean) => void,
): TopOptions {
  const { uid, pids, tids, cpus } = asked;
  if (uid !== undefined && command.length > 0) {
    throw new UsageError('-u and a command exclude each other: name one target');
  }
  const isNamed = command.length > 0 || (pids ?? tids ?? uid) !== undefined;
  const options = {
    ...forLibrary(TOP, asked),
    ...(command.length > 0 && { command }),
    ...(uid !== undefined && { pids: processesOfUser(uid) }),
    // CPUs mean all that runs on them, unless a process is named; no target means the whole machine.
    ...((pids ?? tids ?? uid) === undefined &&
      (cpus !== undefined || !isNamed) && { systemWide: true }),
    onNotice: (_inKeys: string, notice: string, isDetail?: boolean) =>
      onNotice(notice, isDetail === true),
  };
  // Options that exclude each other are refused in the words of the command line, later.
  return options as TopOptions;
}

function shownRows({ rows, json }: AskedTop, isBatch: boolean): number {
  const most = rows ?? (isBatch && !json ? BATCH_ROWS : 0);
  return most === 0 ? Number.POSITIVE_INFINITY : most;
}

/** Ctrl-C and `q` are how one ends it: then neither they nor the command's end by them are a failure. */
function exitStatus({ endedBy, sent }: EndingSignals, exit: CommandExit | null): number {
  if (endedBy !== null) return signalStatus(constants.signals[endedBy]);
  if (exit === null || exit.signal === sent) return EXIT.OK;
  return commandStatus(exit);
}
