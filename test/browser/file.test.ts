import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openProfile } from '../../src/read/open-profile.ts';
import { describeBrowser, frame } from './browser.ts';
import { recordingText } from './recording-text.ts';

describeBrowser('the page that is a file', (tab) => {
  let directory: string;
  let address: string;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'perf-ts-file-'));
    const recording = join(directory, 'recording.txt');
    writeFileSync(recording, recordingText());
    const html = join(directory, 'page.html');
    writeFileSync(html, (await openProfile(recording)).export('html', { title: 'my <b>app</b>' }));
    address = pathToFileURL(html).href;
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it('the saved page shows the recording and asks for nothing', async () => {
    const { page, requests } = await tab.visit(address);
    await frame(page, 'paintCell').waitFor();
    expect(requests).toStrictEqual([address]);
    expect(await page.title()).toBe('my <b>app</b> · perf-ts');
  });

  it('the saved page shows the same view again at the same address', async () => {
    const { page } = await tab.visit(address);
    await frame(page, 'paintCell').click();
    await expect.poll(() => frame(page, 'readToken').count()).toBe(0);
    const again = await tab.visit(page.url());
    await frame(again.page, 'paintCell').waitFor();
    expect(await frame(again.page, 'readToken').count()).toBe(0);
  });
});
