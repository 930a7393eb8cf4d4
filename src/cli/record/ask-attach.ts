import { constants } from 'node:os';
import type { RecordSettings } from '../../options/record.ts';
import { mayListen } from '../../record/code-events/registered.ts';
import { unnamedNodes } from '../../system/runtimes/attached-runtimes.ts';

/**
 * Asks on a terminal whether the JavaScript of the processes is to be named by their inspectors, where the
 * user has not decided and it would have no names. False without a terminal.
 */
export async function askAttach({ pids, nodeFlags }: RecordSettings): Promise<boolean> {
  if (pids === undefined || nodeFlags === false) return false;
  if (process.stdin.isTTY !== true || process.stderr.isTTY !== true) return false;
  const unnamed = unnamedNodes(pids).filter((pid) => !mayListen(pid));
  if (unnamed.length === 0) return false;
  const what =
    unnamed.length === 1 ? `process ${unnamed[0]} runs` : `processes ${unnamed.join(', ')} run`;
  const { createInterface } = await import('node:readline/promises');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(
      `perf-ts: ${what} Node: functions of JavaScript will have no names.\n` +
        '  Name them through the inspector (--attach-js)? It is open on 127.0.0.1 for\n' +
        '  some milliseconds, and every user of this machine could reach it. [y/N] ',
    );
    return /^y(?:es)?$/i.test(answer.trim());
  } catch (error) {
    if ((error as Error).name !== 'AbortError') throw error;
    // The status is a shell's for a program that Ctrl-C ended; nothing was started.
    process.stderr.write('\n');
    process.exit(128 + constants.signals.SIGINT);
  } finally {
    terminal.close();
    // The terminal is not ours to wait for.
    process.stdin.unref();
  }
}
