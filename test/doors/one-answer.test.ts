import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { formatShare } from '../../src/base/numbers.ts';
import { ProtoWriter } from '../../src/base/proto-writer.ts';
import { encodePageData } from '../../src/formats/export/page-data.ts';
import { openProfile } from '../../src/read/open-profile.ts';
import { describePageProfile } from '../../src/read/outputs/describe-page-profile.ts';
import { perfTs, scratchDirectory } from '../helpers/cli.ts';
import { createAnswers } from '../helpers/page-answers.ts';
import { WHOLE } from '../helpers/selections.ts';

const PARSE = 'parse /srv/app.js:4';
const HASH = 'hash /srv/app.js:9';
const RUN = 'run /srv/app.js:1';
/** Samples of each of three workers, and of all. */
const IN_PARSE = 4;
const IN_HASH = 2;

type Frame = readonly [name: string, address: string];
const RUN_FRAME: Frame = ['JS:~run /srv/app.js:1:1', '1000'];
const PARSE_FRAME: Frame = ['JS:*parse /srv/app.js:4:10', '2000'];
const HASH_FRAME: Frame = ['JS:*hash /srv/app.js:9:10', '3000'];

/** A text of perf script: three forked workers that run one script, each with JIT code of its own. */
function forkedWorkers(): string {
  const lines: string[] = [];
  let time = 1;
  for (const pid of [12, 13, 14]) {
    const sample = (...frames: readonly Frame[]): void => {
      lines.push(`node ${pid}/${pid} [000] ${time++}.000000: 10 cycles: `);
      for (const [name, address] of frames) {
        lines.push(`\t${address} ${name} (/tmp/perf-${pid}.map)`);
      }
      lines.push('');
    };
    for (let i = 0; i < IN_PARSE; i++) sample(PARSE_FRAME, RUN_FRAME);
    for (let i = 0; i < IN_HASH; i++) sample(HASH_FRAME, RUN_FRAME);
  }
  const file = join(scratchDirectory(), 'workers.txt');
  writeFileSync(file, lines.join('\n'));
  return file;
}

/** The page's table of functions, heaviest self first. */
const FUNCTIONS = {
  by: 'function',
  sort: 'self',
  descending: true,
  filter: '',
  intervals: false,
  first: 0,
  count: 10,
} as const;

type Answer = {
  readonly name: string;
  readonly share: number;
  readonly samples: number;
};

/** The library's answer about `parse`, which every door has to give. */
async function askLibrary(file: string): Promise<Answer> {
  const opened = await openProfile(file);
  const rows = opened.report().bySymbol.filter(({ selfSamples }) => selfSamples > 0);
  expect(rows.map(({ func }) => opened.nameOf(func))).toEqual([PARSE, HASH]);
  return { name: PARSE, share: rows[0].selfShare, samples: rows[0].selfSamples };
}

function json(...args: readonly string[]) {
  const { stdout, status } = perfTs([...args, '--json']);
  expect(status).toBe(0);
  return JSON.parse(stdout);
}

describe('a function that three forked workers ran', () => {
  test('the function is one row of the library', async () => {
    const { samples, share } = await askLibrary(forkedWorkers());
    expect(samples).toBe(3 * IN_PARSE);
    expect(share).toBeGreaterThan(0.5);
  });

  test('the function is one row of report', async () => {
    const file = forkedWorkers();
    const [event] = json('report', file).events;
    const [{ name, selfShare, samples }] = event.rows;
    expect({ name, share: selfShare, samples }).toEqual(await askLibrary(file));
  });

  test('the function is one row of query', async () => {
    const file = forkedWorkers();
    const { rows } = json('query', 'top', file);
    expect(rows.map(({ func }: { func: string }) => func)).toEqual([PARSE, HASH]);
    expect(rows[0].share).toBe((await askLibrary(file)).share);
  });

  test('the function is one row of the tools of an assistant', async () => {
    const file = forkedWorkers();
    const { stdout } = perfTs(['mcp', '--md', `top ${JSON.stringify({ file })}`]);
    expect(stdout.match(/`parse [^`]*`/g)).toEqual([`\`${PARSE}\``]);
    expect(stdout).toContain(formatShare((await askLibrary(file)).share));
  });

  test('the function is one row of the page', async () => {
    const file = forkedWorkers();
    const answers = createAnswers();
    const page = describePageProfile(await openProfile(file));
    answers.open({ slot: 0, side: 'here', bytes: encodePageData(page) });
    const { rows } = answers.table({ ...WHOLE, weight: 'events', ...FUNCTIONS });
    const [{ name, selfShare, samples }] = rows;
    expect({ name, share: selfShare, samples }).toEqual(await askLibrary(file));
  });

  test('the function is one function of annotate', async () => {
    const file = forkedWorkers();
    const { functions } = json('annotate', file, 'parse');
    expect(functions).toHaveLength(1);
    const [{ name, selfShare, selfSamples }] = functions;
    expect({ name, share: selfShare, samples: selfSamples }).toEqual(await askLibrary(file));
  });

  test('the function is one row of diff', () => {
    const file = forkedWorkers();
    const [event] = json('diff', file, file).events;
    const names = event.changes.map(({ name }: { name: string }) => name);
    expect(names.filter((name: string) => name.startsWith('parse'))).toEqual([PARSE]);
  });
});

/** A profile of pprof: two samples of `work` in line 3 of a file, one in a line that is not known. */
function oneLineKnown(): string {
  const strings = ['', 'cpu', 'nanoseconds', 'work', '/src/work.c'];
  const writer = new ProtoWriter();
  writer.begin(1).int(1, 1).int(2, 2).end();
  for (const place of [1, 1, 2]) writer.begin(2).int(1, place).int(2, 1).end();
  writer.begin(4).int(1, 1).begin(4).int(1, 1).int(2, 3).end().end();
  writer.begin(4).int(1, 2).begin(4).int(1, 1).end().end();
  writer.begin(5).int(1, 1).int(2, 3).int(4, 4).end();
  for (const text of strings) writer.text(6, text);
  const file = join(scratchDirectory(), 'work.pb');
  writeFileSync(file, writer.finish());
  return file;
}

test('samples at no line of a function are a row of its lines, so that these add up', () => {
  const file = oneLineKnown();
  const [{ lines, self }] = json('annotate', file).functions;
  expect(lines).toMatchObject([
    { file: '/src/work.c', line: 3, self: 2, total: 2, samples: 2 },
    { file: null, line: null, self: 1, total: 1, samples: 1 },
  ]);
  expect(self).toBe(3);
  const { stdout } = perfTs(['annotate', file]);
  expect(stdout).toMatch(/66\.67% {3}66\.67% {6}3$/m);
  expect(stdout).toContain(' 33.33%   33.33%      ?  (no line is known)\n');
});

/** Two samples of a Node that was recorded without stacks, by perf script or as V8 has them. */
function withoutStacks(): string {
  const file = join(scratchDirectory(), 'flat.txt');
  const lines = [
    'node 12/12 [000] 1.000000: 10 cycles:      2000 JS:*parse /srv/app.js:4:10 (/tmp/perf-12.map)',
    'node 12/12 [000] 2.000000: 10 cycles:      600 v8::internal::Heap::Scavenge() (/usr/bin/node)',
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
}

test('callers that were not recorded are not called a root, and a finding tells what lacks its JavaScript', () => {
  const file = withoutStacks();
  const { rows } = json('query', 'callers', file, '--func', 'parse');
  expect(rows).toMatchObject([{ func: PARSE, caller: '[not recorded]' }]);
  const call = `callers_callees ${JSON.stringify({ file, func: 'parse', side: 'callers' })}`;
  expect(perfTs(['mcp', '--md', call]).stdout).toContain('`[not recorded]`');
  const open = (path: string) =>
    perfTs(['mcp', '--md', `open ${JSON.stringify({ file: path })}`]).stdout;
  expect(open(file)).toContain('No stacks: callers cannot be told.');
  expect(open(forkedWorkers())).toContain('Stacks were recorded.');
  expect(json('report', file).findings).toContainEqual(
    expect.objectContaining({ code: 'stacks-none', severity: 'doubt', share: 0.5 }),
  );
});

/** A text of perf script: a function of JavaScript, an inline cache that runs for it, and V8's collector. */
function runOfNode(): string {
  const sample = (time: number, ...frames: readonly string[]): string[] => [
    `node 12/12 [000] ${time}.000000: 10 cycles: `,
    ...frames.map((frame) => `\t${frame}`),
    '',
  ];
  const parse = '2000 JS:*parse /srv/app.js:4:10 (/tmp/perf-12.map)';
  const file = join(scratchDirectory(), 'node.txt');
  const lines = [
    ...sample(1, parse),
    ...sample(2, '500 Builtins_LoadIC (/usr/bin/node)', parse),
    ...sample(3, '500 Builtins_LoadIC (/usr/bin/node)', parse),
    ...sample(4, '600 v8::internal::Heap::Scavenge() (/usr/bin/node)', parse),
  ];
  writeFileSync(file, lines.join('\n'));
  return file;
}

describe('JavaScript that V8 runs', () => {
  test('the function has what V8 did for it in the library and on the page, unless all frames are asked for', async () => {
    const file = runOfNode();
    const opened = await openProfile(file);
    expect(opened.report().bySymbol[0]).toMatchObject({ selfSamples: 3 });
    expect(describePageProfile(opened).firstFrames).toBe('javascript');
    const all = await openProfile(file, { frames: 'all' });
    expect(all.report().bySymbol[0]).toMatchObject({ selfSamples: 2 });
    expect(all.atLevel('javascript').report().bySymbol).toEqual(opened.report().bySymbol);
  });

  test('the function has the same share in documents for programs as in tables', async () => {
    const file = runOfNode();
    const [{ selfShare }] = (await openProfile(file)).report().bySymbol;
    const document = json('report', file);
    expect(document.frames).toBe('javascript');
    expect(document.events[0].rows[0]).toMatchObject({ name: PARSE, selfShare, samples: 3 });
    expect(perfTs(['report', file]).stdout).toMatch(/ 3 {2}.*\/srv\/app\.js:4 {2}parse$/m);
    expect(json('query', 'top', file).rows[0]).toMatchObject({ func: PARSE, share: selfShare });
    expect(json('annotate', file).functions[0]).toMatchObject({ name: PARSE, selfShare });
    const lines = json('report', file, '--sort', 'srcline').events[0].rows;
    expect(lines[0]).toMatchObject({ selfShare });
  });

  test('a function of V8 can be annotated by its name', () => {
    const { functions } = json('annotate', runOfNode(), 'Builtins_LoadIC');
    expect(functions).toMatchObject([{ name: 'Builtins_LoadIC', selfSamples: 2 }]);
  });

  test('the own code of a program has one share at every level that a report shows', () => {
    const file = runOfNode();
    for (const frames of ['all', 'javascript', 'own']) {
      const { rows } = json('report', file, '--sort', 'category', '--frames', frames).events[0];
      const samples = rows.map((row: { category: string; samples: number }) => [
        row.category,
        row.samples,
      ]);
      expect([frames, samples]).toEqual([
        frames,
        [
          ['user code', 3],
          ['GC', 1],
        ],
      ]);
    }
  });
});

describe('a name without its place', () => {
  test("report --symbol takes the function's name", () => {
    const [event] = json('report', forkedWorkers(), '-S', 'parse').events;
    expect(event.samples).toBe(3 * IN_PARSE);
  });

  test('the name is taken by query, which answers who calls it as the assistant is told', () => {
    const file = forkedWorkers();
    const { rows } = json('query', 'callers', file, '--func', 'parse');
    expect(rows).toMatchObject([{ func: PARSE, caller: RUN, samples: 3 * IN_PARSE }]);
    const call = { file, func: 'parse', side: 'callers' };
    const { stdout } = perfTs(['mcp', '--md', `callers_callees ${JSON.stringify(call)}`]);
    expect(stdout).toContain(`\`${RUN}\``);
    expect(stdout).toContain(formatShare(rows[0].share));
  });

  test('the name of several functions is one answer that names them', () => {
    const file = forkedWorkers();
    const asked = ['query', 'callers', file, '--func', '/^(parse|hash)/'];
    expect(perfTs(asked).stderr).toContain(
      `/^(parse|hash)/: 2 functions are called so, here together: ${PARSE}, ${HASH}\n`,
    );
    expect(json(...asked).rows).toMatchObject([{ func: '/^(parse|hash)/', caller: RUN }]);
    const call = { file, func: '/^(parse|hash)/', side: 'callers' };
    const { stdout } = perfTs(['mcp', '--md', `callers_callees ${JSON.stringify(call)}`]);
    expect(stdout).toContain(`2 functions are called so, here together: ${PARSE}, ${HASH}`);
  });

  test('that no function has is refused with the nearest one everywhere', () => {
    const file = forkedWorkers();
    for (const args of [
      ['annotate', file, 'parze'],
      ['report', file, '-S', 'parze'],
      ['query', 'callers', file, '--func', 'parze'],
      ['mcp', '--md', `source ${JSON.stringify({ file, func: 'parze' })}`],
    ]) {
      const { status, stderr } = perfTs(args);
      expect([args[0], status, stderr]).toEqual([args[0], 2, expect.stringContaining(PARSE)]);
    }
  });
});
