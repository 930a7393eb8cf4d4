import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { build } from 'vite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { renderHtml } from '../../src/export/html.ts';
import type { EventIndex, Profile } from '../../src/profile/types.ts';
import { HOSTILE_NAMES } from '../helpers/hostile-names.ts';
import { profileFromText, simpleWeights } from '../helpers/profile-from-text.ts';

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const CONFIG = fileURLToPath(new URL('../../web/vite.config.ts', import.meta.url));
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const PROFILE = profileFromText(`
  comm    app   app   app                     sh
  tid     1     1     1                       2
  period  40    30    20                      10
          main  main  main                    main
          work  work  read@[kernel.kallsyms]  wait
          leaf
`);

describe.skipIf(!existsSync(CHROMIUM))('the flame graph page in a browser', () => {
  let directory: string;
  let assets: { script: string; style: string };
  let browser: Browser;
  let page: Page;
  /** Requests other than for the page itself, errors, and refusals by the page's policy. */
  let incidents: string[];

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'perf-ts-page-'));
    await build({ configFile: CONFIG, build: { outDir: directory, emptyOutDir: true } });
    assets = {
      script: readFileSync(join(directory, 'page.js'), 'utf8'),
      style: readFileSync(join(directory, 'page.css'), 'utf8'),
    };
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS });
  });

  afterAll(async () => {
    await browser?.close();
    rmSync(directory, { recursive: true, force: true });
  });

  beforeEach(async () => {
    incidents = [];
    page = await browser.newPage({
      viewport: { width: 1200, height: 800 },
      reducedMotion: 'reduce',
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(pathToFileURL(directory).href)) incidents.push(request.url());
    });
    page.on('pageerror', (error) => incidents.push(error.message));
    page.on('console', (message) => incidents.push(message.text()));
    page.on('dialog', (dialog) => {
      incidents.push(`dialog: ${dialog.message()}`);
      return dialog.dismiss();
    });
  });

  afterEach(async () => {
    await page.close();
    expect(incidents).toEqual([]);
  });

  async function open(profile: Profile): Promise<void> {
    const path = join(directory, 'page.html');
    writeFileSync(path, renderHtml(profile, simpleWeights(profile, 'period'), assets));
    await page.goto(pathToFileURL(path).href);
    await page.locator('.frame').first().waitFor();
  }

  const frame = (name: string) => page.locator(`.frame[name=${JSON.stringify(name)}]`);
  const widthOf = async (name: string) =>
    (await frame(name).locator('rect').boundingBox())?.width ?? 0;

  test('frames are as wide as their share', async () => {
    await open(PROFILE);
    await expect.poll(() => widthOf('all threads')).toBeGreaterThan(1000);
    const all = await widthOf('all threads');
    await expect.poll(async () => (await widthOf('work')) / all).toBeCloseTo(0.7, 2);
    expect((await widthOf('leaf')) / all).toBeCloseTo(0.4, 2);
    expect(await page.locator('.figures').innerText()).toContain('100 events');
  });

  test('search shows the share of the weight that matches', async () => {
    await open(PROFILE);
    await page.keyboard.press('/');
    await page.keyboard.type('work');
    await expect
      .poll(() => page.locator('.search-result').innerText())
      .toBe('matched 70.0 % · 70 events');
    expect(await frame('work').locator('rect').getAttribute('fill')).toBe('#ff5cc8');
    expect(await frame('leaf').locator('rect').getAttribute('fill')).not.toBe('#ff5cc8');
    await page.keyboard.press('Escape');
    expect(await page.locator('.search-result').innerText()).toBe('');
  });

  test('a click zooms, and what matches stays its share of the whole', async () => {
    await open(PROFILE);
    await expect.poll(() => widthOf('all threads')).toBeGreaterThan(1000);
    const all = await widthOf('all threads');
    await frame('work').click();
    await expect.poll(async () => (await widthOf('work')) / all).toBeCloseTo(1, 2);
    expect(await frame('wait').count()).toBe(0);
    await page.keyboard.press('Control+f');
    await page.keyboard.type('wait');
    await expect.poll(() => page.locator('.search-result').innerText()).toContain('matched 10.0 %');
    await page.keyboard.press('Escape');
    await expect.poll(async () => (await widthOf('work')) / all).toBeCloseTo(0.7, 2);
    expect(await frame('wait').count()).toBe(1);
  });

  test('the tooltip names share, weight and DSO', async () => {
    await open(PROFILE);
    await frame('work').hover();
    const text = await page.locator('.tooltip').innerText();
    expect(text.replace(/\s+/g, ' ')).toBe(
      'work total 70.0 % · 70 events self 30.0 % · 30 events samples 2 in /usr/lib/app',
    );
  });

  test('callers stand on what they called, and icicles hang from their root', async () => {
    await open(PROFILE);
    const topOf = async (name: string) =>
      (await frame(name).first().boundingBox())?.y ?? Number.NaN;
    await expect.poll(async () => (await topOf('main')) > (await topOf('work'))).toBe(true);
    await page.getByRole('button', { name: 'Icicle' }).click();
    await expect.poll(async () => (await topOf('main')) < (await topOf('work'))).toBe(true);
    await page.getByRole('button', { name: 'Callers' }).click();
    await expect.poll(async () => (await topOf('leaf')) < (await topOf('main'))).toBe(true);
  });

  test('a thread is shown alone', async () => {
    await open(PROFILE);
    await page.getByLabel('Thread').selectOption({ index: 2 });
    await expect.poll(() => page.locator('.figures').innerText()).toContain('10 events');
    expect(await frame('wait').count()).toBe(1);
    expect(await frame('work').count()).toBe(0);
  });

  test('events are shown apart, and their losses with them', async () => {
    const profile = profileFromText(`
      event  cycles  page-faults
             main    main
             work    fault
    `);
    await open({
      ...profile,
      losses: [{ event: 1 as EventIndex, lostRecords: 3, lostSamples: 1 }],
    });
    expect(await page.locator('.figures').innerText()).toContain('none');
    await page.getByLabel('Event').selectOption('page-faults');
    await expect.poll(() => page.locator('.figures').innerText()).toContain('3 (75.0 %)');
    expect(await frame('fault').count()).toBe(1);
  });

  test('names that are markup are shown as typed', async () => {
    const plain = profileFromText('main\nwork');
    for (const name of HOSTILE_NAMES.slice(0, 4)) {
      await open({
        ...plain,
        strings: plain.strings.map((text) => (text === '' ? '' : name)),
        events: plain.events.map((event) => ({ ...event, name })),
        threads: plain.threads.map((thread) => ({ ...thread, comm: name })),
        dsos: plain.dsos.map((dso) => ({ ...dso, name, path: name })),
        meta: { ...plain.meta, commandLine: [name], hostname: name, notes: [name] },
      });
      expect(await page.locator('h1').innerText()).toBe(name);
      expect(await page.locator('.notes li').innerText()).toBe(name);
      await page.locator('.frame').nth(2).hover();
      expect(await page.locator('.tooltip-name').innerText()).toBe(name);
      expect(await page.locator('img, [onload], [onerror], iframe, object').count()).toBe(0);
      expect(await page.locator('script').count()).toBe(2);
    }
  });

  test('a profile without samples says so', async () => {
    const path = join(directory, 'page.html');
    const empty = profileFromText('');
    writeFileSync(path, renderHtml(empty, simpleWeights(empty), assets));
    await page.goto(pathToFileURL(path).href);
    expect(await page.locator('body').innerText()).toContain('No samples were recorded.');
  });
});
