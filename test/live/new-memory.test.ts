// Memory that functions take from the system, beside what a program knows that it touches.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openProfile } from '../../src/read/open-profile.ts';
import { perfTs, scratchDirectory } from '../helpers/cli.ts';
import { describeLiveAsUser } from '../helpers/live.ts';

const scratch = scratchDirectory();
const PROGRAM = `
const kept = [];
function images() { for (let i = 0; i < 24; i++) kept.push(Buffer.allocUnsafeSlow(1 << 20).fill(i)); }
function table() { for (let i = 0; i < 60; i++) kept.push(new Float64Array(1 << 16).fill(i)); }
images();
table();
`;
const KNOWN = { images: 24 * 2 ** 20, table: 60 * 2 ** 19 };

describeLiveAsUser('new memory', () => {
  it('new memory by function is what the function has touched of it', async () => {
    const [file, program] = [join(scratch, 'memory.data'), join(scratch, 'memory.mjs')];
    writeFileSync(program, PROGRAM);
    const { status } = perfTs(['record', '-q', '-o', file, '--memory', '--', 'node', program]);
    expect(status).toBe(0);
    const opened = await openProfile(file);
    const [event = ''] = opened.profile.events.flatMap(({ name }) =>
      name.startsWith('new-memory') ? [name] : [],
    );
    const { bySymbol } = opened.report({ event });
    for (const [name, bytes] of Object.entries(KNOWN)) {
      const row = bySymbol.find(({ func }) => opened.nameOf(func).startsWith(`${name} `));
      // Each array begins within a page, and what V8 keeps of it lies elsewhere.
      expect(row?.total, name).toBeGreaterThanOrEqual(bytes * 0.99);
      expect(row?.total, name).toBeLessThanOrEqual(bytes * 1.03);
    }
    const { stdout } = perfTs(['report', '-i', file, '-e', event]);
    expect(stdout).toMatch(/new-memory\S*: .* samples, [\d.]+ MB/);
    expect(stdout).toMatch(/self +total +bytes +samples/);
  });
});
