import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { perfTs, scratchDirectory } from '../../helpers/cli.ts';

/** Recordings in which `parse` has these parts of 1000. */
function recordings(parts: readonly number[]): string[] {
  const folder = scratchDirectory();
  return parts.map((part, run) => {
    const file = join(folder, `${run}.folded`);
    writeFileSync(file, `main;parse ${part}\nmain;\`<b>|x\` 100\nmain;rest ${900 - part}\n`);
    return file;
  });
}

const CONDITION = 'share(parse) grows by 10%';

function gate(old: readonly number[], now: readonly number[], ...words: string[]) {
  const sides = ['--old', ...recordings(old), '--new', ...recordings(now)];
  return perfTs(['diff', '--fail-if', CONDITION, ...words, ...sides]);
}

test('the gate ends with 1 where all runs show the growth', () => {
  const { status, stdout, stderr } = gate([200, 202, 198], [260, 258, 262]);
  expect(status).toBe(1);
  expect(stdout).toContain(`# fail if ${CONDITION}: parse: met`);
  expect(stderr).toContain('1 of 1 conditions met');
});

test('the gate passes where runs differ as much among themselves', () => {
  const { status, stdout } = gate([150, 200, 250], [190, 240, 290]);
  expect(status).toBe(0);
  expect(stdout).toContain(`# fail if ${CONDITION}: parse: not distinguishable`);
});

test('--json has the verdicts', () => {
  const { stdout, status } = gate([200, 202, 198], [201, 199, 200], '--json');
  expect(status).toBe(0);
  expect(JSON.parse(stdout).conditions).toMatchObject([
    { condition: CONDITION, name: 'parse', verdict: 'not met', there: expect.closeTo(0.2) },
  ]);
});

test('--md is a summary without markup of names', () => {
  const { stdout, status } = gate([200, 202, 198], [260, 258, 262], '--md');
  expect(status).toBe(1);
  expect(stdout).toContain('**1 of 1 met.**');
  expect(stdout).toMatch(
    /^\| ❌ met \| `share\(parse\) grows by 10%` \| `parse` \| \+30% \| .*% … .*% \|$/m,
  );
  expect(stdout).toMatch(/^2 of 3 functions differ \(95% for all together\); .*\.$/m);
  expect(stdout).not.toMatch(/(?<!`)<b>(?!\\?\|x)/);
});

test('the gate refuses one recording a side, an unknown function and an unknown condition with status 2', () => {
  const single = gate([200], [260]);
  expect([single.status, single.stderr.includes('two recordings a side')]).toEqual([2, true]);
  const [file, other] = recordings([1, 2]);
  const sides = ['--old', file, other, '--new', file, other];
  for (const condition of ['share(nosuch) grows by 10%', 'share(parse) explodes']) {
    expect(perfTs(['diff', '--fail-if', condition, ...sides]).status).toBe(2);
  }
});
