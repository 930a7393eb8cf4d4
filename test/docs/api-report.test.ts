// docs/api/perf-ts.api.md has the public types as they are, so that a change of them shows in review.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from '../helpers/cli.ts';

test('the report of public types is that of the built types; npm run api writes it anew', () => {
  const extractor = join(projectRoot, 'node_modules/.bin/api-extractor');
  const config = join(projectRoot, 'docs/api/api-extractor.json');
  const { status, stdout, stderr } = spawnSync(extractor, ['run', '-c', config], {
    encoding: 'utf8',
  });
  expect(status, `${stdout}${stderr}`).toBe(0);
});
