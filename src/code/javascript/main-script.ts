/** Programs that run the script which their first plain argument names. */
const INTERPRETER =
  /^(?:(?:node|nodejs|python|pypy|ruby|perl|php)(?:-?\d[\d.]*)?|bun|deno|tsx|ts-node(?:-esm)?|swc-node|java|bash|sh|dash|zsh)$/;
/**
 * Options whose value is a word of its own, without their dashes: those of Node, then those of Python, Ruby, shells
 * and Java.
 */
const WITH_VALUE = new Set([
  ...['r', 'require', 'import', 'loader', 'experimental-loader', 'C', 'conditions'],
  ...['env-file', 'env-file-if-exists', 'title', 'input-type'],
  ...['W', 'X', 'I', 'o', 'O', 'cp', 'classpath', 'class-path'],
]);
/** Options whose value is the program: a module, a package. */
const NAMES_PROGRAM = /^(?:-m|-jar)$/;
const IS_INLINE = /^-(?:c|e|p|pe|-eval|-print)$/;

/**
 * The script that the command line of an interpreter names, as it is written there; null for other programs, and for
 * code in the arguments.
 */
export function mainScript(argv: readonly string[]): string | null {
  const program = argv[0]?.slice(argv[0].lastIndexOf('/') + 1) ?? '';
  if (!INTERPRETER.test(program)) return null;
  for (let i = 1; i < argv.length; i++) {
    const word = argv[i];
    if (word === '' || word === '-' || IS_INLINE.test(word)) return null;
    if (word === '--' || NAMES_PROGRAM.test(word)) return argv[i + 1] || null;
    const option = /^--?(.*)$/.exec(word)?.[1];
    if (option !== undefined) i += WITH_VALUE.has(option) ? 1 : 0;
    else if (word !== 'run') return word;
  }
  return null;
}
