import { beforeAll, expect, it } from 'vitest';
import { printable } from '../../src/base/printable.ts';
import { writeSvg } from '../../src/formats/export/svg.ts';
import type { ViewServer } from '../../src/view/server.ts';
import { HOSTILE_NAMES } from '../helpers/hostile-names.ts';
import { hostileProfile } from '../helpers/hostile-profile.ts';
import { simpleWeights } from '../helpers/profile-from-text.ts';
import { collect } from '../helpers/round-trip.ts';
import { describeBrowser, frame } from './browser.ts';
import { sample } from './recording-text.ts';
import { serveTexts } from './served.ts';

const MARKUP = '<img/src=x/onerror=alert(1)>';
const SCRIPT = '</script><script>alert(2)</script>';
const ATTRIBUTE = '"><svg/onload=alert(3)>';

describeBrowser('names that are markup', (tab) => {
  let server: ViewServer;
  beforeAll(async () => {
    const stack = [
      `${MARKUP} (/usr/bin/${ATTRIBUTE})`,
      `${SCRIPT} (/usr/bin/app)`,
      '__proto__ (/usr/bin/app)',
      'constructor (/usr/bin/app)',
    ];
    const text = Array.from({ length: 40 }, (_, ms) => sample(MARKUP, 1, 1, ms, stack)).join('\n');
    server = await serveTexts(text, text);
  });

  it.each(['flame', 'table', 'tree', 'time', 'period', 'source', 'diff'])(
    'names that are markup are text in the tab %s',
    async (name) => {
      const { page } = await tab.visit(`${server.url}#tab=${name}&func=0`);
      await page.locator('#panel').waitFor();
      // Whatever the tab shows of them has come from the worker by then.
      await page.waitForLoadState('networkidle');
      await expect.poll(() => page.locator('#panel').innerText()).not.toBe('');
      expect(
        await page.locator('img, script:not([src]):not([type]), #panel svg[onload]').count(),
      ).toBe(0);
    },
  );

  it('names that are markup are shown as typed, in frames and in their tooltip', async () => {
    const { page } = await tab.visit(server.url);
    await frame(page, MARKUP).waitFor();
    await frame(page, SCRIPT).hover();
    await expect.poll(() => page.locator('body').innerText()).toContain(SCRIPT);
    await expect.poll(() => page.locator('body').innerText()).toContain('__proto__');
  });

  it('the picture of an export is read by a strict parser, and has such names as text only', async () => {
    const profile = hostileProfile();
    const weights = simpleWeights(profile);
    const svg = collect((write) =>
      writeSvg(profile, weights, { title: MARKUP, linesOf: () => [SCRIPT, ATTRIBUTE] }, write),
    );
    const { page } = await tab.visit(`data:image/svg+xml,${encodeURIComponent(svg)}`);
    const all = page.locator('*');
    const names = await all.evaluateAll((elements) => elements.map(({ nodeName }) => nodeName));
    const texts = await all.evaluateAll((elements) =>
      elements.map(({ textContent }) => textContent?.split('\n')[0]),
    );
    expect([...new Set(names)].sort()).toEqual(['rect', 'svg', 'text', 'title']);
    for (const name of [...HOSTILE_NAMES, MARKUP, SCRIPT, ATTRIBUTE]) {
      const shown = printable(name).replace('\ud800', '\ufffd');
      expect(texts).toContain(shown.length > 500 ? `${shown.slice(0, 499)}…` : shown);
    }
  });
});
