import { readTextOrNull } from '../small-file.ts';

/** The kernel's note of who logged in, which su and sudo don't change; null: nobody did. */
export function findLoginUser(): number | null {
  const uid = Number(readTextOrNull('/proc/self/loginuid') ?? Number.NaN);
  return Number.isInteger(uid) && uid < 2 ** 32 - 1 ? uid : null;
}
