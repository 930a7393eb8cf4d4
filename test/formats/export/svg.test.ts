import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { printable } from '../../../src/base/printable.ts';
import { writeSvg } from '../../../src/formats/export/svg.ts';
import { escapeXml } from '../../../src/formats/export/svg-box.ts';
import { HOSTILE_NAMES } from '../../helpers/hostile-names.ts';
import { hostileProfile } from '../../helpers/hostile-profile.ts';
import { profileFromText, simpleWeights } from '../../helpers/profile-from-text.ts';
import { readXml, type XmlElement } from '../../helpers/read-xml.ts';
import { collect, type Parsed, parseFolded } from '../../helpers/round-trip.ts';

const WIDTH = 1200;

function draw({ profile, weights }: Parsed): string {
  return collect((write) =>
    writeSvg(
      profile,
      weights,
      { title: 'app', linesOf: ({ weight }) => [`${weight} in all`] },
      write,
    ),
  );
}

type Box = {
  readonly name: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
};

const titleOf = ({ children }: XmlElement): string | undefined =>
  children.find(({ name }) => name === 'title')?.text;

/** The frames of a picture: the elements with a tooltip. */
function boxesOf(svg: string): Box[] {
  return readXml(svg).children.flatMap((element) => {
    const title = titleOf(element);
    if (title === undefined) return [];
    const [x, y, width] = ['x', 'y', 'width'].map((key) => Number(element.attributes[key]));
    return [{ name: title.split('\n')[0], x, y, width }];
  });
}

/** The width of each path, by the boxes that lie in each other. */
function widthsOfPaths(boxes: readonly Box[]): Map<string, number> {
  const widths = new Map<string, number>();
  const rows = [...new Set(boxes.map(({ y }) => y))].sort((a, b) => a - b);
  let above: { readonly box: Box; readonly path: string }[] = [];
  for (const y of rows) {
    above = boxes
      .filter((box) => box.y === y)
      .map((box) => {
        const isIn = (outer: Box) =>
          box.x >= outer.x - 0.02 && box.x + box.width <= outer.x + outer.width + 0.02;
        const under = above.filter(({ box: outer }) => isIn(outer));
        if (y !== rows[0]) expect(under).toHaveLength(1);
        const path = [...under.map((each) => each.path), box.name].join(';');
        expect(widths.has(path)).toBe(false);
        widths.set(path, box.width);
        return { box, path };
      });
  }
  return widths;
}

describe('a flame graph as SVG', () => {
  it('each frame lies in its caller, and is as wide as its total', () => {
    const stack = fc.tuple(
      fc.constantFrom('node', 'a<b>'),
      fc.array(fc.constantFrom('main', 'work', '"><svg>', '&#x41'), { maxLength: 5 }),
      fc.integer({ min: 20, max: 90 }),
    );
    fc.assert(
      fc.property(fc.array(stack, { minLength: 1, maxLength: 12 }), (stacks) => {
        const lines = stacks.map(
          ([comm, names, weight]) => `${[comm, ...names].join(';')} ${weight}`,
        );
        const { profile } = parseFolded(lines.join('\n'));
        const values = Float64Array.from(stacks, ([, , weight]) => weight);
        const all = values.reduce((sum, value) => sum + value, 0);
        const expected = new Map<string, number>();
        for (const [comm, names, weight] of stacks) {
          const path = ['everything', comm, ...names];
          for (let end = 1; end <= path.length; end++) {
            const key = path.slice(0, end).join(';');
            expected.set(key, (expected.get(key) ?? 0) + weight);
          }
        }
        const weights = { kind: 'samples', unit: 'samples', values } as const;
        const found = widthsOfPaths(boxesOf(draw({ profile, weights })));
        expect([...found.keys()].sort()).toEqual([...expected.keys()].sort());
        for (const [path, weight] of expected) {
          expect(found.get(path)).toBeCloseTo((weight / all) * WIDTH, 1);
        }
      }),
    );
  });

  it('frames narrower than a pixel are folded, counted, and as wide as all of them', () => {
    const light = Array.from({ length: 3000 }, (_, index) => `node;main;f${index} 1`);
    const svg = draw(parseFolded(['node;main;heavy 7000', ...light].join('\n')));
    const widths = widthsOfPaths(boxesOf(svg));
    expect(widths.get('everything;node;main;heavy')).toBeCloseTo(0.7 * WIDTH);
    expect(widths.get('everything;node;main;(3 000 folded)')).toBeCloseTo(0.3 * WIDTH);
    expect(svg).toContain(
      'frames below 0.08% are folded into grey boxes: 3 000 frames, 30.00% of all',
    );
  });

  it('no more than ten thousand frames are drawn, the heaviest, and the bound is in the picture', () => {
    const lines = Array.from({ length: 30 }, (_, index) => {
      const names = Array.from({ length: 500 }, (__, depth) => `f${index}_${depth}`);
      return `node;${names.join(';')} ${100 + index}`;
    });
    const svg = draw(parseFolded(lines.join('\n')));
    const boxes = boxesOf(svg);
    expect(boxes.length).toBeLessThanOrEqual(10_000 + 2);
    expect(boxes.filter(({ name }) => name.startsWith('f29_'))).toHaveLength(500);
    expect(boxes.some(({ name }) => name.startsWith('f0_'))).toBe(false);
    const bound = /frames below ([\d.]+)% are folded/.exec(svg)?.[1];
    expect(Number(bound)).toBeGreaterThan(3);
  });

  it('names of strangers are text of the picture, as every export prints them', () => {
    const profile = hostileProfile();
    const svg = draw({ profile, weights: simpleWeights(profile) });
    const elements = (element: XmlElement): XmlElement[] => [
      element,
      ...element.children.flatMap(elements),
    ];
    const all = elements(readXml(svg));
    expect([...new Set(all.map(({ name }) => name))].sort()).toEqual([
      'rect',
      'svg',
      'text',
      'title',
    ]);
    const known =
      /^(?:xmlns|viewBox|x|y|width|height|fill|stroke|stroke-width|font-(?:family|size|weight)|text-anchor)$/;
    expect(
      all.flatMap(({ attributes }) => Object.keys(attributes)).filter((key) => !known.test(key)),
    ).toEqual([]);
    const titles = new Set(boxesOf(svg).map(({ name }) => name));
    for (const name of HOSTILE_NAMES) {
      const shown = printable(name);
      const cut = shown.length > 500 ? `${shown.slice(0, 499)}…` : shown;
      expect(titles).toContain(cut.replace('\ud800', '\ufffd'));
    }
    expect(svg.length).toBeLessThan(2e6);
  });

  it('a tooltip has the whole name, the place and the figures', () => {
    const profile = profileFromText(`
      comm    node             node
      period  3000000          1000000
              main             main
              work@libwork.so
    `);
    const titles = readXml(
      draw({ profile, weights: simpleWeights(profile, 'period') }),
    ).children.map(titleOf);
    expect(titles).toContain(
      'work\n/usr/lib/libwork.so\n75.00%, 3 000 000 events; by itself 75.00%, 3 000 000 events',
    );
    expect(titles.find((title) => title?.startsWith('main'))).toMatch(
      /100\.00%, 4 000 000 events; by itself 25\.00%/,
    );
  });

  it('a profile without samples is a picture with its lines', () => {
    const svg = draw({ profile: profileFromText(''), weights: simpleWeights(profileFromText('')) });
    expect(svg).toContain('0 in all');
    expect(svg).not.toMatch(/NaN|Infinity/);
    expect(boxesOf(svg).map(({ name }) => name)).toEqual(['everything']);
  });

  it('characters that XML does not have are replaced', () => {
    expect(escapeXml('a\0\ud800\uffff<&">')).toBe('a\ufffd\ufffd\ufffd&lt;&amp;&quot;&gt;');
  });
});
