import { readFileSync } from 'node:fs';

/** The pid by which a live process knows itself; null if it is gone. */
export function pidInItsNamespace(pid: number): number | null {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const pids = /^NSpid:\s+(.*)$/m.exec(status)?.[1]?.trim().split(/\s+/);
    return pids === undefined ? null : Number(pids.at(-1));
  } catch {
    return null;
  }
}
