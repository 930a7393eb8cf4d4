// The examples of the docstrings, as programs beside the installed package. Each prints something or leaves a file.

import { spawnSync } from 'node:child_process';
import { copyFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { CLI, projectRoot } from '../helpers/cli.ts';
import { describeLive } from '../helpers/live.ts';
import { publicExamples } from '../helpers/public-api.ts';
import { compile, makeConsumer } from './consumer.ts';

describeLive('the examples of the docstrings', () => {
  const folder = makeConsumer(true);
  const examples = publicExamples();
  const run = (...words: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, words, {
      cwd: folder,
      encoding: 'utf8',
    });
    expect({ status, stderr }, stdout).toEqual({ status: 0, stderr: '' });
    return stdout;
  };

  beforeAll(() => {
    copyFileSync(join(projectRoot, 'examples/app/app.js'), join(folder, 'app.js'));
    for (const name of ['perf.data', 'old.data', 'new.data']) {
      run(CLI, 'record', '-q', '-F', '997', '-o', name, '--', 'node', 'app.js');
    }
    for (const { name, code } of examples) writeFileSync(join(folder, `${name}.mts`), code);
    const files = examples.map(({ name }) => `${name}.mts`);
    const modules = { module: 'nodenext', moduleResolution: 'nodenext', types: ['node'] };
    expect(compile(folder, files, modules)).toBe('');
  });

  it.each(examples)('the example of $name runs', ({ name }) => {
    const before = readdirSync(folder);
    const printed = run(`${name}.mjs`);
    const made = readdirSync(folder).filter((file) => !before.includes(file));
    expect([printed.trim(), ...made].join('')).not.toBe('');
  });

  it('CommonJS gets what ES modules get, in one instance', () => {
    writeFileSync(
      join(folder, 'both.cjs'),
      "const required = require('perf-ts');\nimport('perf-ts').then((imported) => console.log(" +
        'Object.keys(required).every((name) => required[name] === imported[name])));\n',
    );
    expect(run('both.cjs')).toBe('true\n');
  });
});
