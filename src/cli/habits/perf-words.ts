import type { Command, Option } from 'commander';

/**
 * Words as perf reads them, where commander would not. `-ns comm`: `-n` stands alone there, and commander takes
 * the letters behind it for its value. `-z ./app`: a value of `[=x]` is attached, so the next word is the
 * command; only before `--` it can be nothing but the value. Words of a profiled command stay as they are.
 */
export function fromPerfWords(words: readonly string[], command: Command | undefined): string[] {
  const options = command?.options ?? [];
  const isBareN = options.some(({ short, optional }) => short === '-n' && optional);
  const result: string[] = [];
  let at = 0;
  for (let takesNext = true; at < words.length; at++) {
    const word = words[at];
    // The name of the command counts as the value of nothing.
    if (!takesNext && (word === '--' || !word.startsWith('-'))) break;
    const rest: string | undefined =
      isBareN && !takesNext ? /^-n([a-zA-Z].*)$/s.exec(word)?.[1] : undefined;
    const parts: string[] = rest === undefined ? [word] : ['-n', `-${rest}`];
    result.push(...parts);
    const last: Option | undefined = takesNext
      ? undefined
      : optionAtEndOf(parts[parts.length - 1], options);
    takesNext = last?.required === true;
    if (last !== undefined && isAttached(last) && isCommand(words.slice(at + 1))) {
      result.push('--');
      at++;
      break;
    }
  }
  return [...result, ...words.slice(at)];
}

/** The option that `word` ends with: `--switch-output`, `-z`, or the last of `-gz`. */
function optionAtEndOf(word: string, options: readonly Option[]): Option | undefined {
  const named = (name: string) =>
    options.find(({ short, long }) => short === name || long === name);
  const whole = named(word);
  if (whole !== undefined || !/^-[a-zA-Z]{2,}$/.test(word)) return whole;
  const letters = [...word.slice(1)].map((letter) => named(`-${letter}`));
  const areFlags = letters.slice(0, -1).every((each) => each && !each.required && !each.optional);
  return areFlags ? letters[letters.length - 1] : undefined;
}

function isAttached({ flags, optional }: Option): boolean {
  return optional && flags.includes('[=');
}

/** Whether a command begins here, and no value that `--` follows. */
function isCommand([first, second]: readonly string[]): boolean {
  return first !== undefined && !first.startsWith('-') && second !== '--';
}
