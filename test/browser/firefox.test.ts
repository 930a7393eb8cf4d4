import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import { openProfile } from '../../src/read/open-profile.ts';
import type { ViewServer } from '../../src/view/server.ts';
import { scratchDirectory } from '../helpers/scratch.ts';
import { describeFirefox } from './firefox.ts';
import type { FirefoxPage } from './firefox-page.ts';
import { recordingText } from './recording-text.ts';
import { serveTexts } from './served.ts';

/** What a tab shows once its view has been drawn. */
const DRAWN = {
  Functions: ['.data-table .name', 'skipSpace'],
  Tree: ['#panel [role=row], #panel tr', 'main'],
  'Over time': ['#panel canvas', ''],
  Source: ['.source-head h2', 'skipSpace'],
  Sampling: ['.sampling-sections h2', ''],
  Diff: ['.table-box [role=row], .table-box tr', 'paintCell'],
  Flame: ['.frame[name="paintCell"]', ''],
} as const;

/** The colours that differ between light and dark, resolved; empty what does not resolve to a colour. */
const COMPUTED_COLOURS = `(() => {
  const colours = {};
  const user = document.body.appendChild(document.createElement('span'));
  for (const rule of [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules])) {
    for (const name of rule.selectorText === ':root' ? rule.style : []) {
      // The build writes light-dark() for older browsers, too.
      const value = rule.style.getPropertyValue(name);
      if (!name.startsWith('--') || !/light-dark\\(|--lightningcss-light/.test(value)) continue;
      user.style.color = user.style.backgroundColor = 'var(' + name + ')';
      const { color, backgroundColor } = getComputedStyle(user);
      // What does not resolve inherits the colour, and leaves no background.
      colours[name] = color === backgroundColor ? color : '';
    }
  }
  user.remove();
  return colours;
})()`;

const box = (name: string): string => `.frame[name="${name}"] rect`;

const widthOf = (page: FirefoxPage, name: string): Promise<number> =>
  page.evaluate(`document.querySelector('${box(name)}')?.getBoundingClientRect().width ?? 0`);

describeFirefox('the page', (tab) => {
  let server: ViewServer;
  beforeAll(async () => {
    server = await serveTexts(recordingText({ slow: 30 }), recordingText());
  });
  const open = async (): Promise<FirefoxPage> => {
    const page = await tab.visit(`${server.url}#tab=flame`);
    await page.waitFor(box('paintCell'));
    return page;
  };

  it('the page draws the flame graph, and lists the heaviest function, whose row shows its details', async () => {
    const page = await open();
    const share = async () => (await widthOf(page, 'parse')) / (await widthOf(page, 'server'));
    // The first second and 30 % of the second are spent in it, and 10 % of the time were not sampled.
    await expect.poll(share).toBeCloseTo((900 + 270) / 1800, 1);
    await expect.poll(() => page.text('.where h2')).toBe('Where the time went');
    await expect.poll(() => page.text('.where-row')).toContain('skipSpace');
    await page.click('.where-row');
    await expect.poll(() => page.text('.details-name')).toContain('skipSpace');
    expect(await page.text('.details-self')).toMatch(/^self 43\.3/);
    expect(await page.text('.where-row[aria-pressed=true]')).toContain('skipSpace');
  });

  it('a click zooms, and the back button takes it back', async () => {
    const page = await open();
    const before = await widthOf(page, 'parse');
    await page.click(box('parse'));
    await expect.poll(() => page.count(box('render'))).toBe(0);
    await expect.poll(() => widthOf(page, 'parse')).toBeGreaterThan(before * 1.5);
    expect(await page.address()).toContain('zoom=');
    await page.goBack();
    await page.waitFor(box('render'));
    await expect.poll(() => widthOf(page, 'parse')).toBe(before);
  });

  it('the page opens every tab', async () => {
    const page = await open();
    await expect.poll(() => page.count('[role=tab]')).toBe(Object.keys(DRAWN).length);
    for (const [label, [selector, text]] of Object.entries(DRAWN)) {
      await page.click('[role=tab]', label);
      await expect.poll(() => page.text('[role=tab][aria-selected=true]')).toBe(label);
      await page.waitFor(selector, text);
      expect(await page.count('#panel .problem'), label).toBe(0);
    }
  });

  it('a click opens a popover, and Escape closes it and leaves the zoom', async () => {
    const page = await open();
    await page.click(box('parse'));
    await expect.poll(() => page.count(box('render'))).toBe(0);
    const labels = await page.evaluate<string[]>(
      `[...document.querySelectorAll('.menu-button')]
        .filter((button) => button.checkVisibility()).map((button) => button.title)`,
    );
    expect(labels).toContain('Share and save');
    for (const label of labels) {
      const button = `.menu-button[title="${label}"]`;
      await page.click(button);
      await expect
        .poll(() => page.count(`${button}[aria-expanded=true]`), { message: label })
        .toBe(1);
      expect(await page.count(':popover-open'), label).toBe(1);
      await page.press('Escape');
      await expect.poll(() => page.count(':popover-open'), { message: label }).toBe(0);
      expect(await page.count(`${button}:focus`), label).toBe(1);
    }
    expect(await page.address()).toContain('zoom=');
  });

  it('the page has the colours of its theme', async () => {
    const page = await open();
    const colours: Record<'light' | 'dark', Record<string, string>> = { light: {}, dark: {} };
    // What the system does not have comes first.
    for (let before = 'system', step = 0; step < 2; step++) {
      await page.click('[aria-label^="Theme: "]');
      await page.waitFor(`:root:not([data-theme=${before}])`);
      const theme = await page.evaluate<'light' | 'dark'>('document.documentElement.dataset.theme');
      colours[theme] = await page.evaluate(COMPUTED_COLOURS);
      before = theme;
    }
    expect(Object.keys(colours.dark)).toEqual(Object.keys(colours.light));
    expect(Object.keys(colours.light)).toContain('--kind-native');
    for (const [name, light] of Object.entries(colours.light)) {
      expect(light, name).toMatch(/^rgb\(/);
      expect(light, name).not.toBe(colours.dark[name]);
    }
  });

  it('the saved page shows a recording that is one file', async () => {
    const directory = scratchDirectory();
    const recording = join(directory, 'recording.txt');
    writeFileSync(recording, recordingText());
    const html = join(directory, 'page.html');
    writeFileSync(html, (await openProfile(recording)).export('html'));
    const page = await tab.visit(pathToFileURL(html).href);
    await page.waitFor(box('paintCell'));
    await page.click(box('parse'));
    await expect.poll(() => page.count(box('render'))).toBe(0);
    const again = await tab.visit(await page.address());
    await again.waitFor(box('parse'));
    expect(await again.count(box('render'))).toBe(0);
  });
});
