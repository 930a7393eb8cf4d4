import { spawnSync } from 'node:child_process';

const REAL_TIME = ['chrt', '-f', '1'];

/**
 * Words to put before a command that must not lose its CPU while it runs: what else runs here then changes
 * neither its rates nor its place. None where the user may not ask for that.
 */
export function undisturbed(): readonly string[] {
  const { status } = spawnSync(REAL_TIME[0], [...REAL_TIME.slice(1), 'true'], { stdio: 'ignore' });
  return status === 0 ? REAL_TIME : [];
}
