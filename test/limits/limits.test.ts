// A few small cases of each shape; `run.mjs` runs as many, and as large, as there is time for.

import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { scratchDirectory } from '../helpers/cli.ts';
import { bundle } from './bundle.mjs';
import { allShapes } from './cases.ts';
import { type Tried, Worker } from './worker.ts';

const ROUNDS = 2;
/** Bytes of the files, or a part of what they unpack to. */
const SIZES = [2_000, 40_000];
const LIMITS = { ms: Number.POSITIVE_INFINITY, bytes: 1e9 };
/** Each asks for more than its size explains, whatever the seed is. */
const BOMBS = ['frames one after the other'];

const scratch = scratchDirectory();
let worker: Worker;
beforeAll(async () => {
  const folder = mkdtempSync(join(scratch, 'limits-'));
  worker = new Worker(await bundle('host'), folder, LIMITS);
});
afterAll(() => worker?.close());

describe('a file that becomes larger than it is', () => {
  const shapes = allShapes();

  test.each(shapes.map(({ name }, index) => ({ name, index })))(
    'a file that becomes larger than it is gets answered or refused with a sentence: $name',
    async ({ index }) => {
      for (let round = 0; round < ROUNDS; round++) {
        const seed = index + round * shapes.length;
        const tried = await worker.try(seed, SIZES[round % SIZES.length]);
        const again = `node test/limits/run.mjs --count 1 --seed ${seed} --size ${tried.made.size}`;
        for (const { command, outcome, message, peakBytes } of tried.results) {
          expect(outcome, `${again}: ${command}: ${message}`).not.toBe('failed');
          expect(peakBytes, `${again}: ${command}`).toBeLessThan(LIMITS.bytes);
        }
      }
    },
  );

  test.each(BOMBS)(
    'a file beyond a limit is refused with the option that lifts it: %s',
    async (name) => {
      const index = shapes.findIndex((shape) => shape.name === name);
      let tried: Tried | null = null;
      for (let round = 0; round < 8; round++) {
        tried = await worker.try(index + round * shapes.length, 100_000);
        if (tried.results.every(({ outcome }) => outcome === 'refused')) break;
      }
      expect(tried?.results.map(({ message }) => message)).toEqual(
        Array.from({ length: 3 }, () =>
          expect.stringMatching(/unpack to more than \d+ bytes, .* --max-unpacked SIZE allows it$/),
        ),
      );
    },
  );
});
