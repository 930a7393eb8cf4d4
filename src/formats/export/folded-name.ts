import { printable } from '../../base/printable.ts';

/**
 * A frame's name as it may stand in a folded line, where `;` ends a frame and the last space starts
 * the weight:
 *
 *   `a;b`     -> `a:b`       as stackcollapse-perf.pl
 *   `f 12`    -> `f_12`      "f 12 7" would be read as f with two weights, as difffolded.pl writes
 *   `f `      -> `f_`
 *   LF, NUL … -> `\x0a`      one stack stays one line
 *
 * Doing it twice changes nothing.
 */
export function escapeFrameName(name: string): string {
  const text = printable(name)
    .replaceAll(';', ':')
    .replace(/ (?=[\d.]+$)/g, '_');
  // Not by a pattern: it would be tried at each space of a long row of them.
  const trimmed = trimSpaces(text);
  return trimmed.length === text.length ? text : `${trimmed}_`;
}

function trimSpaces(text: string): string {
  let end = text.length;
  while (text[end - 1] === ' ') end--;
  return text.slice(0, end);
}

/** A comm as root frame: as above, and without any space, as stackcollapse-perf.pl writes it. */
export function escapeComm(comm: string): string {
  return printable(comm).replaceAll(';', ':').replaceAll(' ', '_');
}

const PARAMETERS = /\((?!anonymous).*$/s;
// JavaScript has no parameters in its names, but its paths may have parentheses:
// render app/(shop)/page.tsx:12
const SCRIPT_LINE = /:\d+$/;

/**
 * Shortens a symbol as stackcollapse-perf.pl does, so that the two outputs compare line by line:
 * everything from the first parenthesis goes, unless it is `(anonymous namespace)` or a Go method;
 * quotes go. What is lost: overloads and lambdas of one function become one.
 */
export function tidyName(name: string): string {
  const isWhole = isGoMethod(name) || SCRIPT_LINE.test(name);
  const shortened = isWhole ? name : name.replace(PARAMETERS, '');
  return shortened.replace(/["']/g, '') || name;
}

/** Go methods on pointers have a parameter list in the middle: `net/http.(*Client).Do`. */
function isGoMethod(name: string): boolean {
  const open = name.indexOf('.(');
  return open >= 0 && name.lastIndexOf(').') >= open + 2;
}
