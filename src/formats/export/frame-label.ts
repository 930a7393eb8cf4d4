import { formatShare } from '../../base/numbers.ts';

/** Characters of a frame in which the share is worth cutting the name for. */
const WIDE_FRAME = 24;

/** The text in a frame of `value` out of `weight` that has room for so many characters; folded frames have no share. */
export function labelOf(
  frame: { readonly name: string; readonly value: number; readonly folded: number },
  place: string,
  weight: number,
  characters: number,
): { readonly name: string; readonly share: string } {
  const share = frame.folded > 0 || weight <= 0 ? '' : formatShare(frame.value / weight);
  const left = characters - share.length - 2;
  const whole = fitLabel(frame.name, place, characters);
  if (share === '' || left < widthOf(whole)) {
    if (share === '' || characters < WIDE_FRAME) return { name: whole, share: '' };
    return { name: fitLabel(frame.name, place, left), share };
  }
  return { name: whole, share };
}

/**
 * The label of a frame in `characters` of a font in which all are as wide: the name and where the
 * function is, then the name alone, then what of it tells most. Names of C++ say that at their
 * ends, paths in their file names, all others at their beginnings.
 *
 *     v8::internal::Heap::CollectGarbage(v8::internal::AllocationSpace)
 *     …::Heap::CollectGarbage
 *     CollectGarb…
 *
 * `place` is empty where it is not known; it may be part of the name already. Empty where nothing would be told.
 */
export function fitLabel(name: string, place: string, characters: number): string {
  const { name: own, place: at } = splitPlace(name, place);
  const shortPlace = at.slice(at.lastIndexOf('/') + 1);
  const fits = (text: string) => widthOf(text) <= characters;
  const whole = `${own} ${shortPlace}`;
  if (shortPlace !== '' && fits(whole)) return whole;
  if (fits(own)) return own;
  const bare = withoutArguments(own);
  if (fits(bare)) return bare;
  if (characters < LEAST_CHARACTERS) return '';
  const tail = tailOf(bare, characters);
  return fits(tail) ? tail : cutEnd(tail, characters);
}

/** Fewer than that tell nothing. */
const LEAST_CHARACTERS = 3;

/** How many columns a text takes: characters of East Asia take two. */
function widthOf(text: string): number {
  // Nearly all names are ASCII.
  if (!WIDE.test(text)) return text.length;
  let columns = 0;
  for (const character of text) columns += WIDE.test(character) ? 2 : 1;
  return columns;
}

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{1f300}-\u{1faff}]/u;

/**
 * Names of JavaScript's functions have their places: `score /srv/app/work.ts:39`, `emit node:events:471`. That a call
 * was inlined is not part of either.
 */
export function splitPlace(
  shown: string,
  known: string,
): { readonly name: string; readonly place: string } {
  const name = shown.replace(/ \(inlined\)$/, '');
  const at = name.lastIndexOf(' ');
  const place = name.slice(at + 1);
  if (at <= 0 || !/^[^()<>]+:\d+$/.test(place)) return { name, place: known };
  return { name: name.slice(0, at), place };
}

/**
 * `void node::f<int>(char*) const` without result, template arguments and arguments: `node::f`. Brackets
 * that are part of a name stay: `operator()`, `operator<`, `(garbage collector)`, `Object.<anonymous>`.
 */
function withoutArguments(name: string): string {
  if (!name.includes('::') && !/^[\w~ *&]+[(<].*\)/.test(name)) return name;
  const text = name.replaceAll('(anonymous namespace)::', '');
  const operator = OPERATOR.exec(text);
  const own = operator?.[0] ?? '';
  const head = withoutBrackets(operator === null ? text : text.slice(0, operator.index));
  // What a function returns stands before its name.
  return (head.slice(head.lastIndexOf(' ') + 1) + own).replace(/^::/, '') || name;
}

const OPERATOR = /\boperator(?:\(\)|\[\]|<=>|->\*?|<<=?|>>=?|\+\+|--|&&|\|\||[-+*/%^&|~!=<>]=?)/;

/** The text without what is in brackets, and without what stands behind the last of them: `const`, `[clone]`. */
function withoutBrackets(text: string): string {
  let bare = '';
  let depth = 0;
  for (const character of text.replace(/ (?:const|\[[^\]]*\])+$/, '')) {
    if (character === '(' || character === '<') depth++;
    else if (character === ')' || character === '>') depth = Math.max(0, depth - 1);
    else if (depth === 0) bare += character;
  }
  return bare.replace(/(?: const)? *$/, '');
}

/** The last parts of a name that fit, or the last one. */
function tailOf(name: string, characters: number): string {
  const separator = name.includes('::') ? '::' : name.includes('/') ? '/' : null;
  if (separator === null) return name;
  const parts = name.split(separator);
  const last = parts.at(-1) ?? '';
  let tail = last;
  for (let i = parts.length - 2; i > 0; i--) {
    const longer = `${parts[i]}${separator}${tail}`;
    if (widthOf(longer) + 1 + separator.length > characters) break;
    tail = longer;
  }
  const marked = `…${separator}${tail}`;
  return widthOf(marked) <= characters ? marked : last;
}

function cutEnd(text: string, characters: number): string {
  let cut = '';
  let columns = 0;
  for (const character of text) {
    columns += widthOf(character);
    if (columns > characters - 1) break;
    cut += character;
  }
  return `${cut}…`;
}
