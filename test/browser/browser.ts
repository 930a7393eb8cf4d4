import { existsSync } from 'node:fs';
import {
  type Browser,
  type BrowserContext,
  chromium,
  type Locator,
  type Page,
} from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';

/** The one without a window of its own opens a page with less than half of the CPU time. */
export const CHROMIUM = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => existsSync(path));

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Only ends what never ends: pages share the machine with whatever else runs. */
const PATIENCE_MS = 120_000;

/** A page under test, and what must not happen in it. */
export type Visit = {
  readonly page: Page;
  /** Addresses that it asked for, data and blobs aside. */
  readonly requests: readonly string[];
};

export type Tab = {
  /** Opens the address in a fresh profile of the browser. */
  visit(url: string, options?: VisitOptions): Promise<Visit>;
};

export type VisitOptions = {
  readonly width?: number;
  readonly height?: number;
  readonly colorScheme?: 'light' | 'dark';
  /** What moves is drawn where it ends. */
  readonly reducedMotion?: boolean;
  /** It may ask other origins than its own. */
  readonly isHostile?: boolean;
  /** Messages that the page may print as errors. */
  readonly expectedErrors?: RegExp;
};

/**
 * Tests in a real browser. Where there is none they are skipped and that is said: `[browser]` in
 * the name is what the summary counts by.
 *
 * After each test: the page threw nothing, printed no error (a refusal by its policy is one), and
 * asked nobody but its own origin.
 */
export function describeBrowser(name: string, tests: (tab: Tab) => void): void {
  const title = `${name} [browser]`;
  if (CHROMIUM === undefined) {
    // Vitest counts the tests inside as skipped.
    describe.skip(`${title} (skipped: Chromium is not installed)`, () =>
      tests({ visit: () => Promise.reject(new Error('no browser')) }));
    return;
  }
  describe(title, () => {
    let browser: Browser;
    const open: { context: BrowserContext; problems: string[]; strangers: string[] }[] = [];

    beforeAll(async () => {
      browser = await chromium.launch({
        executablePath: CHROMIUM,
        args: FLAGS,
        timeout: PATIENCE_MS,
      });
    });
    afterAll(() => browser.close());
    tests({
      async visit(url, options = {}) {
        const { width = 1280, height = 720, colorScheme = 'light', expectedErrors } = options;
        const reducedMotion = options.reducedMotion ? 'reduce' : 'no-preference';
        const viewport = { width, height };
        const context = await browser.newContext({ viewport, colorScheme, reducedMotion });
        const page = await context.newPage();
        page.setDefaultTimeout(PATIENCE_MS);
        const requests: string[] = [];
        const problems: string[] = [];
        const strangers: string[] = [];
        open.push({ context, problems, strangers });
        const own = new URL(url);
        page.on('request', (request) => {
          const asked = new URL(request.url());
          if (asked.protocol === 'data:' || asked.protocol === 'blob:') return;
          requests.push(asked.href);
          const isOwn =
            own.protocol === 'file:' ? asked.pathname === own.pathname : asked.host === own.host;
          if (!isOwn && !options.isHostile) strangers.push(asked.href);
        });
        const note = (problem: string): void => {
          if (expectedErrors?.test(problem)) return;
          problems.push(problem);
        };
        page.on('pageerror', (error) => note(`threw: ${error.stack ?? error.message}`));
        page.on('console', (message) => {
          if (message.type() === 'error') note(`printed: ${message.text()}`);
        });
        page.on('dialog', (dialog) => {
          note(`asked: ${dialog.message()}`);
          void dialog.dismiss();
        });
        await page.goto(url);
        return { page, requests };
      },
    });

    // Of what comes after a test the last thing said is the first done: pages go before their server.
    afterEach(async () => {
      const visits = open.splice(0);
      for (const { context } of visits) await context.close();
      expect(visits.flatMap(({ problems }) => problems)).toStrictEqual([]);
      expect(visits.flatMap(({ strangers }) => strangers)).toStrictEqual([]);
    });
  });
}

/** The first frame of the flame graph with this name. */
export function frame(page: Page, name: string): Locator {
  return page.locator(`.frame[name=${JSON.stringify(name)}]`).first();
}

/** The state that the address has. Of the page itself: the browser tells its driver of a new address later. */
export async function stateOf(page: Page): Promise<URLSearchParams> {
  return new URLSearchParams((await page.evaluate<string>('location.hash')).slice(1));
}

/** For scripts in the page: `isOf(data, at)` of pixels of the colour of a style sheet's variable. */
export function colourProbe(variable: string): string {
  return `(() => {
    const probe = document.createElement('canvas').getContext('2d');
    const span = document.createElement('span');
    span.style.color = 'var(--${variable})';
    document.body.append(span);
    probe.fillStyle = getComputedStyle(span).color;
    span.remove();
    probe.fillRect(0, 0, 1, 1);
    const wanted = probe.getImageData(0, 0, 1, 1).data;
    return (data, at) => [0, 1, 2].every((byte) => data[at + byte] === wanted[byte]);
  })()`;
}
