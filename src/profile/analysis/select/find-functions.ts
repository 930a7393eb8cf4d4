import { NONE } from '../../../base/brand.ts';
import { UsageError } from '../../../base/errors.ts';
import { globMatcher, isGlob } from '../../../base/glob.ts';
import { nearestNames } from '../../../base/nearest-names.ts';
import { printable } from '../../../base/printable.ts';
import { funcLabel } from '../../func-label.ts';
import { scriptName } from '../../script-name.ts';
import type { Profile } from '../../types.ts';

/**
 * How well a text fits a label. `whole`: it is the label itself; `part`: the label names such a function; `none`.
 */
export type Fit = 'whole' | 'part' | 'none';

/** How well a function fits, by its label and, where it is known, the path of its source. */
export type FitFunction = (label: string, path?: string) => Fit;

const EXPRESSION = /^\/(.+)\/([imsu]*)$/s;
/** The line, or line and column, at the end of the label of a JavaScript function. */
const PLACE = /:\d+(?::\d+)?$/;
/** Beginnings of the text behind the name of a native function: parameters, template arguments, `[clone .isra.0]`. */
const BEHIND_NAME = ['(', '<', ' ['];
/** Ends of copies and parts that gcc and LLVM make of a native function: `.constprop.0`, `.part.1.cold`. */
const COPY = /^(?:\.(?:constprop|isra|part|cold|lto_priv|llvm)(?:\.\d+)?)+$/;
const MOST_CANDIDATES = 4;

/**
 * Reads the text by which somebody names functions, everywhere in the same way:
 *
 *     parse app.js:4            the whole label
 *     parse                     whatever the place, parameters or template arguments are, and the compiler's copies
 *     parse lib/app.js          in a file of this name, or with this end of its path
 *     parse app.js:4            on this line
 *     *Sync, pars? *            a glob, over the whole label or the name
 *     /^parse/i                 a regular expression, found anywhere in the label
 *
 * Throws `UsageError` for a regular expression that is none.
 */
export function readFunctionPattern(text: string): FitFunction {
  const [, source, flags] = EXPRESSION.exec(text) ?? [];
  const found = source === undefined ? null : expression(text, source, flags);
  const glob = isGlob(text) ? globMatcher(text) : null;
  return (label, path = '') => {
    if (label === text) return 'whole';
    if (found !== null) return found.test(label) ? 'part' : 'none';
    const name = nameOf(label, path);
    const isGlobOfIt = glob !== null && (glob(label) || glob(name));
    return isGlobOfIt || isNamed(label, name, path, text) ? 'part' : 'none';
  };
}

function expression(text: string, source: string, flags: string | undefined): RegExp {
  try {
    return new RegExp(source, flags);
  } catch (error) {
    throw new UsageError(`${printable(text)}: ${printable((error as Error).message)}`);
  }
}

/** The label of a function of JavaScript without its place; others as they are. */
function nameOf(label: string, path: string): string {
  if (path !== '') return scriptName(label, path);
  const space = label.lastIndexOf(' ');
  return space > 0 && PLACE.test(label) ? label.slice(0, space) : label;
}

function isNamed(label: string, name: string, path: string, text: string): boolean {
  if (name === label) {
    const isCopy = label.startsWith(text) && COPY.test(label.slice(text.length));
    return isCopy || BEHIND_NAME.some((end) => label.startsWith(text + end));
  }
  if (name === text) return true;
  if (!text.startsWith(`${name} `)) return false;
  const [place = ''] = PLACE.exec(label) ?? [];
  const [wantedPlace = ''] = PLACE.exec(text) ?? [];
  const file = text.slice(name.length + 1, text.length - wantedPlace.length);
  const shown = label.slice(name.length + 1, label.length - place.length);
  const isOnLine =
    wantedPlace === '' || place === wantedPlace || place.startsWith(`${wantedPlace}:`);
  return isOnLine && [shown, path].some((each) => each === file || each.endsWith(`/${file}`));
}

/** The items that a text means: those that it names as a whole, else all that it fits. */
function fitting<Item>(
  text: string,
  items: Iterable<Item>,
  fitOf: (item: Item, pattern: FitFunction) => Fit,
): Item[] {
  const pattern = readFunctionPattern(text);
  const fits: Record<Fit, Item[]> = { whole: [], part: [], none: [] };
  for (const item of items) fits[fitOf(item, pattern)].push(item);
  return fits.whole.length > 0 ? fits.whole : fits.part;
}

/** The functions that a text means, as rows of `funcs`; none where it fits nothing. */
export function findFunctions(profile: Profile, text: string): number[] {
  const { funcs, strings } = profile;
  return fitting(text, funcs.name.keys(), (func, pattern) => {
    const file = funcs.file[func];
    const path = file === NONE ? '' : strings[file];
    const name = strings[funcs.name[func]];
    // Code without a symbol is known by its DSO, and by `[unknown]`.
    const ofLabel = pattern(funcLabel(profile, func), path);
    if (ofLabel !== 'none') return ofLabel;
    const v8Name = funcs.v8Name[func];
    if (v8Name === NONE) return pattern(name, path);
    // V8's name of a function that its source describes, at the same place.
    const place = name.slice(scriptName(name, path).length);
    return pattern(`${strings[v8Name]}${place}`, path) === 'none' ? 'none' : 'part';
  });
}

/** Flags the functions that a text means. Throws `UsageError` with the nearest names where there is none. */
export function functionsNamed(profile: Profile, text: string): Uint8Array {
  const isMeant = flagFunctions(profile, text);
  if (!isMeant.includes(1)) throw noFunction(profile, text);
  return isMeant;
}

/** Flags the functions that a text means; none where it fits nothing. */
export function flagFunctions(profile: Profile, text: string): Uint8Array {
  const isMeant = new Uint8Array(profile.funcs.length);
  for (const func of findFunctions(profile, text)) isMeant[func] = 1;
  return isMeant;
}

/** Which functions are meant together, for who names some: null where it is one. Labels are printable. */
export function meantTogether(profile: Profile, isMeant: Uint8Array): string | null {
  const meant = [...isMeant.keys()].filter((func) => isMeant[func] === 1);
  if (meant.length === 1) return null;
  const labels = [...new Set(meant.map((func) => printable(funcLabel(profile, func))))];
  const rest = labels.length > MOST_CANDIDATES ? ' and others' : '';
  const shown = labels.slice(0, MOST_CANDIDATES).join(', ');
  return `${meant.length} functions are called so, here together: ${shown}${rest}`;
}

/** A function by its label and the path of its source, empty where that is not known. */
type NamedFunction = { readonly name: string; readonly path: string };

/** The functions of several recordings that a text means. */
export function fittingNames<Named extends NamedFunction>(
  text: string,
  functions: readonly Named[],
): Named[] {
  return fitting(text, functions, ({ name, path }, pattern) => pattern(name, path));
}

/** Refuses a text that fits no function, with the labels that it may have been meant to be. */
export function noFunction(profile: Profile, text: string): UsageError {
  const { funcs, strings } = profile;
  const functions = Array.from(funcs.file, (file, func) => ({
    name: funcLabel(profile, func),
    path: file === NONE ? '' : strings[file],
  }));
  return noFunctionNamed(text, functions);
}

/** Refuses a text that fits none of these functions, which have names already. */
export function noFunctionNamed(text: string, functions: readonly NamedFunction[]): UsageError {
  const labels = new Map<string, string>();
  for (const { name, path } of functions) labels.set(nameOf(name, path), name).set(name, name);
  const near = new Set(nearestNames(text, labels.keys()).map((name) => labels.get(name) ?? name));
  const candidates = [...near].slice(0, MOST_CANDIDATES).map(printable);
  return new UsageError(`${printable(text)}: no function of the recording is called so`, [
    candidates.length === 0
      ? 'names are those of perf-ts report; NAME, NAME FILE, NAME FILE:LINE, a glob or /EXPRESSION/'
      : `it has ${candidates.join(', ')}`,
  ]);
}
