// biome-ignore-all lint/style/noCommonJs: used by a preload of --require.

const SHELL = /(?:^|\/)(?:sh|bash|dash|zsh|ash|ksh)$/;
/** `-x` and `-v` print the text that they run. */
const TEXT_OPTION = /^-[^xv-]*c$/;
const VARIABLE = 'NODE_OPTIONS=';
const ASSIGNMENT = /^[A-Za-z_]\w*=/;
/** Words behind which a command begins, as it does behind an assignment. */
const KEYWORD = /^(?:!|if|then|elif|else|while|until|do|exec|command|time|\{)$/;
const ENV = /^(?:\/usr\/bin\/|\/bin\/)?env$/;
const OPERATOR = /[;&|()\n]/;
/** Text that takes more than these few rules to be understood: heredocs, and commands within words. */
const UNREAD = /<<|`|\$\(|\$'|\$"/;

/**
 * Words of a command line that runs a shell, with Node's options in the text that they are, or `env`, with these in the
 * word that assigns others; null where nothing is to be changed.
 */
exports.withOptionsInShell = <Word,>(words: readonly Word[], options: string): Word[] | null => {
  const [program, option, text, ...rest] = words;
  if (ENV.test(`${program}`)) {
    const end = words.findIndex((word, at) => at > 0 && !ASSIGNMENT.test(`${word}`));
    const at = words.findLastIndex((word, row) => row < end && `${word}`.startsWith(VARIABLE));
    return at < 0
      ? null
      : words.map((word, row) =>
          row === at
            ? (`${VARIABLE} ${options} ${`${word}`.slice(VARIABLE.length)}` as Word)
            : word,
        );
  }
  if (!SHELL.test(`${program}`) || !TEXT_OPTION.test(`${option}`)) return null;
  const changed = typeof text === 'string' ? withOptionsInText(text, options) : null;
  return changed === null ? null : [program, option, changed as Word, ...rest];
};

/**
 * Puts Node's options ahead of each value that a shell's text gives to NODE_OPTIONS, which takes away what the environment
 * has:
 *
 *     NODE_OPTIONS=--max-old-space-size=4096 vite build
 *     NODE_OPTIONS=' --require /…/boot.cjs '--max-old-space-size=4096 vite build
 *
 * Null where nothing is to be changed, or it is not certain what the text means.
 */
function withOptionsInText(text: string, options: string): string | null {
  if (!text.includes(VARIABLE) || UNREAD.test(text) || options.includes("'")) return null;
  const values = assignedValues(text);
  if (values === null || values.length === 0) return null;
  let changed = '';
  let from = 0;
  for (const value of values) {
    changed += `${text.slice(from, value)}' ${options} '`;
    from = value;
  }
  return changed + text.slice(from);
}

/** The places at which values of NODE_OPTIONS begin; null where a quote is not closed. */
function assignedValues(text: string): number[] | null {
  const values: number[] = [];
  // A command begins here, or its words assign.
  let assigns = true;
  for (let at = 0; at < text.length; ) {
    const char = text[at];
    if (OPERATOR.test(char)) assigns = true;
    if (OPERATOR.test(char) || /\s/.test(char)) {
      at++;
      continue;
    }
    if (char === '#') {
      const line = text.indexOf('\n', at);
      if (line < 0) return values;
      at = line;
      continue;
    }
    const end = wordEnd(text, at);
    if (end === null) return null;
    const word = text.slice(at, end);
    if (assigns && word.startsWith(VARIABLE)) values.push(at + VARIABLE.length);
    assigns &&= ASSIGNMENT.test(word) || KEYWORD.test(word) || word === 'export' || ENV.test(word);
    at = end;
  }
  return values;
}

/** The end of the word that begins at `at`; null where a quote in it is not closed. */
function wordEnd(text: string, at: number): number | null {
  let end = at;
  while (end < text.length && !OPERATOR.test(text[end]) && !/\s/.test(text[end])) {
    const next =
      text[end] === '\\' ? end + 2 : /["']/.test(text[end]) ? quoteEnd(text, end) : end + 1;
    if (next === null || next > text.length) return null;
    end = next;
  }
  return end;
}

/** The index behind a quoted part of a word; null where it has no end. */
function quoteEnd(text: string, at: number): number | null {
  const quote = text[at];
  for (let end = at + 1; end < text.length; end++) {
    if (text[end] === quote) return end + 1;
    if (text[end] === '\\' && quote === '"') end++;
  }
  return null;
}

export declare function withOptionsInShell<Word>(
  words: readonly Word[],
  options: string,
): Word[] | null;
