// A process whose memory or files are served by nobody.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { compileSilentFuse } from './compile.ts';
import { canMount } from './mount-namespace.ts';

/** Whether there are FUSE file systems here, and this process may mount one. */
export const canServeSilently = existsSync('/dev/fuse') && canMount();

export type SilentProcess = {
  readonly pid: number;
  /** Of the page whose bytes never come. */
  readonly page: bigint;
  /** Ends it and its file system, which frees who waits for that. */
  end(): Promise<void>;
};

/**
 * Starts a process that has a file system of its own at `directory`: with `name` no look at a name in there comes back,
 * with `page` no byte of its file `f`, which it has mapped.
 */
export async function startSilent(
  directory: string,
  kind: 'name' | 'page',
): Promise<SilentProcess> {
  const words = ['-m', compileSilentFuse(), directory, kind];
  const child: ChildProcess = spawn('unshare', words, { stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = await once(child.stdout as NodeJS.ReadableStream, 'data');
  const [pid, page] = `${line}`.trim().split(' ');
  return {
    pid: Number(pid),
    page: BigInt(`0x${page}`),
    end: async () => {
      const ended = once(child, 'exit');
      child.stdin?.end();
      await ended;
    },
  };
}
