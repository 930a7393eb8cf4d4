import { readTextOrEmpty } from '../small-file.ts';

/** The pid by which a live process knows itself; null if it is gone. */
export function pidInItsNamespace(pid: number): number | null {
  const status = readTextOrEmpty(`/proc/${pid}/status`);
  const pids = /^NSpid:\s+(.*)$/m.exec(status)?.[1]?.trim().split(/\s+/);
  return pids === undefined ? null : Number(pids.at(-1));
}
