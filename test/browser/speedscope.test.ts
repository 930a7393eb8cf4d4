import { beforeAll, expect, it } from 'vitest';
import type { ViewServer } from '../../src/view/server.ts';
import { describeBrowser, frame } from './browser.ts';
import { recordingText } from './recording-text.ts';
import { serveTexts } from './served.ts';

describeBrowser('other tools', (tab) => {
  let server: ViewServer;
  beforeAll(async () => {
    server = await serveTexts(recordingText());
  });

  it('speedscope opens in a tab with the profile loaded, and requests nothing else', async () => {
    const { page } = await tab.visit(server.url);
    await frame(page, 'paintCell').waitFor();
    await page.getByRole('button', { name: 'Share' }).click();
    const link = page.getByRole('link', { name: 'Open in speedscope' });
    const address = new URL((await link.getAttribute('href')) as string, server.url).href;
    const speedscope = await tab.visit(address);
    // Its two threads are two profiles.
    await expect.poll(() => speedscope.page.innerText('body')).toContain('recording-0.txt (2/2)');
    expect(speedscope.requests.some((asked) => asked.endsWith('/download/0/speedscope'))).toBe(
      true,
    );
    expect(await speedscope.page.locator('canvas').count()).toBeGreaterThan(0);
  });

  it.each([
    ['Folded stacks', 'recording-0.txt.folded'],
    ['Firefox Profiler', 'recording-0.txt.firefox.json'],
    ['DevTools, VS Code', 'recording-0.txt.cpuprofile'],
    ['pprof', 'recording-0.txt.pb.gz'],
  ])('a file for %s is saved', async (label, name) => {
    const { page } = await tab.visit(server.url);
    await page.getByRole('button', { name: 'Share' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: label, exact: true }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(name);
    expect(await download.failure()).toBe(null);
  });
});
