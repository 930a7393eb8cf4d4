// The page claims less of texts of other tools, which know less than recordings.

import { expect, it } from 'vitest';
import { describeBrowser, frame } from './browser.ts';
import { sample } from './recording-text.ts';
import { serveTexts } from './served.ts';

describeBrowser('a text of another tool', (tab) => {
  const visit = async (...texts: readonly string[]) => {
    const { page } = await tab.visit((await serveTexts(...texts)).url);
    return page;
  };

  it('stacks that were summed are counted as stacks, and not as samples', async () => {
    const page = await visit('main;hot 6000000000\nmain;cold 374500000\n');
    const facts = page.locator('.facts');
    await expect.poll(() => facts.innerText()).toBe('6 374 500 000 events · 2 stacks');
  });

  it('functions whose share would be printed as nothing are counted below the list', async () => {
    const cold = Array.from({ length: 15 }, (_, i) => `main;cold${i} 1`);
    const page = await visit(['main;hot 1000000', ...cold].join('\n'));
    const rows = page.locator('.where-list li');
    await expect.poll(() => rows.allInnerTexts()).toHaveLength(2);
    expect(await rows.first().innerText()).toMatch(/^100\.00%\s+hot/);
    expect(await rows.last().innerText()).toBe('15 more functions');
  });

  it('a frame without a name is called unknown, and the pane gives the reason why it has no lines', async () => {
    const page = await visit('main; 3\nmain;; 4\nmain;work 1\n');
    await frame(page, '[unknown]').waitFor();
    await page.locator('.where-row').filter({ hasText: 'work' }).click();
    const lines = page.locator('.chosen .lines');
    await expect
      .poll(() => lines.innerText())
      .toContain('100.00%\nat no known line: the text has none');
  });

  it('the frame of a wait gives its reason in words', async () => {
    const wait = { event: 'off-cpu', period: 5_000_000 };
    const of = (reason: string) => [`${reason} ([kernel.kallsyms])`, 'main (/usr/bin/app)'];
    const texts = [0, 10, 20].map((ms) =>
      sample(
        'app',
        7,
        7,
        ms,
        of(ms > 0 ? '[R runnable]' : '[S sleeping in futex_wait_queue]'),
        wait,
      ),
    );
    const page = await visit(texts.join('\n'));
    await frame(page, '[R runnable]').hover();
    const tooltip = page.locator('.tooltip:visible');
    await expect
      .poll(() => tooltip.innerText())
      .toContain('Waited for a CPU: ready to run, with no CPU free');
    await frame(page, '[S sleeping in futex_wait_queue]').hover();
    await expect.poll(() => tooltip.innerText()).toContain('Waited for locks: futexes');
  });

  it('recordings without a function in common are compared with a word on it', async () => {
    const page = await visit('main;work 60\nmain;rest 40\n', 'start;paint 60\n');
    const notes = page.locator('#panel');
    await expect.poll(() => notes.innerText()).toMatch(/different programs/);
  });
});
