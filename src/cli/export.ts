import { closeSync, openSync } from 'node:fs';
import { FailedError } from '../base/errors.ts';
import { printable } from '../base/printable.ts';
import { weightTitle } from '../export/weight-title.ts';
import type { WeightKind } from '../profile/types.ts';
import { type ExportFormat, exportProfile } from '../session/export-profile.ts';
import { say } from './failure.ts';
import { loadForCommand } from './load.ts';
import { writeTo } from './stdout.ts';

/** `perf-ts export`: the profile in the format of another tool. */
export async function runExport(
  path: string,
  flags: {
    format: ExportFormat;
    output: string;
    weight?: WeightKind;
    event?: string;
    title?: string;
    strict?: boolean;
    verbose?: boolean;
  },
): Promise<void> {
  const opened = await loadForCommand(path, flags);
  const { events } = opened.profile;
  const fd = flags.output === '-' ? 1 : openOutput(flags.output);
  try {
    exportProfile(opened, flags.format, flags, (text) => writeTo(fd, Buffer.from(text)));
  } finally {
    if (fd !== 1) closeSync(fd);
  }
  if (!flags.verbose && events.length <= 1) return;
  const shown = flags.event ?? (flags.format === 'folded' ? events[0]?.name : 'all events');
  const weights = opened.weights(flags.weight);
  say(`perf-ts: ${flags.format} of ${printable(shown ?? '')}, weighed by ${weightTitle(weights)}`);
}

function openOutput(path: string): number {
  try {
    return openSync(path, 'w', 0o600);
  } catch (error) {
    throw new FailedError(`cannot write ${path}: ${(error as Error).message}`);
  }
}
