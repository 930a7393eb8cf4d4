import { createRequire } from 'node:module';
import type { Options, Parser } from 'acorn';
import { memoize } from '../../base/memoize.ts';
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

/** Loaded at the first function without a name, which most programs that are not JavaScript never have. */
const parserOf = memoize((dialect: Dialect): typeof Parser => {
  const require = createRequire(import.meta.url);
  const { Parser: javaScript } = require('acorn') as typeof import('acorn');
  if (dialect === 'JavaScript') return javaScript;
  const { tsPlugin } =
    require('@sveltejs/acorn-typescript') as typeof import('@sveltejs/acorn-typescript');
  return javaScript.extend(tsPlugin({ jsx: dialect === 'JSX' }));
});

/**
 * Parses a script, or the source that it was made of, by acorn: first as a module, then as what only runs outside of
 * one. The dialect is that of the file's name; JavaScript may have JSX in it all the same.
 */
export const parseScript: ParseScript = (text, path) => {
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
    if (error instanceof TypeError) return null;
    throw error;
  }
}
