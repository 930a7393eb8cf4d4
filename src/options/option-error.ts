import { UsageError } from '../base/errors.ts';
import { commandWords, libraryWords, type NamedOption, type Text, words } from '../base/words.ts';
import { type Kind, Misfit } from './kinds.ts';

/**
 * A value that an option cannot have. `problem` says why; the option goes by its key in the library's words and by
 * its flag in those of the command: `freq 0: …`, `-F 0: …`.
 */
export class OptionError extends UsageError {
  readonly option: NamedOption;
  readonly problem: Text;

  /** `given`: the value as it was written; undefined where the problem is about the option itself. */
  constructor(
    option: NamedOption,
    problem: Text,
    { given, hints = [] }: { readonly given?: unknown; readonly hints?: readonly Text[] } = {},
  ) {
    const isEmpty = given === undefined || given === '';
    const value = isEmpty ? '' : ` ${shown(given)}`;
    const typed = typeof given === 'string' && !isEmpty ? ` ${given}` : value;
    const text = {
      library: `${option.inLibrary}${value}: ${libraryWords(problem)}`,
      command: `${option.inCommand}${typed}: ${commandWords(problem)}`,
    };
    super(text, hints);
    this.option = option;
    this.problem = problem;
  }
}

/**
 * The value that `take` makes of what was given. Throws `OptionError` where that is undefined or a `Misfit`: with its
 * reason, or the values that the kind expects.
 */
export function fitted<V>(
  option: NamedOption,
  { expected }: Pick<Kind<unknown>, 'expected'>,
  given: unknown,
  take: () => V | undefined,
): V {
  try {
    const value = take();
    if (value !== undefined) return value;
  } catch (error) {
    if (!(error instanceof Misfit)) throw error;
    throw new OptionError(option, error.message, { given, hints: error.hints });
  }
  const problem =
    typeof expected === 'string' ? `expected ${expected}` : words`expected ${expected}`;
  throw new OptionError(option, problem, { given });
}

/** A value of a program; functions and the like have no JSON. */
function shown(value: unknown): string {
  try {
    return typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? String(value));
  } catch {
    return String(value);
  }
}
