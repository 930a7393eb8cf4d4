import { beforeAll, expect, it } from 'vitest';
import type { ViewServer } from '../../src/view/server.ts';
import { describeBrowser, frame } from './browser.ts';
import { recordingText } from './recording-text.ts';
import { serveTexts } from './served.ts';

describeBrowser('the page of a server', (tab) => {
  let server: ViewServer;
  beforeAll(async () => {
    server = await serveTexts(recordingText());
  });

  it('shows the recording and asks for nothing else', async () => {
    const { page, requests } = await tab.visit(server.url);
    await frame(page, 'paintCell').waitFor();
    const below = requests.map((address) => address.slice(server.url.length));
    expect(below).toStrictEqual(['', 'page.css', 'page.js', 'worker.js', 'profile/0']);
  });
});
