import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { perfTs, scratchDirectory } from '../../helpers/cli.ts';

const FOLDED = 'main;work;leaf 70\nmain;work 20\nmain;<b>|`evil` 10\n';

function foldedFile(text = FOLDED): string {
  const file = join(scratchDirectory(), 'app.folded');
  writeFileSync(file, text);
  return file;
}

test('a question by name prints a table, and with --sql what SQL would ask', () => {
  const { stdout, stderr, status } = perfTs(['query', 'top', foldedFile(), '--sql']);
  expect(status).toBe(0);
  expect(stderr).toContain('from top_self t');
  expect(stdout).toMatch(/70\.00% .*leaf$/m);
});

test('the SQL that --sql prints gives the same answer when it is run itself, without the intervals', () => {
  const file = foldedFile();
  const withoutEnds = ({ low: _, high: __, ...row }: Readonly<Record<string, unknown>>) => row;
  const words = ['callers', 'lines', 'top', 'timeline'].map((verb) => [verb, '--func', 'work']);
  for (const verb of [...words, ['threads'], ['ledger'], ['periods']]) {
    const { stdout, stderr } = perfTs(['query', ...verb, file, '--json', '--sql']);
    const named = JSON.parse(stdout);
    expect(named.sql).toBeNull();
    const [, sql] = stderr.split('counts recursion at each call:\n');
    const asked = JSON.parse(perfTs(['query', sql, file, '--json']).stdout);
    expect(asked.sql).toBe(sql);
    const figures = ({ rows, recordings, isCut }: typeof named) => ({
      recordings,
      isCut,
      rows: rows.map(withoutEnds),
    });
    expect(figures(asked)).toEqual(figures(named));
  }
});

test('--json has rows as objects, and numbers as numbers', () => {
  const sql = 'select func, self from functions order by self desc limit 1';
  const { stdout } = perfTs(['query', sql, foldedFile(), '--json']);
  expect(JSON.parse(stdout)).toMatchObject({
    schema: 'perf-ts/query@1',
    sql,
    rows: [{ func: 'leaf', self: 70 }],
    isCut: false,
  });
});

test('--csv quotes, and --md makes no markup of names', () => {
  const sql = 'select func, 1 as "a,b" from functions where func like \'<b>%\'';
  const file = foldedFile();
  expect(perfTs(['query', sql, file, '--csv']).stdout).toBe('func,"a,b"\r\n<b>|`evil`,1\r\n');
  const { stdout } = perfTs(['query', sql, file, '--md']);
  expect(stdout.split('\n')[2]).toBe('| `` <b>\\|`evil` `` | 1 |');
});

test('SQL may begin with a comment', () => {
  const sql = '-- which functions\nselect func from functions order by self desc limit 1';
  const { stdout, stderr } = perfTs(['query', sql, foldedFile(), '--json']);
  expect(stderr).toBe('');
  expect(JSON.parse(stdout).rows).toEqual([{ func: 'leaf' }]);
});

test('a service that no recording has is reported, with files too', () => {
  const words = ['query', 'share', '--func', 'leaf', '--service', 'nosuch', foldedFile()];
  const { stdout, stderr, status } = perfTs(words);
  expect([status, stdout.includes('%')]).toEqual([0, false]);
  expect(stderr).toContain('a service nosuch');
});

test('builds of files are compared', () => {
  const { status, stderr, stdout } = perfTs(['query', 'compare', '1.0', '1.1', foldedFile()]);
  expect(stdout.trim().split(/\s+/)).toEqual([
    ...['share_before', 'share_after', 'share_change', 'change_low', 'change_high'],
    ...['verdict', 'dso', 'func'],
  ]);
  expect([status, stderr]).toEqual([
    0,
    expect.stringContaining('a recording of each of 1.0 and 1.1'),
  ]);
});

test('several recordings are told apart, and compared', () => {
  const later = foldedFile('main;work;leaf 30\nmain;work 70\n');
  const { stdout } = perfTs(['query', 'diff', foldedFile(), later, '--json']);
  const { rows, recordings } = JSON.parse(stdout);
  expect(recordings).toHaveLength(2);
  expect(rows[0]).toMatchObject({ func: 'work', share_before: 0.2, share_after: 0.7 });
});

test('Parquet is written, and read again by query', () => {
  const file = foldedFile();
  const folder = join(scratchDirectory(), 'app.parquet');
  const words = ['export', file, '--format', 'parquet', '-o', folder, '--build', '1.2'];
  expect(perfTs(words).status).toBe(0);
  const direct = JSON.parse(perfTs(['query', 'top', file, '--json']).stdout);
  const read = JSON.parse(perfTs(['query', 'top', folder, '--json']).stdout);
  expect(read.rows).toEqual(direct.rows);
  const edges = perfTs(['query', 'callers', folder, '--func', 'work']);
  expect(edges.stderr).toContain('summed in SQL, of tables: without intervals');
  const labels = perfTs(['query', 'select name, build from recordings', folder, '--csv']);
  expect(labels.stdout).toBe(`name,build\r\n${file},1.2\r\n`);
  // What is there already is not mixed with another recording.
  const before = readFileSync(join(folder, 'samples.parquet'));
  const again = perfTs(words);
  expect(again.status).toBe(125);
  expect(again.stderr).toContain('a new or an empty folder');
  expect(readFileSync(join(folder, 'samples.parquet'))).toEqual(before);
});

test('Parquet of a selection is refused before anything is written', () => {
  const folder = join(scratchDirectory(), 'app.parquet');
  const words = ['export', foldedFile(), '--format', 'parquet', '-o', folder, '--comm', 'main'];
  const { status, stderr } = perfTs(words);
  expect(status).toBe(2);
  expect(stderr).toContain('holds the whole recording');
  expect(existsSync(folder)).toBe(false);
});

test('a question about a function that is in no recording is refused with the nearest name', () => {
  const { stderr, status } = perfTs(['query', 'callees', foldedFile(), '--func', 'lea']);
  expect(stderr).toMatch(/^perf-ts: lea: no function .*\n {2}it has leaf\n$/);
  expect(status).toBe(2);
});

test('a question about a function that one of two recordings has is answered from that one', () => {
  const other = foldedFile('main;idle 5\n');
  const words = ['query', 'callers', other, foldedFile(), '--func', 'leaf', '--json'];
  const { rows } = JSON.parse(perfTs(words).stdout);
  expect(rows).toMatchObject([{ recording: 2, func: 'leaf', caller: 'work', weight: 70 }]);
});

test('a question without rows says what it needs, a time is a date', () => {
  const { stderr, status } = perfTs(['query', 'rarest', foldedFile(), '--func', 'lea']);
  expect(stderr).toMatch(/^perf-ts: rarest: no rows: needs a function lea\n$/m);
  expect(status).toBe(0);

  const sql = 'select 1795878322299374800 as first_seen, 7 as other, null as started_ns';
  const shown = perfTs(['query', sql, foldedFile()]).stdout;
  expect(shown).toBe(
    'first_seen                other  started_ns\n2026-11-28T15:05:22.299Z      7\n',
  );
  const { stdout: markdown } = perfTs(['query', sql, foldedFile(), '--md']);
  expect(markdown).toContain('`2026-11-28T15:05:22.299Z`');
  const { rows } = JSON.parse(perfTs(['query', sql, foldedFile(), '--json']).stdout);
  expect(rows[0].first_seen).toBe('1795878322299374800');
});

describe('refusals', () => {
  test.each([
    [['query', 'tops'], 2, 'neither SQL nor one of top'],
    [['query', 'callers', 'FILE'], 2, 'of which function?'],
    [['query', 'select nope from samples', 'FILE'], 2, 'nope'],
    [['query', 'select * from smples', 'FILE'], 2, 'Did you mean'],
    [
      ['query', 'top', 'FILE', '--service', 'shop'],
      2,
      'only share, compare, rarest, newest are by service',
    ],
    [['query', 'top', 'FILE', '--json', '--csv'], 2, 'exclude each other'],
    [['query', 'diff', 'FILE'], 2, 'a recording on either side'],
    [['query', 'diff', 'FILE', 'FILE', 'FILE'], 2, 'which of them are older'],
    [['query', 'compare', '1.0', '1.0', '--on', 'clickhouse://db'], 2, '1.0 is one'],
    [['query', 'top', '--on', 'http://db'], 2, 'not the place of a ClickHouse server'],
    [['query', 'top', 'FILE', '--on', 'clickhouse://db'], 2, '--insert'],
    [['query', "select * from read_text('/etc/passwd')", 'FILE'], 2, 'file system'],
    [
      [
        'query',
        'select count(*) from range(100000000) a, range(100000) b',
        'FILE',
        '--timeout',
        '1',
      ],
      125,
      'longer than 1 s',
    ],
  ])('%j', (words, expected, message) => {
    const file = foldedFile();
    const { status, stderr } = perfTs(words.map((word) => (word === 'FILE' ? file : word)));
    expect(stderr).toContain(message);
    expect(status).toBe(expected);
  });
});
