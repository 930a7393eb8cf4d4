import { beforeAll, expect, it } from 'vitest';
import type { ViewServer } from '../../src/view/server.ts';
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
});
