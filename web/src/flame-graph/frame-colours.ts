import { type WaitKind, waitKindOf } from '../../../src/profile/off-cpu/wait-kinds.ts';
import { KIND_GROUPS, type KindGroup } from '../worker/messages/kind-group.ts';
import type { TreeLabels } from '../worker/messages/messages.ts';

/** The things that have a colour: groups of functions, reasons of waits, and rows that are none. */
export type ColourName = KindGroup | `wait-${WaitKind}` | 'root' | 'folded' | 'match';

/** The colour for elements of HTML. */
export const colourVariable = (name: ColourName): string => `var(--kind-${name})`;

/** The colour's name of a row of labels; −1: everything. */
export function colourNameOf(labels: TreeLabels, label: number): ColourName {
  if (label < 0) return 'root';
  if (labels.isMatch[label] === 1) return 'match';
  return colourNameOfKind(labels, label);
}

/** The colour's name of a row of labels, whatever is sought. */
export function colourNameOfKind({ kind, group, name }: TreeLabels, label: number): ColourName {
  const of = kind[label];
  if (of === 'root' || of === 'folded') return of;
  return colourNameOfFunc(name[label], KIND_GROUPS[group[label]]);
}

/** That of a function's group, or of the reason that a wait's frame is for. */
export function colourNameOfFunc(name: string, group: KindGroup): ColourName {
  const wait = waitKindOf(name);
  return wait === null ? group : `wait-${wait}`;
}

/** Part of white that is mixed in where a function was inlined or ran without an optimizing compiler. */
export const LIGHTER = 0.25;
/** Neighbours of one group differ a little, by their names. */
const SHADES = [0, 0.05, 0.1] as const;
/** Part of the page's grey that is mixed in where others are sought. */
const DIMMED = 0.6;
const GREY = [0xd8, 0xd8, 0xd8] as const;
const WHITE = [255, 255, 255] as const;

export type FrameShade = {
  readonly name: string;
  readonly isLighter: boolean;
  readonly isDimmed: boolean;
};

/** The colour of a frame of the group `base`; names that begin alike (`std::…`) need not look alike. */
export function shadeOf(base: string, { name, isLighter, isDimmed }: FrameShade): string {
  const shade = SHADES[hash(name) % SHADES.length];
  const own = mix(channelsOf(base), WHITE, isLighter ? LIGHTER : shade);
  return hexOf(isDimmed ? mix(own, GREY, DIMMED) : own);
}

type Channels = readonly [number, number, number];

/** `#rrggbb` as three numbers of 0…255. */
export function channelsOf(colour: string): Channels {
  const value = Number.parseInt(colour.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

export function mix(from: Channels, to: Channels, part: number): Channels {
  const between = (a: number, b: number) => Math.round(a + (b - a) * part);
  return [between(from[0], to[0]), between(from[1], to[1]), between(from[2], to[2])];
}

function hexOf([red, green, blue]: Channels): string {
  return `#${((1 << 24) | (red << 16) | (green << 8) | blue).toString(16).slice(1)}`;
}

/** Red: more than in the other recording; blue: less. Full colour at `most`, a share. */
export function deltaColour(delta: number, most: number): string {
  if (Number.isNaN(delta) || most <= 0) return 'hsl(0 0% 82%)';
  const part = Math.min(1, Math.abs(delta) / most);
  // The eye tells small differences apart better where they are spread.
  const strength = Math.sqrt(part);
  const round = (value: number) => Math.round(value * 10) / 10;
  const hue = delta >= 0 ? 6 : 214;
  return `hsl(${hue} ${round(85 * strength)}% ${round(92 - 30 * strength)}%)`;
}

/** FNV-1a over UTF-16 code units. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  }
  return value >>> 0;
}
