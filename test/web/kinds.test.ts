import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { channelsOf, LIGHT_COLOURS, LIGHTER, mix } from '../../src/formats/export/frame-shades.ts';
import { KIND_GROUPS, type KindGroup } from '../../src/formats/export/kind-group.ts';

/** Libraries, the C library and the standard libraries have one colour. */
const DISTINCT = KIND_GROUPS.filter((group) => group !== 'standard' && group !== 'libc');

type Triple = readonly [number, number, number];

const sheet = readFileSync(new URL('../../web/src/kinds.css', import.meta.url), 'utf8');
const THEMES = ['light', 'dark'] as const;
type Theme = (typeof THEMES)[number];

function colour(name: string, theme: Theme): Triple {
  const value = new RegExp(`--kind-${name}: ([^;]*);`).exec(sheet)?.[1] ?? '';
  const both = value.match(/#[0-9a-f]{6}/g) ?? [];
  if (both.length === 0) throw new Error(`kinds.css has no colour --kind-${name}`);
  return channelsOf(both[theme === 'dark' ? both.length - 1 : 0]);
}

const lighter = (name: string, theme: Theme): Triple =>
  mix(colour(name, theme), [255, 255, 255], LIGHTER);

/** Dichromats by Machado, Oliveira and Fernandes (2009), severity 1, on linear sRGB. */
const SIGHT: Readonly<Record<string, readonly Triple[]>> = {
  'full colour vision': [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

test('pictures without a style sheet have the colours of the light theme', () => {
  const rules = new Map(
    [
      ...sheet.matchAll(/--kind-([\w-]+): (?:light-dark\()?(?:var\(--kind-([\w-]+)\)|(#\w{6}))/g),
    ].map(([, name, other, value]) => [name, other ?? value]),
  );
  for (const [name, value] of Object.entries(LIGHT_COLOURS)) {
    const rule = rules.get(name) ?? '';
    expect([name, rules.get(rule) ?? rule]).toEqual([name, value]);
  }
});

describe.each(THEMES)('colours of the kinds of code, %s', (theme) => {
  it.each(Object.keys(SIGHT))('the colours differ by 12 and more (ΔE76) with %s', (sight) => {
    const pairs = pairsOf(DISTINCT).map(([a, b]) => ({
      pair: `${a}, ${b}`,
      apart: distance(seen(colour(a, theme), sight), seen(colour(b, theme), sight)),
    }));
    expect(pairs.filter(({ apart }) => apart < 12)).toStrictEqual([]);
  });

  it.each(Object.keys(SIGHT))('paler colours differ by 10 and more with %s', (sight) => {
    const near = DISTINCT.flatMap((pale) =>
      DISTINCT.filter((other) => other !== pale)
        .map((other) => ({
          pair: `paler ${pale}, ${other}`,
          apart: distance(seen(lighter(pale, theme), sight), seen(colour(other, theme), sight)),
        }))
        .filter(({ apart }) => apart < 10),
    );
    expect(near).toStrictEqual([]);
  });

  test('libraries have one colour', () => {
    const libraries = (['standard', 'libc'] as const).map((group) => colour(group, theme));
    expect(libraries).toStrictEqual([colour('native', theme), colour('native', theme)]);
  });

  test('text on them has a contrast of 4.5 and more', () => {
    const text = luminance(colour('text', theme));
    const names = [...KIND_GROUPS, 'root', 'folded', 'match'];
    const low = names.filter(
      (name) => (luminance(colour(name, theme)) + 0.05) / (text + 0.05) < 4.5,
    );
    expect(low).toStrictEqual([]);
  });

  test('the strongest is that of own code', () => {
    const chroma = (of: Triple) => Math.hypot(...seen(of, 'full colour vision').slice(1));
    const others = KIND_GROUPS.filter((group) => group !== 'own');
    expect(Math.max(...others.map((group) => chroma(colour(group, theme))))).toBeLessThan(
      chroma(colour('own', theme)) - 3,
    );
  });

  test('own code that is interpreted is not grey', () => {
    const [, a, b] = seen(lighter('own', theme), 'full colour vision');
    expect(Math.hypot(a, b)).toBeGreaterThan(40);
  });
});

function pairsOf(groups: readonly KindGroup[]): (readonly [KindGroup, KindGroup])[] {
  return groups.flatMap((a, at) => groups.slice(at + 1).map((b) => [a, b] as const));
}

function linear(channel: number): number {
  const part = channel / 255;
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
}

function luminance([red, green, blue]: Triple): number {
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

/** CIELAB (D65) of what a person with such sight sees. */
function seen(of: Triple, sight: string): Triple {
  const light = of.map(linear);
  const [red, green, blue] = SIGHT[sight].map((row) =>
    Math.min(1, Math.max(0, row[0] * light[0] + row[1] * light[1] + row[2] * light[2])),
  );
  const curve = (t: number) => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116);
  const x = curve((0.4124564 * red + 0.3575761 * green + 0.1804375 * blue) / 0.95047);
  const y = curve(0.2126729 * red + 0.7151522 * green + 0.072175 * blue);
  const z = curve((0.0193339 * red + 0.119192 * green + 0.9503041 * blue) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

function distance(a: Triple, b: Triple): number {
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}
