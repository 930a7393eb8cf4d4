import type { FlameLabelKind } from '../../src/export/flame-graph-data.ts';

export const MATCH_COLOUR = '#ff5cc8';

/** Hue and saturation say where code comes from; the order is that of the legend. */
const PALETTE: Record<FlameLabelKind, { title: string; hue: number; saturation: number }> = {
  user: { title: 'program and libraries', hue: 28, saturation: 82 },
  jit: { title: 'JIT code', hue: 96, saturation: 48 },
  kernel: { title: 'kernel', hue: 212, saturation: 68 },
  module: { title: 'kernel modules', hue: 258, saturation: 55 },
  vdso: { title: 'vDSO', hue: 184, saturation: 50 },
  guest: { title: 'guest', hue: 322, saturation: 45 },
  unknown: { title: 'unknown', hue: 30, saturation: 6 },
  comm: { title: 'comm', hue: 214, saturation: 14 },
  lost: { title: 'lost', hue: 0, saturation: 55 },
  pruned: { title: 'pruned', hue: 40, saturation: 0 },
};

export const LABEL_KINDS = Object.keys(PALETTE) as FlameLabelKind[];

export function kindTitle(kind: FlameLabelKind): string {
  return PALETTE[kind].title;
}

export function kindColour(kind: FlameLabelKind): string {
  return hsl(PALETTE[kind].hue, PALETTE[kind].saturation, 66);
}

/**
 * Colour of a frame: the kind's hue, turned a little by the DSO, so that libraries tell apart, and
 * lighter or darker by the name, so that neighbours do. The whole texts are hashed: names that
 * begin alike (`std::…`) must not look alike.
 */
export function frameColour(
  kind: FlameLabelKind,
  dso: string,
  name: string,
  isDimmed: boolean,
): string {
  const { hue, saturation } = PALETTE[kind];
  if (kind === 'pruned') return hsl(hue, saturation, 82);
  const turn = kind === 'user' ? (hash(dso) % 25) - 12 : 0;
  const lightness = 60 + (hash(name) % 15);
  return isDimmed
    ? hsl(hue + turn, saturation * 0.25, lightness + 6)
    : hsl(hue + turn, saturation, lightness);
}

function hsl(hue: number, saturation: number, lightness: number): string {
  return `hsl(${hue} ${saturation}% ${lightness}%)`;
}

/** FNV-1a over UTF-16 code units. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  }
  return value >>> 0;
}
