import { createRequire } from 'node:module';
import type { Options, Parser } from 'acorn';
import { memoize } from '../../base/memoize.ts';
import { isComponent, scriptsOfComponent } from '../../code/javascript/component-scripts.ts';
import type { ParseScript, SyntaxNode } from '../../code/javascript/syntax-tree.ts';

type Dialect = 'JavaScript' | 'TypeScript' | 'JSX';

/** All syntax that runs somewhere is taken: in CommonJS, in a module, in a function that a loader puts around the text. */
const OPTIONS = {
  ecmaVersion: 'latest',
  allowHashBang: true,
  allowReturnOutsideFunction: true,
  allowAwaitOutsideFunction: true,
  allowImportExportEverywhere: true,
  allowSuperOutsideMethod: true,
  checkPrivateFields: false,
} as const satisfies Partial<Options>;

/** Tokens that a parser may read for each letter of a text: several times as many as a text has, at four letters a token. */
const MOST_TOKENS_PER_LETTER = 2;
const MOST_TOKENS_OF_SHORT = 10_000;

/** A text for which a parser has read far more tokens than it has. */
class TooManyTokens extends Error {}

/**
 * Reads no more tokens than `MOST_TOKENS_PER_LETTER`. The parser of TypeScript tries what may be types first and then
 * reads it again: `a<(b = a<(b = …` takes twice as long for each level.
 */
function bounded(parser: typeof Parser): typeof Parser {
  const Unbounded = parser as unknown as new (
    ...args: readonly unknown[]
  ) => { readonly input: string; nextToken(): unknown };
  class Bounded extends Unbounded {
    tokens = 0;

    override nextToken(): unknown {
      const most = Math.max(MOST_TOKENS_OF_SHORT, MOST_TOKENS_PER_LETTER * this.input.length);
      if (++this.tokens > most) throw new TooManyTokens();
      return super.nextToken();
    }
  }
  return Bounded as unknown as typeof Parser;
}

/** Loaded at the first function without a name, which most programs that are not JavaScript never have. */
const parserOf = memoize((dialect: Dialect): typeof Parser => {
  const require = createRequire(import.meta.url);
  const { Parser: javaScript } = require('acorn') as typeof import('acorn');
  if (dialect === 'JavaScript') return javaScript.extend(bounded);
  const { tsPlugin } =
    require('@sveltejs/acorn-typescript') as typeof import('@sveltejs/acorn-typescript');
  return javaScript.extend(tsPlugin({ jsx: dialect === 'JSX' }), bounded);
});

/**
 * Parses a script, or the source that it was made of, by acorn: first as a module, then as what only runs outside of
 * one. The dialect is that of the file's name; JavaScript may have JSX in it all the same. Of a component, its scripts are
 * parsed.
 */
export const parseScript: ParseScript = (text, path) => {
  if (isComponent(path)) return parse(scriptsOfComponent(text, path), 'TypeScript', 'module');
  if (/\.[cm]?ts$/.test(path)) return parse(text, 'TypeScript', 'module');
  if (/\.[jt]sx$/.test(path)) return parse(text, 'JSX', 'module');
  return (
    parse(text, 'JavaScript', 'module') ??
    parse(text, 'JavaScript', 'script') ??
    parse(text, 'JSX', 'module')
  );
};

function parse(text: string, dialect: Dialect, sourceType: 'module' | 'script'): SyntaxNode | null {
  try {
    return parserOf(dialect).parse(text, { ...OPTIONS, sourceType }) as unknown as SyntaxNode;
  } catch (error) {
    // A `RangeError` is a text nested more deeply than the stack; a `SyntaxError` is not this dialect.
    if (error instanceof SyntaxError || error instanceof RangeError) return null;
    // The plugin may meet what it does not expect in texts of strangers.
    if (error instanceof TypeError || error instanceof TooManyTokens) return null;
    throw error;
  }
}
