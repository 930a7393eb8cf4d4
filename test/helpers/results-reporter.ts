// Writes what became of each test, why one was skipped, and what each file cost, to the file that PERF_TS_RESULTS
// names; `summarize.mjs` prints it.

import { readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, TestCase, TestModule, TestSuite } from 'vitest/node';
import type { Cost } from './file-cost.ts';
import { skipCondition } from './skip-condition.ts';

export type Result = {
  readonly file: string;
  readonly title: string;
  readonly state: 'passed' | 'failed' | 'skipped' | 'pending';
  readonly reason?: string;
};

/** `lane` is the project of vitest that ran the file. */
export type FileCost = Cost & { readonly file: string; readonly lane: string };

export default class ResultsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const path = process.env.PERF_TS_RESULTS;
    if (path === undefined) throw new Error('PERF_TS_RESULTS does not name a file');
    const results = modules.flatMap(resultsOf);
    for (const _ of errors) {
      results.push({ file: 'vitest', title: 'an error outside the tests', state: 'failed' });
    }
    writeFileSync(path, JSON.stringify({ results, costs: modules.flatMap(costOf) }));
  }
}

/** None of a file that ended before its hooks. */
function costOf(module: TestModule): FileCost[] {
  const { cost } = module.meta();
  if (cost === undefined) return [];
  const file = relative(process.cwd(), module.moduleId);
  return [{ file, lane: module.project.name, ...cost }];
}

function resultsOf(module: TestModule): Result[] {
  const file = relative(process.cwd(), module.moduleId);
  const results: Result[] = [...module.children.allTests()].map((test) => {
    const { state } = test.result();
    const result = { file, title: test.fullName, state };
    return state === 'skipped' ? { ...result, reason: reasonOf(test) } : result;
  });
  // A file that cannot be loaded has no tests.
  if (module.state() === 'failed' && !results.some(({ state }) => state === 'failed')) {
    results.push({ file, title: 'the file itself', state: 'failed' });
  }
  return results;
}

function reasonOf(test: TestCase): string {
  const result = test.result();
  if (result.state === 'skipped' && result.note !== undefined) return result.note;
  let skipped: TestCase | TestSuite = test;
  for (let task: TestCase | TestSuite | TestModule = test; task.type !== 'module'; ) {
    if (task.options.mode === 'skip') skipped = task;
    task = task.parent;
  }
  const reported = /\(skipped: (.*)\)$/.exec(skipped.name)?.[1];
  if (reported !== undefined) return reported;
  const source = readFileSync(test.module.moduleId, 'utf8');
  return skipCondition(source, skipped.location?.line ?? 1);
}
