// The list of a folder's recordings, as `perf-ts view FOLDER` serves it.

import { copyFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { openProfile } from '../../src/read/open-profile.ts';
import { Notebook } from '../../src/view/notebook.ts';
import { startViewServer, type ViewServer } from '../../src/view/server.ts';
import { ViewedFile } from '../../src/view/viewed-file.ts';
import { servedHere } from '../helpers/reread-here.ts';
import { scratchDirectory, whenDone } from '../helpers/scratch.ts';
import { describeBrowser, frame } from './browser.ts';

const RECORDING = join(import.meta.dirname, '../read/fixtures/arm64-group.data');
const HOSTILE = '<img src=x onerror=alert(1)>.folded';

describeBrowser('the recordings of a folder', (tab) => {
  const folder = scratchDirectory();
  let server: ViewServer;

  beforeAll(async () => {
    const put = (name: string, text: string, second: number) => {
      writeFileSync(join(folder, name), text);
      utimesSync(join(folder, name), second, second);
    };
    put('older.folded', 'main;work 30\nmain;idle 70\n', 1000);
    put('newer.folded', 'main;work 60\nmain;idle 40\n', 2000);
    put('broken.cpuprofile', '{"nodes": [', 3000);
    put(HOSTILE, 'main;<b>bold</b> 9\n', 4000);
    copyFileSync(RECORDING, join(folder, 'group.data'));
    const notebook = new Notebook(folder, (path) => {
      const reading = openProfile(path).then((opened) => new ViewedFile(path, opened));
      reading.catch(() => {});
      return { ...servedHere(path, reading), close: async () => {} };
    });
    server = await startViewServer([], { port: 0, isLive: false, users: null, notebook });
    whenDone(() => server.close());
  });

  const visit = async () => {
    // The answer of a broken recording is the reason that there is none.
    const { page } = await tab.visit(server.url, { expectedErrors: /status of 404/ });
    const row = (name: string) => page.locator('.notebook tbody tr').filter({ hasText: name });
    return { page, row };
  };

  it('each recording has its program, length, trust and first answer, and is a click away', async () => {
    const { page, row } = await visit();
    await expect
      .poll(() => row('older').innerText())
      .toMatch(/100[\s\S]*! sampling unknown[\s\S]*70\.00% idle/);
    await expect.poll(() => row('newer').innerText()).toMatch(/60\.00% work/);
    await expect.poll(() => row('broken').innerText()).toMatch(/not a perf\.data file/);
    await expect.poll(() => row('group.data').innerText()).toMatch(/\d s|\d ms/);
    // Names are text.
    await expect.poll(() => row(HOSTILE).innerText()).toContain('100.00% <b>bold</b>');
    expect(await page.locator('.notebook :is(img, b)').count()).toBe(0);
    await row('newer').getByRole('link').click();
    await frame(page, 'work').waitFor();
    await page.getByRole('link', { name: 'Recordings' }).click();
    await row('older').waitFor();
  });

  it('two are compared by two clicks, the newer with the older, in whichever order', async () => {
    const { page, row } = await visit();
    await row('newer').getByRole('button').click();
    expect(await row('newer').getByRole('button').getAttribute('aria-pressed')).toBe('true');
    await row('older').getByRole('button').click();
    const diff = page.getByRole('tab', { name: 'Diff' });
    await expect.poll(() => diff.getAttribute('aria-selected')).toBe('true');
    await expect.poll(() => page.locator('h1').innerText()).toContain('newer');
  });

  it('a recording that is made later is there when the list is loaded anew', async () => {
    const { page, row } = await visit();
    await row('older').waitFor();
    writeFileSync(join(folder, 'later.folded'), 'main 1\n');
    await page.reload();
    await row('later').waitFor();
  });
});
