// The man pages, as groff reads and prints them.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { declareProgram } from '../../src/cli/declare-program.ts';
import { manPage } from '../../src/cli/reference/man-page.ts';
import { manPages } from '../../src/cli/reference/pages.ts';

const pages = manPages();
const program = declareProgram();
const hasGroff = spawnSync('groff', ['--version']).status === 0;

/** The text that a reader sees, on lines too long to be broken. */
function printed(text: string): { shown: string; warnings: string } {
  const { stdout, stderr } = spawnSync(
    'groff',
    ['-man', '-Tutf8', '-ww', '-P-cbou', '-rLL=600n', '-rHY=0'],
    { input: text, encoding: 'utf8' },
  );
  return { shown: stdout, warnings: stderr };
}

test('package.json names each man page, so that npm installs it; npm run reference writes the list', () => {
  const { man } = JSON.parse(
    readFileSync(resolve(import.meta.dirname, '../../package.json'), 'utf8'),
  ) as { man: string[] };
  expect(man).toEqual(pages.map(({ file }) => `./dist/man/${file}`));
});

test('every line of a page is text or a macro of man(7)', () => {
  for (const { text } of pages) {
    const requests = text
      .split('\n')
      .filter((line) => line.startsWith('.') || line.startsWith("'"));
    expect(requests.filter((line) => !/^\.(?:TH|SH|SS|TP|PP|B|nh|ad)\b/.test(line))).toEqual([]);
    expect(text).toMatch(/^\.TH [^\n]+\n\.nh\n\.ad l\n\.SH NAME\n\S+ \\- \S/);
  }
});

describe.skipIf(!hasGroff)('as groff prints them', () => {
  test.each(pages)('$file has no warnings', ({ text }) => {
    expect(printed(text).warnings).toBe('');
  });

  test('a page has every option and example of its command', () => {
    const command = program.commands.find((each) => each.name() === 'record');
    const { shown } = printed(pages.find(({ file }) => file === 'perf-ts-record.1')?.text ?? '');
    const help = command?.createHelp();
    const terms = help?.visibleOptions(command as never).map((option) => help.optionTerm(option));
    expect(terms?.length).toBeGreaterThan(50);
    expect(terms?.filter((term) => !shown.includes(term))).toEqual([]);
    expect(shown).toContain('sudo perf-ts record -a -e sched:sched_switch -c 1');
  });

  test('signs that roff reads otherwise are printed as they are', () => {
    const page = {
      name: 'perf-ts x',
      description: 'a-b',
      usage: 'perf-ts x .hidden',
      examples: [[`perf-ts x '\\n' "q" ^~\``, `.it's`]] as const,
      terms: [],
      groups: [],
      notes: ["'quoted' ↑"],
    };
    const { shown, warnings } = printed(manPage(page, '1'));
    expect(warnings).toBe('');
    for (const text of ['.hidden', `perf-ts x '\\n' "q" ^~\``, `.it's`, "'quoted' ↑", 'a-b'])
      expect(shown).toContain(text);
  });
});
