// All faults of a scenario, one run each.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { countCalls, type Fault } from './cases.ts';
import { type Earlier, judge } from './judge.ts';
import { compileInject, type FaultRun, runFault } from './run-fault.ts';
import type { Scenario } from './scenarios.ts';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

export type Verdict = { readonly run: FaultRun; readonly problems: readonly string[] };

/** A folder with the recordings that stand where a run writes its own. */
export class Bench {
  readonly #place: string;
  readonly #paths: { readonly data: string; readonly old: string };
  readonly #earlier: Earlier;
  readonly #normal = new Map<string, FaultRun>();

  constructor() {
    compileInject();
    this.#place = mkdtempSync(join(root, 'test/build/earlier-'));
    const [data, old] = ['data', 'old'].map((name) => join(this.#place, name)) as [string, string];
    const words = [
      'record',
      '-q',
      '-g',
      '-o',
      data,
      '--',
      '/bin/sh',
      '-c',
      'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done',
    ];
    execFileSync(process.execPath, [join(root, 'dist/bin/main.js'), ...words], { stdio: 'ignore' });
    const bytes = readFileSync(data);
    writeFileSync(old, Buffer.concat([bytes, Buffer.from('older')]));
    this.#paths = { data, old };
    this.#earlier = { data: bytes, old: readFileSync(old) };
  }

  /** The run without a fault. */
  async normal(scenario: Scenario): Promise<FaultRun> {
    const known = this.#normal.get(scenario.name);
    if (known !== undefined) return known;
    const run = await runFault(scenario, null, this.#paths);
    this.#normal.set(scenario.name, run);
    return run;
  }

  /** Keys of its calls with their numbers. */
  async calls(scenario: Scenario): Promise<Map<string, number>> {
    return countCalls((await this.normal(scenario)).log);
  }

  async try(scenario: Scenario, fault: Fault | null): Promise<Verdict> {
    const normal = await this.normal(scenario);
    const run = fault === null ? normal : await runFault(scenario, fault, this.#paths);
    return { run, problems: judge(scenario, run, normal, this.#earlier) };
  }

  close(): void {
    rmSync(this.#place, { recursive: true, force: true });
  }
}
