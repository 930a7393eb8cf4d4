// Reads what core-run.mjs prints on one kernel or several, and prints it for people.

/** Results of one kernel. */
export class CoreRun {
  #name;
  #results = [];
  #missing = new Set();
  /** Whether the cases came to their end; without, those that are not there were not run. */
  isFinished = false;

  constructor(name) {
    this.#name = name;
  }

  /** The kernel's release, once it is known. */
  get kernel() {
    return this.#results[0]?.kernel ?? this.#name;
  }

  get cases() {
    return this.#results.map(({ name }) => name);
  }

  /** Sentences with which perf-ts reported what the kernel lacks, each once. */
  get missing() {
    return [...this.#missing];
  }

  get isOk() {
    return this.isFinished && this.#results.every(({ isOk }) => isOk);
  }

  /** Prints what a line of core-run.mjs reports. Other lines are printed as they are. */
  take(line) {
    if (!line.startsWith('{"name"')) {
      console.log(`  ${line}`);
      return;
    }
    const result = JSON.parse(line);
    this.#results.push(result);
    const mark = result.isOk ? 'ok    ' : 'not ok';
    console.log(`  ${mark} ${result.name} (${result.seconds.toFixed(1)} s): ${result.found}`);
    for (const sentence of result.missing) this.#missing.add(sentence);
  }

  markOf(name) {
    const result = this.#results.find((one) => one.name === name);
    if (result === undefined) return '-';
    return result.isOk ? 'ok' : 'not ok';
  }
}

/** A row for each case and a column for each kernel; then what each kernel lacks. */
export function printTable(runs) {
  const cases = [...new Set(runs.flatMap((run) => run.cases))];
  const width = Math.max(0, ...cases.map((name) => name.length));
  const row = (first, cells) => {
    const padded = cells.map((cell, i) => cell.padEnd(runs[i].kernel.length));
    return [first.padEnd(width), ...padded].join('  ').trimEnd();
  };
  const heads = runs.map(({ kernel }) => kernel);
  console.log(`\n${row('', heads)}`);
  for (const name of cases) {
    const marks = runs.map((run) => run.markOf(name));
    console.log(row(name, marks));
  }
  for (const { kernel, isFinished, missing } of runs) {
    if (!isFinished) console.log(`\n${kernel}: the run did not come to its end`);
    if (missing.length > 0) console.log(`\n${kernel}, as perf-ts reports:`);
    for (const sentence of missing) console.log(`- ${sentence}`);
  }
}
