import { thisRun } from './run.ts';
import { isTerminal, terminalStream } from './stdout.ts';

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

/** The look of a table of results: colours where they may be, and no lines wider than the terminal. */
export function tableLook(): { readonly colour: boolean; readonly columns?: number } {
  const columns = terminalStream(thisRun().resultsOn)?.columns;
  return { colour: wantsColour(), ...(columns !== undefined && columns > 0 && { columns }) };
}
