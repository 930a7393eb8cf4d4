/** Words that a demangler puts before a name that is no return type. */
const PHRASES = /(?:^|\s)(?:to|for|operator)$/;
const OPERATOR = /^operator(?:\(\)|\[\]|<=>|<<=?|>>=?|->\*?|[<>]=?)?/;
/** Words that may follow a parameter list. */
const QUALIFIERS = /^(?: const| volatile| &&?| \[[^\]]*\])*$/;
const SCRIPT_LINE = /:\d+$/;
/** Arguments of a script's call begin so, and no parameter does: `app.get('/users')`. */
const OF_SCRIPT = /^\[?['/]/;
/** A regular expression, as V8 names its code. */
const REGEXP = /^RegExp[:.]/;

/**
 * A demangled C++ name for a line of a table, without the parameter list and the return type:
 *
 *   void sort<int*>(int*, int*)               -> sort<int*>
 *   a::f(int)::{lambda(int)#1}::operator()(int) const -> a::f(int)::{lambda(int)#1}::operator()
 *   (anonymous namespace)::g(S&) [clone .isra.0]      -> (anonymous namespace)::g [clone .isra.0]
 *
 * Names of other languages, `net/http.(*Client).Do`, `app.get('/users')` or `render app/(shop)/page.tsx:12`, come out
 * as they are. For the eye only: overloads of one function look alike.
 */
export function shortName(name: string): string {
  if (!name.includes('(') || SCRIPT_LINE.test(name) || REGEXP.test(name)) return name;
  const groups = outermostGroups(name);
  const parameters = groups.at(-1);
  if (parameters === undefined || parameters.open === 0) return name;
  // No parameter list follows a space: `app (deleted)`, `f (file:line)`.
  if (name[parameters.open - 1] === ' ') return name;
  if (groups.some(({ open }) => OF_SCRIPT.test(name.slice(open + 1, open + 3)))) return name;
  const rest = name.slice(parameters.close + 1);
  if (!QUALIFIERS.test(rest)) return name;
  const clone = /(?: \[[^\]]*\])+$/.exec(rest)?.[0] ?? '';
  return withoutReturnType(name.slice(0, parameters.open)) + clone;
}

type Group = { readonly open: number; readonly close: number };

/** Places of the parentheses that no bracket encloses; those of `operator()` are a name. */
function outermostGroups(text: string): Group[] {
  const groups: Group[] = [];
  let depth = 0;
  let open = 0;
  for (let i = 0; i < text.length; i++) {
    const operator = operatorAt(text, i);
    if (operator > 0) {
      i += operator - 1;
      continue;
    }
    const step = stepOf(text, i);
    if (step > 0) {
      if (depth === 0) open = text[i] === '(' ? i : -1;
    } else if (step < 0) {
      if (depth === 1 && text[i] === ')' && open >= 0) groups.push({ open, close: i });
    }
    depth += step;
  }
  return groups;
}

/** 1 where a bracket opens at `i`, −1 where one closes, else 0. */
// Hot: once per letter of each function's name.
function stepOf(text: string, i: number): number {
  switch (text.charCodeAt(i)) {
    case 0x28: // (
    case 0x3c: // <
    case 0x5b: // [
    case 0x7b: // {
      return 1;
    case 0x29: // )
    case 0x3e: // >
    case 0x5d: // ]
    case 0x7d: // }
      return -1;
    default:
      return 0;
  }
}

/** Length of `operator` and the sign behind it at `i`, 0 if none is there. */
function operatorAt(text: string, i: number): number {
  if (text[i] !== 'o' || !text.startsWith('operator', i)) return 0;
  if (i > 0 && /\w/.test(text[i - 1])) return 0;
  return OPERATOR.exec(text.slice(i, i + 12))?.[0].length ?? 0;
}

/** Only templates have a return type: it ends at the last space outside all brackets. */
function withoutReturnType(name: string): string {
  if (!name.includes(' ')) return name;
  let depth = 0;
  let space = -1;
  for (let i = 0; i < name.length; i++) {
    const operator = operatorAt(name, i);
    if (operator > 0) {
      i += operator - 1;
      // `operator bool`, `operator new`: what follows belongs to the name.
      if (name[i + 1] === ' ') break;
      continue;
    }
    depth += stepOf(name, i);
    if (depth === 0 && name[i] === ' ') space = i;
  }
  if (space < 0 || PHRASES.test(name.slice(0, space))) return name;
  return name.slice(space + 1);
}
