import { expect, test } from 'vitest';
import { placesOfSamples } from '../../src/profile/sample-places.ts';
import { FUNC_CATEGORIES } from '../../src/profile/types.ts';

const KERNEL = FUNC_CATEGORIES.indexOf('kernel');
const NATIVE = FUNC_CATEGORIES.indexOf('native');

test('a sample is at work in the innermost function outside the kernel', () => {
  // Functions: 0 read_file, 1 write_file, 2 syscall_trace_enter. Stacks: 0 and 1 are roots, 2 and 3 the call of 2 from them.
  const places = placesOfSamples({
    funcs: { length: 3, category: Uint8Array.of(NATIVE, NATIVE, KERNEL) },
    frames: { func: Int32Array.of(0, 1, 2) },
    stacks: {
      length: 5,
      frame: Int32Array.of(0, 1, 2, 2, 2),
      prefix: Int32Array.of(-1, -1, 0, 1, -1),
    },
    samples: { length: 5, stack: Int32Array.of(2, 3, 0, 4, -1) },
  });
  expect([...places.func]).toEqual([0, 1, 0, 2, -1]);
  expect([...places.stack]).toEqual([2, 3, 0, 4, -1]);
  expect([...places.caller]).toEqual([0, 1, -1, -1, -1]);
});
