import { isTerminal } from './stdout.ts';

/** Colour only for a person at a terminal who did not ask for none. */
export function wantsColour(fd = 1): boolean {
  return isTerminal(fd) && !process.env.NO_COLOR && process.env.TERM !== 'dumb';
}
