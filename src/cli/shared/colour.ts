import { isTerminal } from './stdout.ts';

type ColourChoice = 'auto' | 'always' | 'never';

let choice: ColourChoice = 'auto';

/** Takes what `--color` says; it has precedence over the environment. */
export function chooseColour(asked: ColourChoice): void {
  choice = asked;
}

/**
 * Whether output to `fd` has colours. Without `--color`: only for a person at a terminal who did not ask for
 * none. FORCE_COLOR has precedence over NO_COLOR, as in Node.
 */
export function wantsColour(fd = 1): boolean {
  if (choice !== 'auto') return choice === 'always';
  const { FORCE_COLOR, NO_COLOR, TERM } = process.env;
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return !NO_COLOR && TERM !== 'dumb' && isTerminal(fd);
}
