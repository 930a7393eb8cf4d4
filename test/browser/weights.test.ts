// The weights that the samples of an event can have.

import { beforeAll, expect, it } from 'vitest';
import type { ViewServer } from '../../src/view/server.ts';
import { describeBrowser } from './browser.ts';
import { offCpu } from './kinds-of-recordings.ts';
import { serveTexts } from './served.ts';

describeBrowser('the switch of weights', (tab) => {
  let server: ViewServer;
  beforeAll(async () => {
    server = await serveTexts(offCpu());
  });

  it.each([
    ['a clock', 0, true],
    ['waits, which have one length', 1, false],
  ])('the switch of weights offers those of %s', async (_, event, hasPeriods) => {
    const { page } = await tab.visit(`${server.url}#event=${event}`);
    await page.getByRole('button', { name: '⚙' }).click();
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    expect(await button('Samples').isEnabled()).toBe(true);
    expect(await button('Period').isEnabled()).toBe(hasPeriods);
  });
});
