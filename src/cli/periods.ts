import { UsageError } from '../base/errors.ts';
import { wantsColour } from './colour.ts';
import { loadForCommand } from './load.ts';
import { formatPeriods } from './render/periods-text.ts';
import { printJson, writeOut } from './stdout.ts';

/** `perf-ts periods`: how the kernel's adaptive period behaved, and what was lost. */
export async function runPeriods(
  path: string,
  flags: { streams: string; json?: boolean; strict?: boolean; verbose?: boolean },
): Promise<void> {
  const streams = flags.streams === 'all' ? 'all' : Number(flags.streams);
  if (streams !== 'all' && !(Number.isInteger(streams) && streams > 0)) {
    throw new UsageError(`--streams ${flags.streams}: expected a number above 0, or all`);
  }
  const opened = await loadForCommand(path, { ...flags, symbols: false });
  const report = opened.periods({ streams });
  if (flags.json) printJson(report);
  else writeOut(`${formatPeriods(report, { colour: wantsColour() }).join('\n')}\n`);
}
