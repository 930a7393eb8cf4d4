import type { Command } from 'commander';
import { nearestName } from '../../base/nearest-names.ts';
import { printable } from '../../base/printable.ts';
import { configurableOptions, PREFIX, variablesOf } from './find-default.ts';

/** Variables that are settings without being defaults of options; docs/reference/environment.md explains them. */
export const SETTINGS: readonly string[] = ['DEBUG', 'NO_CACHE', 'PROGRESS_MS'];

/**
 * Variables that nobody sets by hand: a recording sets the first one for the programs that it starts, and they
 * for their children; the others delay the addon in tests.
 */
export const INTERNAL: readonly string[] = ['SESSION', 'DRAIN_HOLD_MS', 'ZSTD_HOLD_MS'];

/** Variables of the project's own tests and benchmarks, which the commands that they run inherit. */
const OF_TESTS: readonly string[] = [
  'CHDB',
  'CLI',
  'CORPORA',
  'CUTS',
  'DIST',
  'FUZZ',
  'FUZZ_FILES',
  'FUZZ_SEED',
  'FUZZ_TASK',
  'INSTALLED',
  'LAUNCH_TEST',
  'NODES',
  'OTELCOL',
  'RESULTS',
  'WRITE_SCREENS',
  'ZIG',
];
const TEST_PREFIX = 'TEST_';

/** A line for each variable of the environment that has our prefix and that no command reads. */
export function unknownVariables(
  environment: NodeJS.ProcessEnv,
  commands: readonly Command[],
): string[] {
  const given = Object.keys(environment)
    .filter((name) => name.startsWith(PREFIX) && environment[name] !== '')
    .map((name) => name.slice(PREFIX.length));
  if (given.length === 0) return [];
  const meant = [...SETTINGS, ...defaultNames(commands)];
  const known = new Set([...meant, ...INTERNAL, ...OF_TESTS]);
  return given
    .filter((name) => !known.has(name) && !name.startsWith(TEST_PREFIX))
    .map((name) => {
      const nearest = nearestName(name, meant);
      const advice = nearest === undefined ? '' : ` (did you mean ${PREFIX}${nearest}?)`;
      return (
        `${PREFIX}${printable(name)} is set, and perf-ts knows no variable of that name${advice}: ` +
        'perf-ts doctor shows what is in force, docs/reference/configuration.md lists all'
      );
    });
}

/** Names of the variables that are defaults, without the prefix: `FREQ`, `RECORD_FREQ`. */
function defaultNames(commands: readonly Command[]): string[] {
  const names = commands.flatMap((command) =>
    configurableOptions(command).flatMap((option) => variablesOf(command.name(), option.name())),
  );
  return [...new Set(names)].map((name) => name.slice(PREFIX.length));
}
