import type { Command } from 'commander';
import { UsageError } from '../../base/errors.ts';
import { EXIT } from '../../base/exit-status.ts';
import { printable } from '../../base/printable.ts';
import { examineBinary } from '../../tools/doctor/binary-checks.ts';
import type { Check, CheckState, DoctorReport } from '../../tools/doctor/check.ts';
import { doctor } from '../../tools/doctor/examine.ts';
import { type DefaultsInForce, defaultsInForce } from '../defaults/defaults-in-force.ts';
import { defaultWords } from '../defaults/find-default.ts';
import { createPaint } from '../render/paint.ts';
import { formatTable, type TextTableOptions } from '../render/table.ts';
import { tableLook } from '../shared/colour.ts';
import { printJson, writeText } from '../shared/stdout.ts';
import { runClean } from './clean.ts';
import type { DoctorFlags } from './doctor-options.ts';
import { runSelftest } from './selftest.ts';

/** The document of `doctor --json`; the defaults are absent in the report on a binary. */
export type DoctorDocument = DoctorReport & { readonly defaults?: DefaultsInForce };

/** `perf-ts doctor`: what stands in the way here, or in one program or library, and the fixes. */
export async function runDoctor(
  flags: DoctorFlags,
  commands: readonly Command[],
  binary?: string,
): Promise<void> {
  if (flags.selftest && binary !== undefined) {
    throw new UsageError('--selftest is about this machine: leave the file out');
  }
  if (flags.clean && (flags.selftest || binary !== undefined)) {
    throw new UsageError('--clean is about leftovers: leave --selftest and the file out');
  }
  if (flags.selftest) return runSelftest(flags);
  const stray = (['event', 'quick', 'output'] as const).find((name) => flags[name] !== undefined);
  if (stray !== undefined) throw new UsageError(`--${stray} belongs to doctor --selftest`);
  if (flags.dryRun && !flags.clean) throw new UsageError('--dry-run belongs to doctor --clean');
  if (flags.clean) return runClean(flags);
  const report =
    binary === undefined
      ? { ...doctor(), defaults: defaultsInForce(commands) }
      : examineBinary(binary);
  if (flags.json) printJson(report);
  else writeText(`${formatDoctor(report, tableLook()).join('\n')}\n`);
  process.exitCode = report.ready ? EXIT.OK : EXIT.NOT_OK;
}

/** The checks as a table, the fixes of those that did not pass, the user's defaults. */
export function formatDoctor(
  report: DoctorDocument,
  look: Pick<TextTableOptions, 'colour' | 'columns'>,
): string[] {
  const { green, yellow, red } = createPaint(look.colour === true);
  const paint: Record<CheckState, (text: string) => string> = {
    ok: green,
    warn: yellow,
    fail: red,
  };
  const rows = report.checks.map(({ name, state, found }) => [state, name, printable(found)]);
  const [header = '', ...lines] = formatTable(['', 'check', 'found'], rows, {
    ...look,
    wraps: true,
  });
  // A line that goes on with the one above has no state.
  const painted = lines.map((line) =>
    line.replace(/^(?:ok|warn|fail)\b/, (state) => paint[state as CheckState](state)),
  );
  const open = report.checks.filter(({ state }) => state !== 'ok');
  return [
    header,
    ...painted,
    ...open.flatMap(explain),
    ...(report.defaults === undefined ? [] : ['', ...defaultLines(report.defaults)]),
    '',
    closing(report, open.length),
  ];
}

const FILE_STATE = {
  read: 'is read',
  absent: 'does not exist',
  refused: 'is not read',
} as const;

const MOST_LISTED = 4;

function shortList(names: readonly string[]): string {
  if (names.length <= MOST_LISTED) return names.join(', ');
  return `${names.slice(0, MOST_LISTED - 1).join(', ')} and ${names.length - MOST_LISTED + 1} others`;
}

/** One line for the file, and one for each default, with the commands that it holds for. */
function defaultLines({ file, values }: DefaultsInForce): string[] {
  const place =
    file.path === null
      ? 'no file of defaults: neither HOME nor XDG_CONFIG_HOME says where it is'
      : `${printable(file.path)} ${FILE_STATE[file.state]}`;
  if (values.length === 0) return [`defaults of options: none (${place}; no PERF_TS_* sets one)`];
  const rows = values.map(({ option, value, from, commands }) => [
    `  ${printable(defaultWords(`--${option}`, value))}`,
    shortList(commands),
    printable(from),
  ]);
  const [, ...lines] = formatTable(['', '', ''], rows, { colour: false });
  return [`defaults of options (${place}):`, ...lines];
}

function explain({ name, matters, fix }: Check): string[] {
  return ['', `${name}: ${printable(matters)}`, ...fix.map((line) => `  ${printable(line)}`)];
}

function closing({ ready }: DoctorReport, open: number): string {
  if (!ready) return 'not ready: what failed above has to be mended first';
  return open === 0 ? 'ready' : 'ready, with the limits above';
}
