import { NONE } from '../../base/brand.ts';
import { formatAmount, formatCount, formatShare } from '../../base/numbers.ts';
import { printable } from '../../base/printable.ts';
import { finish } from '../../base/slices.ts';
import {
  firstEvent,
  type SampleSelection,
  selectSamples,
} from '../../profile/analysis/select/filter.ts';
import { computeCallNodesByInlining } from '../../profile/analysis/trees/call-nodes.ts';
import { type CallTree, computeCallTree } from '../../profile/analysis/trees/call-tree.ts';
import { preparePruning, pruneTree } from '../../profile/analysis/trees/prune-tree.ts';
import { dsoPlace } from '../../profile/dso-place.ts';
import { funcLabel } from '../../profile/func-label.ts';
import type { Profile, Weights } from '../../profile/types.ts';
import { labelOf } from './frame-label.ts';
import { colourNameOfFunc, type FrameColour, LIGHT_COLOURS, shadeOf } from './frame-shades.ts';
import { groupTitle, KIND_GROUPS } from './kind-group.ts';
import { charactersIn, escapeXml, svgBox, svgStart, svgText } from './svg-box.ts';
import { TextBuffer } from './text-buffer.ts';
import { withUnitOf } from './weight-title.ts';

export type SvgOptions = {
  /** Which samples; the event of the first sample unless it names one. */
  readonly select?: SampleSelection;
  /** The program, and how long it was recorded. */
  readonly title: string;
  /** The lines above the frames for the sums of these: what the numbers are, and how far they can be trusted. */
  readonly linesOf: (sums: Pick<CallTree, 'samples' | 'weight'>) => readonly string[];
};

/** Pixels of the picture, of its margin, of a row and of a line above; and what common fonts take for a character. */
const WIDTH = 1200;
const EDGE = 10;
const ROW = 18;
const LINE = 16;
const CHARACTER = 7.25;
/** Frames that are drawn one by one at most, and characters of a name. */
const MAX_FRAMES = 10_000;
const MAX_NAME = 500;
const BACKGROUND = '#ffffff';
/** Characters of a line. */
const COLUMNS = charactersIn(WIDTH, CHARACTER);
const FITTING = new RegExp(`.{1,${COLUMNS}}(?= |$)|.{1,${COLUMNS}}`, 'gsu');

/**
 * Writes a flame graph of one event as an SVG file without scripts: everything on top, below it the comms, then the
 * frames from the outermost inwards, the heaviest first. A frame is as wide as its total; what it is not covered
 * by below is its self. Pointing at a frame shows its whole name, place and figures.
 */
export function writeSvg(
  profile: Profile,
  weights: Weights,
  { select, title, linesOf }: SvgOptions,
  write: (text: string) => void,
): void {
  const selection = { event: firstEvent(profile), ...select };
  const samples = finish(selectSamples(profile, selection));
  const roots = { rootOfSample: profile.samples.comm, count: profile.strings.length };
  const nodes = finish(computeCallNodesByInlining(profile));
  const tree = computeCallTree(profile, nodes, weights, samples, roots);
  const { least, folded, foldedWeight, boxes } = layOut(tree);
  const frames = boxes.map((box) => ({ ...box, ...describe(profile, tree, box) }));
  const all = tree.weight || 1;
  const foldedLine =
    `frames below ${formatShare(least / all)} are folded into grey boxes: ` +
    `${formatCount(folded)} frames, ${formatShare(foldedWeight / all)} of all`;
  const head = [...linesOf(tree), ...(folded === 0 ? [] : [foldedLine])].flatMap(wrap);
  const top = EDGE + (head.length + 3) * LINE;
  const rows = 1 + frames.reduce((deepest, { depth }) => Math.max(deepest, depth), 0);

  const buffer = new TextBuffer(write);
  const add = (text: string): void => buffer.add(`${text}\n`);
  const lineAt = (index: number): number => EDGE + (index + 1) * LINE - 4;
  add(svgStart(WIDTH + 2 * EDGE, top + rows * ROW + EDGE, BACKGROUND));
  add(`<title>${escapeXml(clip(title, MAX_NAME))}</title>`);
  add(svgText(EDGE, lineAt(0), clip(title, COLUMNS), ' font-weight="bold"'));
  for (const [index, line] of head.entries()) add(svgText(EDGE, lineAt(index + 1), line));
  add(legend(frames, top - 1.5 * LINE));
  const event = profile.events[selection.event];
  const { unit } = event === undefined ? weights : withUnitOf(event, weights);
  const figure = (value: number): string =>
    `${formatShare(value / all)}, ${formatAmount(value, unit)}`;
  // Hot: once per row.
  for (const frame of frames) {
    const { name, place, colour, isInlined, self } = frame;
    const width = (frame.value / all) * WIDTH;
    const figures = `${figure(frame.value)}${self > 0 ? `; by itself ${figure(self)}` : ''}`;
    add(
      svgBox({
        ...{ x: EDGE + (frame.x / all) * WIDTH, top: top + frame.depth * ROW, width, height: ROW },
        fill: shadeOf(LIGHT_COLOURS[colour], { name, isLighter: isInlined, isDimmed: false }),
        title: [name, place, figures].filter((line) => line !== '').join('\n'),
        label: labelOf(frame, place, all, charactersIn(width, CHARACTER)),
        background: BACKGROUND,
      }),
    );
  }
  add('</svg>');
  buffer.flush();
}

/** The total from which on frames are drawn one by one: a pixel, or more where these are too many. */
function leastTotal({ total, weight }: CallTree): number {
  const pixel = weight / WIDTH;
  const wide = total.filter((value) => value >= pixel).sort();
  const beyond = wide.length - MAX_FRAMES;
  if (beyond <= 0) return pixel;
  const first = wide[beyond - 1];
  return wide.find((value) => value > first) ?? 2 * first;
}

/** A frame's place in the picture; lengths are weights. */
type Box = {
  /** Row of the tree; −1: folded ones, or everything. */
  readonly row: number;
  readonly x: number;
  readonly value: number;
  /** Rows of the picture above it. */
  readonly depth: number;
  /** Number of frames that it stands for, 0 for one that is itself. */
  readonly folded: number;
};

function layOut(tree: CallTree) {
  const least = leastTotal(tree);
  const { row, prefix, total, folded, foldedRows, foldedWeight } = pruneTree(preparePruning(tree), {
    ...{ below: NONE, maxRows: Number.POSITIVE_INFINITY, leastTotal: least },
    compare: (a, b) => tree.total[b] - tree.total[a] || a - b,
    wanted: new Int32Array(0),
  });
  const boxes: Box[] = [{ row: NONE, x: 0, value: tree.weight, depth: 0, folded: 0 }];
  /** The left end of the next frame below each box. */
  const next = [0];
  for (let i = 0; i < row.length; i++) {
    const above = prefix[i] + 1;
    const x = next[above];
    next[above] += total[i];
    next.push(x);
    const depth = boxes[above].depth + 1;
    boxes.push({ row: row[i], x, value: total[i], depth, folded: folded[i] });
  }
  return { least, folded: foldedRows, foldedWeight, boxes };
}

type Described = {
  readonly name: string;
  readonly place: string;
  readonly colour: FrameColour;
  readonly self: number;
  readonly isInlined: boolean;
};

function describe(profile: Profile, tree: CallTree, { row, folded }: Box): Described {
  const { funcs, strings, dsos } = profile;
  const plain = { place: '', self: 0, isInlined: false };
  if (row === NONE) {
    const name = folded === 0 ? 'everything' : `(${formatCount(folded)} folded)`;
    return { ...plain, name, colour: folded === 0 ? 'root' : 'folded' };
  }
  const self = tree.self[row];
  if (tree.root[row] !== NONE) {
    const comm = clip(strings[tree.root[row]], MAX_NAME) || '[unknown]';
    return { ...plain, name: comm, self, colour: 'root' };
  }
  const isInlined = tree.group[row] >= funcs.length;
  const func = tree.group[row] % funcs.length;
  const name = clip(funcLabel(profile, func), MAX_NAME);
  const [file, line] = [funcs.file[func], funcs.line[func]];
  const atLine = line > 0 ? `:${line}` : '';
  const place = file === NONE ? dsoPlace(dsos[funcs.dso[func]]) : `${strings[file]}${atLine}`;
  return {
    name: isInlined ? `${name} (inlined)` : name,
    place: clip(place, MAX_NAME),
    self,
    isInlined,
    colour: colourNameOfFunc(name, KIND_GROUPS[funcs.category[func]]),
  };
}

/** The groups of functions that are in the picture, with their colours. */
function legend(frames: readonly Described[], top: number): string {
  const used = new Set<string>(frames.map(({ colour }) => colour));
  let x = EDGE;
  let texts = '';
  for (const group of KIND_GROUPS) {
    if (!used.has(group)) continue;
    const title = groupTitle(group);
    texts += `<rect x="${x}" y="${top + 2}" width="10" height="10" fill="${LIGHT_COLOURS[group]}"/>`;
    texts += svgText(x + 14, top + 11, title);
    x += 14 + (title.length + 2) * CHARACTER;
  }
  return texts;
}

/** A line of the head as lines that have room, broken at spaces where there are some. */
function wrap(line: string): readonly string[] {
  return printable(line).match(FITTING) ?? [];
}

function clip(name: string, characters: number): string {
  const text = printable(name);
  return text.length > characters ? `${text.slice(0, characters - 1)}…` : text;
}
