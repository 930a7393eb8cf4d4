/** True if `text` has a character that means something in a glob. */
export function isGlob(text: string): boolean {
  return /[*?[]/.test(text);
}

/**
 * A shell glob over whole names as a test: `*` any run, `?` one character, `[a-c]` and `[!a-c]`
 * one of a set. An unclosed bracket stands for itself.
 */
export function globMatcher(glob: string): (name: string) => boolean {
  let pattern = '';
  for (let i = 0; i < glob.length; i++) {
    const character = glob[i];
    const set = character === '[' ? /^\[(!?)(\]?[^\]]*)\]/.exec(glob.slice(i)) : null;
    if (character === '*') {
      // Runs of stars mean one star; kept apart they would backtrack exponentially.
      if (glob[i - 1] !== '*') pattern += '.*';
    } else if (character === '?') {
      pattern += '.';
    } else if (set) {
      pattern += `[${set[1] ? '^' : ''}${set[2].replace(/[\\\]^[]/g, '\\$&')}]`;
      i += set[0].length - 1;
    } else {
      pattern += character.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
    }
  }
  try {
    const expression = new RegExp(`^${pattern}$`, 's');
    return (name) => expression.test(name);
  } catch {
    // A range that runs backwards, `[z-a]`: no name is in it.
    return () => false;
  }
}
