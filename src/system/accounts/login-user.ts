import { readFileSync } from 'node:fs';

/** The kernel's note of who logged in, which su and sudo don't change; null: nobody did. */
export function findLoginUser(): number | null {
  try {
    const uid = Number(readFileSync('/proc/self/loginuid', 'latin1'));
    return Number.isInteger(uid) && uid < 2 ** 32 - 1 ? uid : null;
  } catch {
    return null;
  }
}
