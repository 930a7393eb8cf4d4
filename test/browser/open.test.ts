import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import { FailedError } from '../../src/base/errors.ts';
import { openProfile } from '../../src/read/open-profile.ts';
import { startViewServer, type ViewServer } from '../../src/view/server.ts';
import { ViewedFile } from '../../src/view/viewed-file.ts';
import { scratchDirectory, whenDone } from '../helpers/scratch.ts';
import { describeBrowser, frame } from './browser.ts';
import { recordingText } from './recording-text.ts';

describeBrowser('further recordings', (tab) => {
  const directory = scratchDirectory();
  const path = join(directory, 'shown.txt');
  let server: ViewServer;

  beforeAll(async () => {
    writeFileSync(path, recordingText());
    const files = new Map<string, ViewedFile>();
    for (const [name, text] of [
      ['fresh.folded', 'main;fresh 30\nmain;work 12\n'],
      ['older.txt', recordingText({ slow: 30 })],
    ] as const) {
      const file = join(directory, name);
      writeFileSync(file, text);
      files.set(name, new ViewedFile(file, await openProfile(file)));
    }
    server = await startViewServer([new ViewedFile(path, await openProfile(path))], {
      port: 0,
      isLive: false,
      users: null,
      openSent: (path) => {
        const file = files.get(path.split('/').at(-1) ?? '');
        if (file === undefined) throw new FailedError(`${path}: not a perf.data file`);
        return file;
      },
    });
    whenDone(() => server.close());
  });

  /** The server of the test has the recordings; what is sent under their names is not read. */
  const sent = (name: string) => ({
    name,
    mimeType: 'application/octet-stream',
    buffer: Buffer.from(name),
  });

  it('one that is opened takes the place of the shown one', async () => {
    const { page } = await tab.visit(server.url);
    await frame(page, 'paintCell').waitFor();
    await page.locator('.open-button input').first().setInputFiles(sent('fresh.folded'));
    await frame(page, 'fresh').waitFor();
    expect(await page.locator('h1').innerText()).toBe('fresh.folded');
    await page.goBack();
    await frame(page, 'paintCell').waitFor();
  });

  it('one that is none leaves the page as it is, and is told in it', async () => {
    const { page } = await tab.visit(server.url, { expectedErrors: /status of 400/ });
    await frame(page, 'paintCell').waitFor();
    await page.locator('.open-button input').first().setInputFiles(sent('photo.png'));
    const status = page.locator('.open-status');
    await expect.poll(() => status.innerText()).toBe('photo.png: not a perf.data file');
    expect(await frame(page, 'paintCell').count()).toBe(1);
    expect(page.url()).toBe(server.url);
  });

  it('one to compare with opens the tab of changes', async () => {
    const { page } = await tab.visit(server.url);
    await frame(page, 'paintCell').waitFor();
    await page.locator('.open-button input').last().setInputFiles(sent('older.txt'));
    const diff = page.getByRole('tab', { name: 'Diff' });
    await expect.poll(() => diff.getAttribute('aria-selected')).toBe('true');
    await expect.poll(() => page.locator('#panel').innerText()).toContain('skipSpace');
  });

  it.each([
    ['takes its place', 0, 'h1', 'fresh.folded', 'fresh.folded'],
    ['is compared with it', 1, '#tab-diff[aria-selected=true]', 'Diff', 'older.txt'],
  ])('one that is dropped on the page %s', async (_, place, shown, text, name) => {
    const { page } = await tab.visit(server.url);
    await frame(page, 'paintCell').waitFor();
    const given = JSON.stringify(name);
    const drag = (selector: string, types: readonly string[], nth = 0) =>
      page.evaluate<void>(`(() => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([${given}], ${given}));
        for (const type of ${JSON.stringify(types)}) {
          const event = new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true });
          document.querySelectorAll('${selector}')[${nth}].dispatchEvent(event);
        }
      })()`);
    const veil = page.locator('.drop-veil');
    // Beside the places nothing is opened, and the page stays.
    await drag('body', ['dragenter']);
    expect(await veil.isVisible()).toBe(true);
    await drag('body', ['drop']);
    expect(await veil.isVisible()).toBe(false);
    await drag('body', ['dragenter']);
    await drag('.drop-place', ['dragenter', 'dragover', 'drop'], place);
    await page.locator(shown, { hasText: text }).waitFor();
  });

  it('this view as one file shows the same view', async () => {
    const { page } = await tab.visit(`${server.url}#tab=table`);
    await page.getByRole('button', { name: 'Share' }).click();
    const save = page.getByRole('link', { name: 'This view as one HTML file' });
    const text = await (await fetch((await save.getAttribute('href')) ?? '')).text();
    const html = join(directory, 'page.html');
    writeFileSync(html, text);
    const saved = await tab.visit(pathToFileURL(html).href);
    const table = saved.page.getByRole('tab', { name: 'Functions' });
    await expect.poll(() => table.getAttribute('aria-selected')).toBe('true');
    await expect.poll(() => saved.page.locator('#panel').innerText()).toContain('paintCell');
  });
});
