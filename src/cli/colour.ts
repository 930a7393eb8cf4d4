/** Colour only for a person at a terminal who did not ask for none. */
export function wantsColour(stream: { isTTY?: boolean } = process.stdout): boolean {
  return stream.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb';
}
