import { expect, test } from 'vitest';
import type { FailedError } from '../../src/base/errors.ts';
import { loadDuckDB } from '../../src/query/duckdb.ts';

test('a missing engine is reported with the one command that installs it', async () => {
  const missing = Object.assign(new Error('no package'), { code: 'ERR_MODULE_NOT_FOUND' });
  const error = await loadDuckDB(() => Promise.reject(missing)).catch((thrown) => thrown);
  expect((error as FailedError).message).toContain('the query engine is not installed');
  expect((error as FailedError).hints[0]).toMatch(/^npm install @duckdb\/node-api/);
});
