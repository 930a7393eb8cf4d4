import { NONE } from '../../base/brand.ts';
import type { IntColumn } from '../../base/int-column.ts';
import { zeros } from '../../base/narrow-column.ts';
import { printable } from '../../base/printable.ts';
import { finish } from '../../base/slices.ts';
import { StringTable } from '../../base/string-table.ts';
import {
  firstEvent,
  type SampleSelection,
  selectSamples,
} from '../../profile/analysis/select/filter.ts';
import { computeCallNodes } from '../../profile/analysis/trees/call-nodes.ts';
import {
  type CallTree,
  computeCallTree,
  computeChildLists,
} from '../../profile/analysis/trees/call-tree.ts';
import { funcLabel } from '../../profile/func-label.ts';
import { UNKNOWN_FUNC_NAME } from '../../profile/func-table.ts';
import type { Profile, Weights } from '../../profile/types.ts';
import { TextBuffer } from './text-buffer.ts';

export type FoldedOptions = {
  /** Which samples; the event of the first sample unless it names one. */
  readonly select?: SampleSelection;
  /**
   * `full` (default): escaped, not shortened; `tidy`: as stackcollapse-perf.pl shortens them, which
   * makes one function of overloads, instances of a template and the like.
   */
  readonly names?: 'tidy' | 'full';
};

/**
 * Writes the folded form of one event: `comm;outermost;…;innermost weight`, a line per distinct
 * stack, in order of the stacks' UTF-16 code units. The root frame is the comm when the sample was
 * taken; a sample without a stack is a line with its comm alone, and `[lost] weight` is what no
 * sample shows. With tidy names and
 * weights of kind `samples` the lines are those of `perf script | stackcollapse-perf.pl`.
 *
 * The format has no field for a unit: print `weightTitle(weights)` next to it.
 */
export function writeFolded(
  profile: Profile,
  weights: Weights,
  options: FoldedOptions,
  write: (text: string) => void,
): void {
  const samples = finish(selectSamples(profile, { event: firstEvent(profile), ...options.select }));
  const labels = new StringTable();
  const callNodes = finish(computeCallNodes(profile, labelFuncs(profile, labels, options)));
  const roots = {
    rootOfSample: labelComms(profile, labels, samples),
    count: labels.strings.length,
  };
  const tree = computeCallTree(profile, callNodes, weights, samples, roots);
  writeSorted(tree, labels.strings, write);
}

/** Label of every function. Functions of equal labels become one frame. */
function labelFuncs(profile: Profile, labels: StringTable, options: FoldedOptions): Int32Array {
  const { funcs, strings } = profile;
  const isTidy = options.names === 'tidy';
  const funcToLabel = new Int32Array(funcs.length);
  for (let func = 0; func < funcs.length; func++) {
    const isNamed = strings[funcs.name[func]] !== UNKNOWN_FUNC_NAME;
    const name = funcLabel(profile, func);
    funcToLabel[func] = labels.intern(escapeFrameName(isTidy && isNamed ? tidyName(name) : name));
  }
  return funcToLabel;
}

/** Label of the comm of every sample of `samples`. */
function labelComms(profile: Profile, labels: StringTable, samples: Int32Array): IntColumn {
  const { comm } = profile.samples;
  const commToLabel = new Int32Array(profile.strings.length).fill(NONE);
  const labelOfSample = zeros(comm.length, labels.strings.length + profile.strings.length);
  for (let i = 0; i < samples.length; i++) {
    const sample = samples[i];
    const text = comm[sample];
    if (commToLabel[text] === NONE) {
      commToLabel[text] = labels.intern(escapeComm(profile.strings[text]));
    }
    labelOfSample[sample] = commToLabel[text];
  }
  return labelOfSample;
}

/**
 * Walks the tree so that lines come out sorted without being gathered. Below one parent, sort
 *
 *   `name`    the line that ends here         entry 2 × row
 *   `name;`   all lines that go on from here  entry 2 × row + 1
 *
 * as texts; then the walk's order is the lines' order, also where a name is the beginning of
 * another (`a`, `a b`, `a;x`). Ranks of these texts are computed once, so siblings compare as
 * numbers.
 */
function writeSorted(
  tree: CallTree,
  labels: readonly string[],
  write: (text: string) => void,
): void {
  const buffer = new TextBuffer(write);
  const rank = rankLabels(labels);
  const children = computeChildLists(tree.prefix);
  const labelOf = (row: number) => (tree.root[row] === NONE ? tree.group[row] : tree.root[row]);

  const entriesOf = (firstRow: number): number[] => {
    const entries: number[] = [];
    for (let row = firstRow; row !== NONE; row = children.nextSibling[row]) {
      if (tree.selfSamples[row] > 0 || tree.self[row] !== 0) entries.push(2 * row);
      if (children.firstChild[row] !== NONE) entries.push(2 * row + 1);
    }
    if (entries.length > 1) {
      entries.sort((a, b) => rankOf(a) - rankOf(b));
    }
    return entries;
  };
  const rankOf = (entry: number) => rank[2 * labelOf(entry >> 1) + (entry & 1)];

  // One level per frame of the path that is being written: what is left of it, and its text.
  const levels: { readonly entries: number[]; next: number; readonly path: string }[] = [
    { entries: entriesOf(children.firstRoot), next: 0, path: '' },
  ];
  // Hot: once per row.
  while (levels.length > 0) {
    const level = levels[levels.length - 1];
    if (level.next === level.entries.length) {
      levels.pop();
      continue;
    }
    const entry = level.entries[level.next++];
    const row = entry >> 1;
    const text = level.path + labels[labelOf(row)];
    if ((entry & 1) === 0) {
      buffer.add(`${text} ${formatWeight(tree.self[row])}\n`);
    } else {
      const entries = entriesOf(children.firstChild[row]);
      levels.push({ entries, next: 0, path: `${text};` });
    }
  }
  buffer.flush();
}

/** Position of `label` (index 2i) and `label;` (2i + 1) among all such texts. */
function rankLabels(labels: readonly string[]): Int32Array {
  const texts = labels.flatMap((label) => [label, `${label};`]);
  const order = texts.map((_, index) => index);
  order.sort((a, b) => {
    const left = texts[a];
    const right = texts[b];
    return left < right ? -1 : left > right ? 1 : 0;
  });
  const rank = new Int32Array(texts.length);
  for (let position = 0; position < order.length; position++) {
    rank[order[position]] = position;
  }
  return rank;
}

/** Whole numbers as they are, others with three decimals: never an exponent. */
function formatWeight(weight: number): string {
  return Number.isInteger(weight) ? String(weight) : weight.toFixed(3);
}

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
