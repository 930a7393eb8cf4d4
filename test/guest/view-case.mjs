// The page of a recording, served where it was recorded.

import { check, checkEqual } from './perf-ts-runs.mjs';

/** `view` answers with the page and the recording's profile, and ends with Ctrl-C. */
export async function serveRecording({ perfTs }) {
  const server = perfTs.start(['view', '--no-open', '--port', '0', perfTs.file('clock')]);
  try {
    const address = await server.firstMatch(/http:\/\/127\.0\.0\.1:\d+\/\S+/);
    const page = await fetch(address);
    checkEqual(page.status, 200, 'status of the page');
    const html = await page.text();
    check(/<script[^>]* src=/.test(html), 'a page with a script', html.slice(0, 200));
    const profile = await fetch(new URL('profile/0', address));
    checkEqual(profile.status, 200, 'status of the profile');
    const bytes = (await profile.arrayBuffer()).byteLength;
    check(bytes > 1000, 'a profile of more than 1000 bytes', bytes);
    return { found: `page of ${html.length} bytes, profile of ${bytes}` };
  } finally {
    await server.interrupt();
  }
}
