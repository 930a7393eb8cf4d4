// The weights that the samples of an event can have.

import { beforeAll, expect, it } from 'vitest';
import { channelsOf, mix } from '../../src/formats/export/frame-shades.ts';
import type { ViewServer } from '../../src/view/server.ts';
import { describeBrowser, frame } from './browser.ts';
import { offCpu } from './kinds-of-recordings.ts';
import { sample } from './recording-text.ts';
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

  it('the legend of waits has what they were for, in the colours of the frames on top', async () => {
    const waits = [
      ['[R runnable]', 10],
      ['[S sleeping in futex_do_wait]', 30],
      ['[S sleeping in do_epoll_wait]', 60],
    ] as const;
    const lines = waits.map(([reason, ms], i) =>
      sample('app', 1, 1, 100 * i, [`${reason} ([kernel.kallsyms])`, 'main (/srv/app)'], {
        event: 'off-cpu',
        period: ms * 1e6,
      }),
    );
    const server = await serveTexts(lines.join('\n'));
    const { page } = await tab.visit(server.url);
    const legend = page.getByRole('group', { name: 'Reasons of the waits' });
    await expect
      .poll(() => legend.locator('.legend-entry').allInnerTexts())
      .toStrictEqual(['a CPU 10.00%', 'locks 30.00%', 'events, timers 60.00%']);
    const colours = await page.evaluate<string[]>(`['cpu', 'lock', 'idle'].map((kind) =>
      getComputedStyle(document.documentElement).getPropertyValue('--kind-wait-' + kind))`);
    const channels = colours.map((colour) => channelsOf(/#[0-9a-f]{6}/.exec(colour)?.[0] ?? ''));
    for (const [at, [reason]] of waits.entries()) {
      const fill = (await frame(page, reason).locator('rect').getAttribute('fill')) ?? '';
      // Neighbours differ by shades towards white.
      const shades = [0, 0.05, 0.1].map((part) => mix(channels[at], [255, 255, 255], part));
      expect(shades, reason).toContainEqual(channelsOf(fill));
    }
  });
});
