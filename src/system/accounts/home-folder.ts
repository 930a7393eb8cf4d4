import { homedir } from 'node:os';
import { isAbsolute } from 'node:path';

/**
 * The user's home; null where neither HOME nor the accounts of this system name an absolute path. Containers
 * often run with a uid that no account has, and without HOME.
 */
export function homeFolder(): string | null {
  try {
    const home = homedir();
    return isAbsolute(home) ? home : null;
  } catch {
    return null;
  }
}
