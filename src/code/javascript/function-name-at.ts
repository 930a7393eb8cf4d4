/** Text before a place that is looked at; a declaration with its type is shorter. */
const LOOK_BACK = 300;
/** Text behind a place that is looked at; longer lists of parameters have no name. */
const LOOK_AHEAD = 2000;

/** A constructor farther behind the head of its class has no name. */
const LARGEST_CLASS = 64 * 1024;

const NAME = String.raw`[\p{ID_Start}$_][\p{ID_Continue}$]*`;
const FUNCTION = new RegExp(
  String.raw`^(?:export\s+)?(?:default\s+)?(?:async\s+)?function\b\s*\*?\s*(${NAME})?`,
  'u',
);
const CLASS = new RegExp(
  String.raw`\bclass\b(?!\s*[:=,.;)])(?:\s+(?!(?:extends|class)\b)(${NAME}))?`,
  'gu',
);
const CLASS_HERE = new RegExp(
  String.raw`^(?:export\s+)?(?:default\s+)?(?:abstract\s+)?class\s+(?!extends\b)(${NAME})`,
  'u',
);
const MODIFIERS = /^(?:(?:public|private|protected|static|override|async|get|set)\s+|\*\s*)*/;
const METHOD = new RegExp(String.raw`^(#?${NAME})\s*(?:<[^(){};]*>)?\(`, 'u');
const ARROW_AT_WORD = new RegExp(String.raw`^(?:async\s+)?${NAME}\s*=>`, 'u');
const PARAMETERS_BEFORE = new RegExp(
  String.raw`(?<![.\p{ID_Continue}$#])(\bfunction\b[\s*]*)?(#?${NAME})\s*(?:<[^(){};]*>)?\(\s*$`,
  'u',
);
const NOT_METHODS = /^(?:if|for|while|switch|catch|with|return|function|super|import|async|await)$/;
/** Text that a method of a class or of an object may follow. */
const BEFORE_MEMBER =
  /(?:^|[{};,*]|\*\/|\bfunction|\b(?:public|private|protected|static|override|async|get|set))\s*$/;

const VALUE = String.raw`(?:async\s*)?`;
/** Not the last word of a type, as in `f: (a: A) => void = …`. */
const ASSIGNED = new RegExp(
  String.raw`(?<![>:|&?]\s*|[\p{ID_Continue}$#])(#?${NAME})\s*(?:\|\||&&|\?\?)?=\s*${VALUE}$`,
  'u',
);
const TYPED = new RegExp(
  String.raw`(?<![\p{ID_Continue}$#])(#?${NAME})\??\s*:(?:<[^=;(){}?:]*>|[^=;(){}?,:<>])*=\s*${VALUE}$`,
  'u',
);
const DECLARED = new RegExp(
  String.raw`\b(?:const|let|var|public|private|protected|static|readonly)\s+(#?${NAME})\s*:(?:=>|\([^()]*\)|[^;=,(){}])*=\s*${VALUE}$`,
  'u',
);
const PROPERTY = new RegExp(
  String.raw`[{,]\s*(?:(${NAME})|'([^'\\\n]*)'|"([^"\\\n]*)")\s*:\s*${VALUE}$`,
  'u',
);
const DEFAULT = /\bexport\s+default\s+(?:async\s*)?$/;

/**
 * The name that the author gave the function at `offset` of a source in JavaScript or TypeScript, where a
 * source map has none: by its keyword, as a method, or by what it is the value of, as ECMAScript infers it.
 *
 *     const countWords = (words: string[]) => …      onMessage(text) {…      export default function (…
 *                        ^ countWords                ^ onMessage             ^ default
 *
 * `offset` is that of the first token of the function or of its parameters. Null where the text does not
 * say it: what a call is given has no name, and no text is taken for a function's that may be another's.
 */
export function functionNameAt(text: string, offset: number): string | null {
  const before = text.slice(Math.max(0, offset - LOOK_BACK), offset);
  const behind = text.slice(offset, offset + LOOK_AHEAD);
  const [isFunction, keyword] = FUNCTION.exec(behind) ?? [];
  if (isFunction !== undefined) {
    return keyword ?? (/^(?:export\s+)?default\b/.test(behind) ? 'default' : nameOfValue(before));
  }
  const ofClass = CLASS_HERE.exec(behind)?.[1];
  if (ofClass !== undefined) return ofClass;
  if (isArrow(behind)) return nameOfValue(before);
  if (behind.startsWith('(')) return nameBeforeParameters(text, offset + 1, `${before}(`);
  return nameOfMethod(text, offset, before, behind) ?? nameBeforeParameters(text, offset, before);
}

/** `(a, b) => …`, `a => …` and `async` ones; also parameters in parentheses, from the first one on. */
function isArrow(behind: string): boolean {
  if (ARROW_AT_WORD.test(behind)) return true;
  const open = /^(?:async\s*)?(?:<[^(){};]*>\s*)?\(/.exec(behind)?.[0];
  return open !== undefined && /^\s*(?::[^;{}]*?)?=>/.test(behindParameters(behind, open.length));
}

function nameOfMethod(text: string, offset: number, before: string, behind: string) {
  const [modifiers = ''] = MODIFIERS.exec(behind) ?? [];
  const rest = behind.slice(modifiers.length);
  const [head, name] = METHOD.exec(rest) ?? [];
  if (head === undefined || name === undefined || NOT_METHODS.test(name)) return null;
  if (!BEFORE_MEMBER.test(before) || !isBody(behindParameters(rest, head.length))) return null;
  if (name === 'constructor') return enclosingClass(text, offset);
  return `${/\b[gs]et\s/.exec(modifiers)?.[0].trimEnd().concat(' ') ?? ''}${name}`;
}

/**
 * Matches from the first parameter: `handle(request, …) {`, or an arrow's whose name stands before
 * the parenthesis.
 */
function nameBeforeParameters(text: string, offset: number, before: string): string | null {
  const ending = behindParameters(text.slice(offset, offset + LOOK_AHEAD), 0);
  if (/\(\s*$/.test(before) && /^\s*(?::[^;{}]*?)?=>/.test(ending)) {
    return nameOfValue(before.replace(/\(\s*$/, ''));
  }
  const [, keyword, name] = PARAMETERS_BEFORE.exec(before) ?? [];
  if (name === undefined || NOT_METHODS.test(name) || !isBody(ending)) return null;
  if (keyword === undefined && name === 'constructor') return enclosingClass(text, offset);
  return name;
}

/** The text behind a list of parameters; `from` is behind its opening parenthesis. */
function behindParameters(text: string, from: number): string {
  let depth = 1;
  for (let at = from; at < text.length; at++) {
    const sign = text[at];
    if (sign === '(') depth++;
    else if (sign === ')' && --depth === 0) return text.slice(at + 1);
  }
  return '';
}

/** The body of a function, behind its parameters and the type of its result. */
const isBody = (text: string): boolean => /^\s*(?::[^;]*?)?\{/.test(text);

/** The name of what a function without one of its own is given to. */
function nameOfValue(before: string): string | null {
  if (DEFAULT.test(before)) return 'default';
  const assigned = ASSIGNED.exec(before)?.[1] ?? DECLARED.exec(before)?.[1] ?? typedName(before);
  if (assigned !== null) return assigned === 'exports' ? null : assigned;
  const [, word, single, double] = PROPERTY.exec(before) ?? [];
  return word ?? single ?? double ?? null;
}

/** The word before a colon and a type; in a pattern, `{ size: count = () => …`, it is no name. */
function typedName(before: string): string | null {
  const found = TYPED.exec(before);
  if (found === null) return null;
  const isInList = /[{,]\s*$/.test(before.slice(0, found.index));
  return isInList && !isInParameters(before, found.index) ? null : (found[1] ?? null);
}

/** Whether the innermost bracket that is open at `end` is a parenthesis. */
function isInParameters(text: string, end: number): boolean {
  let depth = 0;
  for (let at = end - 1; at >= 0; at--) {
    const sign = text[at] ?? '';
    if (')]}'.includes(sign)) depth++;
    else if ('([{'.includes(sign) && --depth < 0) return sign === '(';
  }
  return false;
}

/** The class around the constructor at `offset`, whose own brace is the only open one between them. */
function enclosingClass(text: string, offset: number): string | null {
  const before = text.slice(Math.max(0, offset - LARGEST_CLASS), offset);
  const last = [...before.matchAll(CLASS)].at(-1);
  if (last === undefined) return null;
  const between = before.slice(last.index);
  const open = between.split('{').length - between.split('}').length;
  if (open !== 1) return null;
  return last[1] ?? nameOfValue(before.slice(Math.max(0, last.index - LOOK_BACK), last.index));
}
