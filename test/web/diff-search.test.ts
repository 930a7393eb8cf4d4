import { expect, it } from 'vitest';
import { encodePageData } from '../../src/formats/export/page-data.ts';
import { createAnswers } from '../helpers/page-answers.ts';
import { pageOf } from '../helpers/page-of.ts';
import { profileFromText } from '../helpers/profile-from-text.ts';
import { WHOLE } from '../helpers/selections.ts';

/** `read` calls itself; here it has 3 of 4 parts, there 1 of 2. */
const HERE = profileFromText(`
  period  2     1     1
          main  main  main
          read  read  idle
          read
`);
const THERE = profileFromText(`
  period  1     1
          main  main
          read  idle
`);

const PARAMS = { ...WHOLE, zoom: [], by: 'share' } as const;

it.each([
  ['callees', false],
  ['callers', true],
])('a search in the tree of %s has a share of both recordings, each stack once', (_, inverted) => {
  const answers = createAnswers();
  answers.open({ slot: 0, side: 'here', bytes: encodePageData(pageOf(HERE)) });
  answers.open({ slot: 1, side: 'there', bytes: encodePageData(pageOf(THERE)) });
  const { found } = answers.diff({ ...PARAMS, inverted, search: 'read' });
  expect(found).toMatchObject({ share: 0.75, otherShare: 0.5, functions: 1, problem: null });
  expect(found?.hits.length).toBe(found?.hitCount);
});

it('a JIT function of several processes is one function', () => {
  const here = profileFromText(`
    period  1               3
            main            main
            emit@[JIT] 100  emit@[JIT] 200
  `);
  const there = profileFromText(`
    period  1               1
            main            main
            emit@[JIT] 300  idle
  `);
  const answers = createAnswers();
  answers.open({ slot: 0, side: 'here', bytes: encodePageData(pageOf(here)) });
  answers.open({ slot: 1, side: 'there', bytes: encodePageData(pageOf(there)) });
  const { tree, delta } = answers.diff({ ...PARAMS, inverted: false, search: '' });
  const { rows, labels } = tree;
  const changes = Array.from(delta, (value, row) => [labels.name[rows.label[row]], value]);
  expect(changes).toStrictEqual([
    ['main', 0],
    ['emit', 0.5],
    ['idle', -0.5],
  ]);
});
