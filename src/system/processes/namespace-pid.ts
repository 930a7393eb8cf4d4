import { existsSync } from 'node:fs';
import { noteAsked } from '../asked-files.ts';
import { readTextOrEmpty } from '../small-file.ts';

/** The pid by which a live process knows itself; null if it is gone. */
export function pidInItsNamespace(pid: number): number | null {
  noteAsked(`/proc/${pid}`);
  const status = readTextOrEmpty(`/proc/${pid}/status`);
  const pids = /^NSpid:\s+(.*)$/m.exec(status)?.[1]?.trim().split(/\s+/);
  return pids === undefined ? null : Number(pids.at(-1));
}

/**
 * A thread of a live process by the number that it knows itself by; null where the process has none of it. Of a process in another
 * namespace the main thread alone is known.
 */
export function threadOfProcess(pid: number, ownTid: number): number | null {
  const ownPid = pidInItsNamespace(pid);
  const tid = ownTid === ownPid ? pid : ownPid === pid ? ownTid : null;
  return tid !== null && existsSync(`/proc/${pid}/task/${tid}`) ? tid : null;
}
