import type { Argument, Option } from 'commander';

/** ` (default events)` at the end of a description. */
const DEFAULT_AT_END = / \(default[^()]*\)$/;

/** The description of an option or argument, with the values that it can have, and its default. */
export function optionText(option: Option | Argument): string {
  const { description, argChoices, defaultValue } = option;
  const own = DEFAULT_AT_END.exec(description)?.[0] ?? '';
  const text = description.slice(0, description.length - own.length);
  // A description may explain each value itself.
  const unnamed = argChoices?.some((choice) => !new RegExp(`\\b${choice}\\b`).test(text));
  const choices = unnamed ? `: ${argChoices?.join(', ')}` : '';
  return `${text}${choices}${own || defaultText(defaultValue)}`;
}

/** Counters begin at 0, and flags are off: nobody needs to read that. */
function defaultText(value: unknown): string {
  return typeof value === 'string' ? ` (default ${value})` : '';
}
