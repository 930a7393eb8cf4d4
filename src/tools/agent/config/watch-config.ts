import { readFileSync, statSync, unwatchFile, watchFile } from 'node:fs';
import { FailedError, failedBy } from '../../../base/errors.ts';
import { describeError } from '../../../base/system-error.ts';
import type { AgentConfig } from './agent-config.ts';
import { parseAgentConfig } from './parse-config.ts';

const WRITABLE_BY_OTHERS = 0o022;
const LOOK_MS = 5000;
const MOST_BYTES = 1 << 20;

/**
 * Reads the configuration in a file. Throws `UsageError` for what is wrong in it, and `FailedError` where it
 * cannot be read or where others may write into it: it says what runs as root, and where its data goes.
 */
export function readConfigFile(path: string): AgentConfig {
  let text: string;
  try {
    const { uid, mode, size } = statSync(path);
    if ((mode & WRITABLE_BY_OTHERS) !== 0 || ![0, process.geteuid?.()].includes(uid)) {
      throw new FailedError(`${path}: others may write into it`, [
        `chmod go-w ${path}; it has to belong to root or to who runs this`,
      ]);
    }
    if (size > MOST_BYTES) throw new FailedError(`${path}: larger than 1 MiB`);
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof FailedError) throw error;
    throw failedBy(error, `the configuration cannot be read: ${describeError(error)}`);
  }
  return parseAgentConfig(text, path);
}

/** Calls `onChange` when the file, or what a link at its path leads to, has changed; until the function is called. */
export function watchConfigFile(path: string, onChange: () => void): () => void {
  const listener = (now: { mtimeMs: number; ino: number }, before: typeof now): void => {
    if (now.mtimeMs !== before.mtimeMs || now.ino !== before.ino) onChange();
  };
  watchFile(path, { interval: LOOK_MS, persistent: false }, listener);
  return () => unwatchFile(path, listener);
}
