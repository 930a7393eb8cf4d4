import { thisRun } from './run.ts';
import { isTerminal } from './stdout.ts';

/**
 * Whether output to `fd` has colours. Without `--color`: only for a person at a terminal who did not ask for
 * none. FORCE_COLOR has precedence over NO_COLOR, as in Node.
 */
export function wantsColour(fd: number = thisRun().resultsOn): boolean {
  const { colour } = thisRun();
  if (colour !== 'auto') return colour === 'always';
  const { FORCE_COLOR, NO_COLOR, TERM } = process.env;
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return !NO_COLOR && TERM !== 'dumb' && isTerminal(fd);
}
