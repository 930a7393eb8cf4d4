import { spawn } from 'node:child_process';
import { FailedError } from '../../base/errors.ts';
import { printable } from '../../base/printable.ts';
import type { RunRecorder } from '../../tools/mcp/record-tool.ts';

/** A recorder may say so much; the last of it counts. */
const MOST_KEPT = 2000;
/** Time for it to write its file, after the recording's time is over. */
const GRACE_MS = 15_000;
const LAST_GRACE_MS = 5000;

/**
 * Runs this program as a recorder of its own, since a command that is recorded has the recorder's standard
 * output, which the assistant reads. Ends it, and with it the command, when it takes too long.
 */
export const runRecorder: RunRecorder = (args, seconds) =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...process.execArgv, process.argv[1], ...args], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let reported = '';
    child.stderr.on('data', (chunk: Buffer) => {
      reported = (reported + chunk.toString()).slice(-MOST_KEPT);
    });
    // The first interrupt ends what is recorded as well.
    const timers = [
      setTimeout(() => child.kill('SIGINT'), seconds * 1000 + LAST_GRACE_MS),
      setTimeout(() => child.kill('SIGTERM'), seconds * 1000 + GRACE_MS),
      setTimeout(() => child.kill('SIGKILL'), seconds * 1000 + GRACE_MS + LAST_GRACE_MS),
    ];
    child.once('error', (error) => reject(new FailedError(error.message)));
    child.once('close', (status, signal) => {
      for (const timer of timers) clearTimeout(timer);
      const hasFailed = status === 125 || status === 2 || signal !== null;
      const how = `The recorder ended with ${signal ?? `status ${status}`}.`;
      const printed = reported.split('\n').map((line) => printable(line).trim());
      resolve({ how, hasFailed, printed: printed.filter((line) => line !== '') });
    });
  });
