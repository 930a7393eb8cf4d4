import { expect, test } from 'vitest';
import { checkOptions } from '../../src/record/check-options.ts';
import type { RecordOptions } from '../../src/record/record-options.ts';

test.each(['command', 'events', 'pids'])('%s is a list, also for JavaScript', (name) => {
  const options = { [name]: 'true' } as unknown as RecordOptions;
  expect(() => checkOptions(options)).toThrow(TypeError);
  expect(() => checkOptions(options)).toThrow(`${name}: expected an array, got "true"`);
});
