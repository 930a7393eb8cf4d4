import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeAll, describe, expect } from 'vitest';
import { scratchDirectory, whenDone } from '../helpers/scratch.ts';
import { BidiSession } from './bidi-session.ts';
import { FirefoxPage } from './firefox-page.ts';

/**
 * Debian's Firefox, as it is, by its own WebDriver BiDi. Playwright's support of BiDi follows the newest
 * Firefox: its contexts begin with commands that the extended support release does not have.
 */
const FIREFOX = '/usr/bin/firefox-esr';

/** Only ends what never ends, as in Chromium. */
const PATIENCE_MS = 120_000;

/** It asks for nothing, and opens nothing, by itself. Settings of the remote agent come on top. */
const SETTINGS: Readonly<Record<string, boolean | string>> = {
  'app.normandy.enabled': false,
  'browser.aboutwelcome.enabled': false,
  'browser.shell.checkDefaultBrowser': false,
  'browser.startup.homepage': 'about:blank',
  'datareporting.policy.dataSubmissionEnabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
};

export type FirefoxTab = {
  /** Opens the address in a container of its own: no storage is shared. */
  visit(url: string): Promise<FirefoxPage>;
};

/**
 * Tests in Firefox; `[firefox]` in the name is what the summary counts by. Where it is not installed they
 * are skipped. After each test: the page threw nothing, printed no error (a refusal by its policy is one),
 * and asked nobody but its own site.
 */
export function describeFirefox(name: string, tests: (tab: FirefoxTab) => void): void {
  const title = `${name} [firefox]`;
  if (!existsSync(FIREFOX)) {
    describe.skip(`${title} (skipped: Firefox is not installed)`, () =>
      tests({ visit: () => Promise.reject(new Error('no browser')) }));
    return;
  }
  describe(title, () => {
    let session: BidiSession;
    let visited = '';
    const problems: string[] = [];
    const containers: string[] = [];

    beforeAll(async () => {
      const address = await startFirefox();
      session = await BidiSession.begin(address, PATIENCE_MS, (method, params) => {
        const problem = problemOf(method, params, visited);
        if (problem !== null) problems.push(problem);
      });
      const events = ['log.entryAdded', 'network.beforeRequestSent'];
      await session.send('session.subscribe', { events });
    });

    tests({
      async visit(url) {
        visited = url;
        const created = await session.send<{ userContext: string }>(
          'browser.createUserContext',
          {},
        );
        containers.push(created.userContext);
        const { context } = await session.send<{ context: string }>('browsingContext.create', {
          type: 'tab',
          userContext: created.userContext,
        });
        await session.send('browsingContext.setViewport', {
          context,
          viewport: { width: 1280, height: 720 },
        });
        const page = new FirefoxPage(session, context);
        await page.open(url);
        return page;
      },
    });

    afterEach(async () => {
      for (const userContext of containers.splice(0)) {
        await session.send('browser.removeUserContext', { userContext });
      }
      expect(problems.splice(0)).toStrictEqual([]);
    });
  });
}

type Reported = {
  readonly level?: string;
  readonly text?: string | null;
  readonly request?: { readonly url: string };
};

/** What is wrong with what Firefox reports; null where nothing is. */
function problemOf(method: string, params: unknown, visited: string): string | null {
  const { level, text, request } = params as Reported;
  if (method === 'log.entryAdded') return level === 'error' ? `printed: ${text}` : null;
  if (request === undefined || /^(?:data|blob|about):/.test(request.url)) return null;
  return siteOf(request.url) === siteOf(visited) ? null : `asked: ${request.url}`;
}

/** A file is a site of its own. */
function siteOf(address: string): string {
  const { protocol, origin, pathname } = new URL(address);
  return protocol === 'file:' ? pathname : origin;
}

/** Starts it with a profile of its own until the tests of the file are done; the address to connect to. */
async function startFirefox(): Promise<string> {
  const directory = scratchDirectory();
  const settings = Object.entries(SETTINGS);
  writeFileSync(
    join(directory, 'user.js'),
    settings.map(([key, value]) => `user_pref('${key}', ${JSON.stringify(value)});\n`).join(''),
  );
  const child = spawn(
    FIREFOX,
    ['--headless', '--no-remote', '--remote-debugging-port', '0', '--profile', directory],
    // Root may only run it where the home is root's; nothing is left there.
    { env: { ...process.env, HOME: directory }, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  // `close` follows the end of all processes that hold the pipe: nobody writes the profile after that.
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  whenDone(async () => {
    child.kill('SIGKILL');
    await closed;
  });
  return addressOf(child);
}

async function addressOf({ stderr }: ChildProcess): Promise<string> {
  if (stderr === null) throw new Error('the standard error of Firefox is not a pipe');
  const printed: string[] = [];
  return new Promise((resolve, reject) => {
    const lines = createInterface(stderr);
    lines.on('line', (line) => {
      const address = /^WebDriver BiDi listening on (ws:\/\/\S+)/.exec(line)?.[1];
      if (address !== undefined) resolve(address);
      else printed.push(line);
    });
    lines.once('close', () => reject(new Error(`Firefox has ended: ${printed.join('\n')}`)));
  });
}
