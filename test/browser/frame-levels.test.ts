import { beforeAll, expect, it } from 'vitest';
import type { ViewServer } from '../../src/view/server.ts';
import { describeBrowser, frame } from './browser.ts';
import { recordingText } from './recording-text.ts';
import { serveTexts } from './served.ts';

const LOOP = '__libc_start_call_main;node::Start(int, char**);uv_run';
const HANDLE = 'JS:*handle /srv/app.js:7:1';
const QUEUE = 'JS:*add /srv/node_modules/queue/index.js:3:1';
const text = (queue: number) =>
  [
    `node;${LOOP};uv__read;${HANDLE};Builtins_LoadIC 40`,
    `node;${LOOP};${HANDLE};${QUEUE} ${queue}`,
    `node;${LOOP};${HANDLE};${QUEUE};v8::internal::Heap::CollectGarbage(int) 10`,
    'node;start_thread;node::PlatformWorkerThread(void*);v8::internal::maglev::Run() 20',
    '',
  ].join('\n');

describeBrowser('frames of a program of JavaScript', (tab) => {
  let server: ViewServer;
  let native: ViewServer;
  let plain: ViewServer;
  beforeAll(async () => {
    server = await serveTexts(text(30), text(10));
    const main = /\t\w+ main \(.*\)\n/g;
    native = await serveTexts(recordingText().replaceAll(main, '$&\t1000 _start (/usr/bin/app)\n'));
    plain = await serveTexts('app;main;work 3\n');
  });

  it('the page begins with JavaScript, and one switch shows all or the own functions', async () => {
    const { page } = await tab.visit(server.url);
    const pressed = page.getByRole('group', { name: 'Frames' }).locator('[aria-pressed="true"]');
    await frame(page, '(event loop)').waitFor();
    expect(await pressed.innerText()).toBe('JavaScript');
    await frame(page, 'add queue/index.js:3').waitFor();
    expect(await frame(page, 'uv_run').count()).toBe(0);

    await page.getByRole('button', { name: 'My code' }).click();
    await expect.poll(() => frame(page, 'add queue/index.js:3').count()).toBe(0);
    await frame(page, 'handle /srv/app.js:7').waitFor();
    await frame(page, '(garbage collector)').waitFor();

    await page.keyboard.press('j');
    await expect.poll(() => pressed.innerText()).toBe('All');
    await frame(page, 'Builtins_LoadIC').waitFor();
    expect(await frame(page, '(event loop)').count()).toBe(0);
    // A link shows the same.
    const other = await tab.visit(page.url());
    await frame(other.page, 'Builtins_LoadIC').waitFor();
  });

  it('a zoom is of one level: another one begins at the root', async () => {
    const { page } = await tab.visit(server.url);
    await frame(page, 'handle /srv/app.js:7').click();
    await expect.poll(() => frame(page, '(V8 worker)').count()).toBe(0);
    await page.getByRole('button', { name: 'My code' }).click();
    await frame(page, '(V8 worker)').waitFor();
  });

  it('tables and changes have the functions of the level', async () => {
    const { page } = await tab.visit(`${server.url}#tab=table`);
    const panel = page.locator('#panel');
    await expect.poll(() => panel.innerText()).toContain('(compiler: Maglev)');
    expect(await panel.innerText()).not.toContain('Builtins_LoadIC');
    await page.getByRole('tab', { name: 'Diff' }).click();
    await expect.poll(() => panel.innerText()).toContain('add queue/index.js:3');
    expect(await panel.innerText()).not.toContain('Builtins_LoadIC');
    await page.getByRole('button', { name: 'My code' }).click();
    await expect.poll(() => panel.innerText()).not.toContain('add queue/index.js:3');
  });

  it('a native program begins with main, and its own functions are those of its executable', async () => {
    const { page } = await tab.visit(native.url);
    const pressed = page.getByRole('group', { name: 'Frames' }).locator('[aria-pressed="true"]');
    await frame(page, '_start').waitFor();
    expect(await pressed.innerText()).toBe('All');
    await page.getByRole('button', { name: 'From main' }).click();
    await expect.poll(() => frame(page, '_start').count()).toBe(0);
    await frame(page, 'paintCell').waitFor();
    await page.getByRole('button', { name: 'My code' }).click();
    await frame(page, '(libdraw)').waitFor();
    expect(await frame(page, 'paintCell').count()).toBe(0);
    await page.keyboard.press('j');
    await frame(page, '_start').waitFor();
  });

  it('a recording in which no level differs has no switch', async () => {
    const { page } = await tab.visit(plain.url);
    await frame(page, 'work').waitFor();
    expect(await page.getByRole('button', { name: 'My code' }).count()).toBe(0);
  });
});
