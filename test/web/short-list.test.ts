import { expect, it } from 'vitest';
import { shortList } from '../../web/src/dom/short-list.ts';

const options = Array.from({ length: 700 }, (_, value) => ({ value, label: `thread ${value}` }));

it('a short list has the first entries and the chosen one', () => {
  const values = (chosen: number) => shortList(options, chosen).map(({ value }) => value);
  expect(values(0).length).toBe(501);
  expect(values(650)).toStrictEqual([...values(0), 650]);
  expect(values(9999)).toStrictEqual(values(0));
});
