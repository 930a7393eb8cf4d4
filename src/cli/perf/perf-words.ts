import type { Command } from 'commander';

/**
 * `-ns comm` as perf reads it: `-n` stands alone there, and commander takes the letters behind it for its
 * value. Words of a profiled command stay as they are.
 */
export function fromPerfWords(words: readonly string[], command: Command | undefined): string[] {
  const n = command?.options.find(({ short }) => short === '-n');
  if (command === undefined || n?.optional !== true) return [...words];
  const result: string[] = [];
  let at = 0;
  for (let takesNext = true; at < words.length; at++) {
    const word = words[at];
    // The name of the command counts as the value of nothing.
    if (!takesNext && (word === '--' || !word.startsWith('-'))) break;
    const rest = /^-n([a-zA-Z].*)$/s.exec(word)?.[1];
    if (rest === undefined || takesNext) result.push(word);
    else result.push('-n', `-${rest}`);
    const last = rest === undefined ? word : `-${rest}`;
    takesNext =
      !takesNext &&
      command.options.some(
        ({ required, short, long }) => required && (short === last || long === last),
      );
  }
  return [...result, ...words.slice(at)];
}
