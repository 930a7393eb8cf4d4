import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ViewServer } from '../../src/view/server.ts';
import { describeBrowser } from './browser.ts';
import { recordingText } from './recording-text.ts';
import { serveTexts } from './served.ts';

/** A page that knows the address, with its token, and tries all that a page can. */
function hostilePage(target: string): string {
  const address = JSON.stringify(target);
  return `<!doctype html><meta charset="utf-8"><body><script>
const element = (name, set) => new Promise((resolve) => {
  const made = Object.assign(document.createElement(name), set);
  made.onload = () => resolve(name + ' loaded');
  made.onerror = () => resolve(name + ' refused');
  document.body.append(made);
});
const opened = (made, name) => new Promise((resolve) => {
  made.onopen = () => resolve(name + ' open');
  made.onerror = () => resolve(name + ' refused');
});
const asked = (mode) => fetch(${address} + 'profile/0', { mode }).then(
  () => mode + ' answered', () => mode + ' refused');
const form = Object.assign(document.createElement('form'),
  { method: 'post', action: ${address}, target: 'frame' });
const frame = Object.assign(document.createElement('iframe'), { name: 'frame' });
document.body.append(frame, form);
form.submit();
Promise.all([
  element('script', { src: ${address} + 'page.js' }),
  element('img', { src: ${address} + 'download/0/folded' }),
  element('link', { rel: 'stylesheet', href: ${address} + 'page.css' }),
  asked('cors'),
  asked('no-cors'),
  opened(new EventSource(${address} + 'live?since=0'), 'events'),
  opened(new WebSocket(${address}.replace('http', 'ws')), 'socket'),
]).then((results) => { document.title = results.join(', '); });
</script>`;
}

describeBrowser('a page of another origin', (tab) => {
  let view: ViewServer;
  let hostile: Server;

  beforeAll(async () => {
    view = await serveTexts(recordingText());
    hostile = createServer((_, response) => {
      response.setHeader('Content-Type', 'text/html');
      response.end(hostilePage(view.url));
    });
    hostile.listen(0, '127.0.0.1');
    await once(hostile, 'listening');
  });
  afterAll(() => void hostile.close());

  // The same machine is the same site, another name is another one.
  it.each(['127.0.0.1', 'localhost'])(
    'a foreign page gets nothing, even with the token: %s',
    async (host) => {
      const { port } = hostile.address() as AddressInfo;
      const { page } = await tab.visit(`http://${host}:${port}/`, {
        isHostile: true,
        expectedErrors: /./,
      });
      await expect
        .poll(() => page.title())
        .toBe(
          'script refused, img refused, link refused, cors refused, no-cors refused, ' +
            'events refused, socket refused',
        );
    },
  );
});
