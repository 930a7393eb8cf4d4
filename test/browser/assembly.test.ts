import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ViewServer } from '../../src/view/server.ts';
import {
  type DrawnFunction,
  type DrawnPlace,
  writeCodeRecording,
  writeProgram,
} from '../helpers/code-recording.ts';
import { describeBrowser } from './browser.ts';
import { sample } from './recording-text.ts';
import { serveFile, serveTexts } from './served.ts';

const HOSTILE = '<img/src=x/onerror=alert(1)>';
const CODE: readonly DrawnFunction[] = [
  [
    'work',
    [
      0x55, // push rbp
      ...[0x48, 0xff, 0xcf], // dec rdi
      ...[0x75, 0xfb], // jne back to dec
      ...[0xe8, 0x02, 0, 0, 0], // call what comes next
      0x5d, // pop rbp
      0xc3, // ret
    ],
  ],
  [HOSTILE, [0x90, 0xc3]],
];
const STACKS: readonly (readonly DrawnPlace[])[] = [
  ...Array.from({ length: 7 }, () => [['work', 4]] as const),
  ...Array.from({ length: 2 }, () => [['work', 1]] as const),
  [
    [HOSTILE, 0],
    ['work', 11],
  ],
];

describeBrowser('the assembly of a function', (tab) => {
  const directory = mkdtempSync(join(tmpdir(), 'browser-assembly-'));
  const program = join(directory, 'program');
  let server: ViewServer;
  beforeAll(async () => {
    const path = join(directory, 'perf.data');
    writeProgram(program, CODE);
    writeCodeRecording(path, program, CODE, STACKS);
    server = await serveFile(path);
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  const open = async (more: string) => {
    const { page } = await tab.visit(`${server.url}#tab=source&weight=samples${more}`);
    await page.locator('#panel h2').waitFor();
    return page;
  };

  it('the assembly tab has self and total at each instruction, the hottest marked, and names as text', async () => {
    const page = await open('&func=0&code=assembly');
    await page.locator('.assembly-table').waitFor();
    expect(await page.locator('#panel h2').innerText()).toBe('work');
    const rows = await page
      .locator('.assembly-table tbody tr')
      .evaluateAll((lines) =>
        lines.map((line) => [...line.querySelectorAll('td')].map((cell) => cell.textContent)),
      );
    expect(rows.map((cells) => cells.slice(0, 4))).toStrictEqual([
      ['', '', '400078', 'push rbp'],
      ['20.00%', '20.00%', '400079', '▸dec rdi'],
      ['70.00%', '70.00%', '40007c', 'jne 0x400079 ↑'],
      ['', '10.00%', '40007e', `call 0x400085 <${HOSTILE}>`],
      ['', '', '400083', 'pop rbp'],
      ['', '', '400084', 'ret'],
    ]);
    expect(await page.locator('.is-hottest').innerText()).toContain('jne');
    expect(await page.locator('#panel img').count()).toBe(0);
  });

  it('assembly opens by switch and key, shows bytes, follows jumps and filters, and is kept in the address', async () => {
    const page = await open('&func=0');
    await page.getByRole('button', { name: 'Assembly' }).click();
    await page.locator('.assembly-table').waitFor();
    await page.getByRole('button', { name: 'Bytes' }).click();
    await page.locator('.code-bytes').first().waitFor();
    expect(await page.locator('.code-bytes').allInnerTexts()).toContain('48 ff cf');
    await page.locator('.jump').first().click();
    expect(await page.locator(':focus').innerText()).toContain('dec rdi');
    expect(new URL(page.url()).hash).toMatch(/code=assembly&codeBytes=1/);
    // The first seven samples are those of the jump, a nanosecond apart.
    await page.goto(`${server.url}#tab=source&weight=samples&func=0&code=assembly&range=0-7`);
    await expect.poll(() => page.locator('.is-hottest').innerText()).toContain('100.00%');
    await page.keyboard.press('a');
    await expect.poll(() => new URL(page.url()).hash).toContain('code=both');
    await page.goBack();
    await expect.poll(() => new URL(page.url()).hash).toContain('code=assembly');
  });

  it('a call in the assembly leads to the called function', async () => {
    const page = await open('&func=0&code=assembly');
    await page.locator('#panel').getByRole('button', { name: HOSTILE }).click();
    await expect.poll(() => page.locator('#panel h2').innerText()).toBe(HOSTILE);
    expect(await page.locator('.assembly-table tbody tr').first().innerText()).toContain('nop');
  });

  it('assembly of a function whose name is markup is shown as text', async () => {
    const page = await open('&func=1&code=both');
    await page.locator('.assembly-table').waitFor();
    expect(await page.locator('.code-part summary').innerText()).toContain(HOSTILE);
    expect(await page.locator('#panel img').count()).toBe(0);
  });

  it('the assembly view reports why there is no assembly', async () => {
    const text = await serveTexts(sample('app', 1, 1, 1, ['main (/usr/bin/app)']));
    const { page } = await tab.visit(`${text.url}#tab=source&func=0&code=assembly`, {
      expectedErrors: /404/,
    });
    await expect
      .poll(() => page.locator('#panel .problem').innerText())
      .toBe('no assembly: only a perf.data file records which code ran');
    rmSync(program, { force: true });
    const gone = await open('&func=0&code=assembly');
    await expect
      .poll(() => gone.locator('#panel').innerText())
      .toContain(`10 samples: ${program}: file can not be read (ENOENT).`);
  });
});
