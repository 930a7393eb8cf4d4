import { constants } from 'node:fs';
import { EXIT } from '../../base/exit-status.ts';
import { loadBinding } from '../../native/binding.ts';
import { readStatusFlags } from '../../system/processes/inherited-fds.ts';
import { thisRun } from './run.ts';

/**
 * Leaves standard input, output and error at the end as blocking as they are now. Nothing here opens
 * a stream on a pipe or socket, which would make it non-blocking for every program that shares it;
 * this is the net beneath, because `exitWithoutShutdown` skips Node's own restoring.
 */
export function keepStdioBlocking(): void {
  if (process.platform !== 'linux') return;
  const blocking = [0, 1, 2].filter((fd) => isNonBlocking(fd) === false);
  const restoreStdio = () => {
    for (const fd of blocking) {
      if (isNonBlocking(fd)) setBlocking(fd);
    }
  };
  thisRun().restoreStdio = restoreStdio;
  process.on('exit', restoreStdio);
}

/**
 * Leaves what perf-ts and a command share to the command: standard input, output and error, which it may make
 * non-blocking for itself and use after us, and the folder of NODE_V8_COVERAGE, where coverage of perf-ts would
 * stand among the command's.
 */
export function leaveToCommand(): void {
  process.off('exit', thisRun().restoreStdio);
  thisRun().isCoverageOurs = false;
}

/** Null where it can't be known. */
function isNonBlocking(fd: number): boolean | null {
  try {
    return (readStatusFlags(fd) & constants.O_NONBLOCK) !== 0;
  } catch {
    return null;
  }
}

function setBlocking(fd: number): void {
  try {
    loadBinding().setNonBlocking(fd, false);
  } catch {
    // Without the addon the usual shutdown follows, which restores it.
  }
}

/**
 * Ends the process without V8's own shutdown once all handlers of 'exit' have run. Node 20 and 22
 * wait there for threads that compile, and now and then one of them waits for the main thread
 * (nodejs/node#54918): a command whose output is complete would never end. Output to files, pipes
 * and terminals is synchronous on Linux, so nothing is lost. Coverage and V8's own profilers write
 * at shutdown; with them it stays.
 */
function exitWithoutShutdown(): void {
  const hasCoverage = thisRun().isCoverageOurs && process.env.NODE_V8_COVERAGE !== undefined;
  if (hasCoverage || process.execArgv.length > 0) return;
  process.on('exit', (code) => {
    try {
      loadBinding().exitNow(code);
    } catch {
      // Without the addon the usual shutdown is all there is.
    }
  });
}

/**
 * Ends as usual once `command` has ended. When nothing is left to wait for and it has not ended, it
 * never will: that status is not success.
 */
export function endWith(command: Promise<void>): void {
  let ended = false;
  process.on('beforeExit', () => {
    if (ended) return;
    console.error(
      'perf-ts: stopped before the work was done, and why is not known; this is a defect of perf-ts',
    );
    quit(EXIT.FAILED);
  });
  void command.then(() => {
    ended = true;
    exitWithoutShutdown();
  });
}

/**
 * Ends the process at once with this status, after all handlers of 'exit'. Node's own shutdown would
 * give signals their default action back first, and one that comes then would be the status.
 */
export function quit(status: number): never {
  exitWithoutShutdown();
  process.exit(status);
}
