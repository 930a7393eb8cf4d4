import { TIERS } from '../../../src/profile/types.ts';
import type { FrameKind } from '../worker/messages.ts';

export const MATCH_COLOUR = '#ff5cc8';

/** Hue and saturation say whose code it is; the order is that of the legend. */
const PALETTE: Readonly<
  Record<FrameKind, { readonly title: string; readonly hue: number; readonly saturation: number }>
> = {
  'user code': { title: 'own JavaScript', hue: 130, saturation: 56 },
  dependency: { title: 'dependencies', hue: 78, saturation: 58 },
  'node internal': { title: 'Node’s own code', hue: 168, saturation: 40 },
  jit: { title: 'other JIT code', hue: 100, saturation: 38 },
  V8: { title: 'V8', hue: 48, saturation: 70 },
  native: { title: 'native code', hue: 24, saturation: 80 },
  kernel: { title: 'kernel', hue: 212, saturation: 68 },
  module: { title: 'kernel modules', hue: 258, saturation: 55 },
  vdso: { title: 'vDSO', hue: 184, saturation: 50 },
  guest: { title: 'guest', hue: 322, saturation: 45 },
  unknown: { title: 'unknown', hue: 30, saturation: 6 },
  root: { title: 'comm, thread, process, CPU', hue: 214, saturation: 14 },
  lost: { title: 'lost', hue: 0, saturation: 55 },
  folded: { title: 'folded: too small to draw', hue: 40, saturation: 0 },
};

export const FRAME_KINDS = Object.keys(PALETTE) as FrameKind[];

export const kindTitle = (kind: FrameKind): string => PALETTE[kind].title;

export function kindColour(kind: FrameKind): string {
  return hsl(PALETTE[kind].hue, PALETTE[kind].saturation, kind === 'folded' ? FOLDED : 66);
}

/** Percent. */
const FOLDED = 82;

/** As the legend shows it: that of native code, which most inlined calls are of. */
export const INLINED_COLOUR = 'hsl(24 80% 76%)';

/** What is left of a hue in each tier, the slowest the palest; `none` is no JavaScript. */
const TIER_SATURATION: Readonly<Record<(typeof TIERS)[number], number>> = {
  none: 1,
  interpreter: 0.22,
  baseline: 0.5,
  Maglev: 0.78,
  TurboFan: 1.15,
  DFG: 0.78,
  FTL: 1.15,
};

export function tierColour(tier: number): string {
  const { hue, saturation } = PALETTE['user code'];
  return hsl(hue, saturation * TIER_SATURATION[TIERS[tier]], 66);
}

/**
 * Colour of a frame: the kind's hue, paler in lower tiers of JavaScript; turned a little by the DSO, so that
 * libraries tell apart, and lighter or darker by the name, so that neighbours do. Inlined calls are
 * lighter. The whole texts are hashed: names that begin alike (`std::…`) must not look alike.
 */
export function frameColour(
  frame: {
    readonly kind: FrameKind;
    readonly dso: string;
    readonly name: string;
    readonly tier: number;
    readonly isInlined: boolean;
  },
  isDimmed: boolean,
): string {
  const { hue, saturation } = PALETTE[frame.kind];
  if (frame.kind === 'folded') return hsl(hue, saturation, FOLDED);
  const turn = frame.kind === 'native' ? (hash(frame.dso) % 25) - 12 : 0;
  const lightness = (frame.isInlined ? 72 : 60) + (hash(frame.name) % (frame.isInlined ? 8 : 13));
  const own = saturation * TIER_SATURATION[TIERS[frame.tier] ?? 'none'];
  return isDimmed ? hsl(hue + turn, own * 0.25, lightness + 6) : hsl(hue + turn, own, lightness);
}

/** Red: more than in the other recording; blue: less. Full colour at `most`, a share. */
export function deltaColour(delta: number, most: number): string {
  if (Number.isNaN(delta) || most <= 0) return hsl(0, 0, 82);
  const part = Math.min(1, Math.abs(delta) / most);
  // The eye tells small differences apart better where they are spread.
  const strength = Math.sqrt(part);
  return hsl(delta >= 0 ? 6 : 214, 85 * strength, 92 - 30 * strength);
}

function hsl(hue: number, saturation: number, lightness: number): string {
  return `hsl(${round(hue)} ${round(Math.min(100, saturation))}% ${round(lightness)}%)`;
}

const round = (value: number): number => Math.round(value * 10) / 10;

/** FNV-1a over UTF-16 code units. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  }
  return value >>> 0;
}
