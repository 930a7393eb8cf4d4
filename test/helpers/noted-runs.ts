// The outcome of the programs that a test has run, to be printed where it fails.

let runs: string[] = [];

export function noteRun(run: string): void {
  runs.push(run);
}

/** The runs since the last call; `set-up-file.ts` calls this after each try of a test. */
export function takeRuns(): readonly string[] {
  const taken = runs;
  runs = [];
  return taken;
}
