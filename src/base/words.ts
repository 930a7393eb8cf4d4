/** An option as a text names it: a program writes its key, a command line its flag. */
export type NamedOption = { readonly inLibrary: string; readonly inCommand: string };

/**
 * One text for two doors. `library` is null for what only a command line can do: such a hint is left out for
 * callers of the library.
 */
export type Words = {
  readonly library: string | null;
  readonly command: string;
  /** A notice that changes no figure. */
  readonly isDetail?: true;
};

/** A text for users; the same one at both doors where it names no option. */
export type Text = string | Words;

/** A text with options in it: words`${RECORD.freq} and ${RECORD.count} exclude each other`. */
export function words(
  strings: TemplateStringsArray,
  ...values: readonly (string | number | NamedOption | Words)[]
): Words {
  const join = (door: (value: NamedOption | Words) => string) =>
    String.raw(
      { raw: strings },
      ...values.map((value) => (typeof value === 'object' ? door(value) : value)),
    );
  return {
    library: join((value) => ('command' in value ? (value.library ?? '') : value.inLibrary)),
    command: join((value) => ('command' in value ? value.command : value.inCommand)),
  };
}

/** A hint that only a terminal makes sense of: a command line of perf-ts, a mark below a word. */
export function commandOnly(command: string): Words {
  return { library: null, command };
}

/** A notice for those who ask for more: no figure changes by it. */
export function detail(text: Text): Words {
  return { library: libraryWords(text), command: commandWords(text), isDetail: true };
}

export function isDetail(text: Text): boolean {
  return typeof text !== 'string' && text.isDetail === true;
}

export function libraryWords(text: Text): string | null {
  return typeof text === 'string' ? text : text.library;
}

export function commandWords(text: Text): string {
  return typeof text === 'string' ? text : text.command;
}
