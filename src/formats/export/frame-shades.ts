import { type WaitKind, waitKindOf } from '../../profile/off-cpu/wait-kinds.ts';
import type { KindGroup } from './kind-group.ts';

/** The things that have a colour: groups of functions, reasons of waits, and rows that are none. */
export type FrameColour = KindGroup | `wait-${WaitKind}` | 'root' | 'folded';
/** The same, and what is sought. */
export type ColourName = FrameColour | 'match';

/** That of a function's group, or of the reason that a wait's frame is for. */
export function colourNameOfFunc(name: string, group: KindGroup): FrameColour {
  const wait = waitKindOf(name);
  return wait === null ? group : `wait-${wait}`;
}

/**
 * The colours of a picture without a style sheet: those of the page in its light theme (`web/src/kinds.css`), which
 * `test/web/kinds.test.ts` compares.
 */
export const LIGHT_COLOURS: Readonly<Record<FrameColour, string>> = {
  own: '#38b648',
  dependency: '#dcf0a7',
  node: '#bde8e7',
  v8: '#eabb3e',
  gc: '#cb7066',
  standard: '#e3ceb5',
  libc: '#e3ceb5',
  native: '#e3ceb5',
  kernel: '#768fd7',
  unknown: '#a5a5aa',
  root: '#c3cad8',
  folded: '#dedcd7',
  'wait-cpu': '#cb7066',
  'wait-lock': '#eabb3e',
  'wait-disk': '#dcf0a7',
  'wait-network': '#bde8e7',
  'wait-idle': '#dedcd7',
  'wait-other': '#a5a5aa',
};

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

/** FNV-1a over UTF-16 code units. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  }
  return value >>> 0;
}
