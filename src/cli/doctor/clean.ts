import { formatBytes } from '../../base/numbers.ts';
import { printable } from '../../base/printable.ts';
import { findLeftovers, ownPlaces } from '../../tools/leftovers/find-leftovers.ts';
import type { Leftover } from '../../tools/leftovers/leftover.ts';
import { removeLeftover } from '../../tools/leftovers/remove-leftovers.ts';
import { printJson, writeText } from '../shared/stdout.ts';
import type { DoctorFlags } from './doctor-options.ts';

/** Rows of what stays; a machine where perf is in daily use has thousands of maps. */
const MOST_KEPT = 20;

/** `perf-ts doctor --clean`: what was left by processes that were killed, removed unless it is a dry run. */
export async function runClean({ json, dryRun = false }: DoctorFlags): Promise<void> {
  const found = await findLeftovers(ownPlaces());
  const judged = dryRun ? found : found.map(removeLeftover);
  if (json) {
    printJson(leftoversDocument(judged, dryRun));
  } else {
    writeText(`${formatClean(judged, dryRun).join('\n')}\n`);
  }
}

/** The document of `--json`. */
export function leftoversDocument(judged: readonly Leftover[], isDryRun: boolean) {
  const leftovers = judged.map(({ kind, path, bytes, of, kept }) => ({
    kind,
    path,
    bytes,
    of,
    state: stateOf(kept, isDryRun),
    why: kept,
  }));
  return { schema: 'perf-ts/leftovers@1' as const, leftovers };
}

function stateOf(kept: string | null, isDryRun: boolean): 'kept' | 'removable' | 'removed' {
  if (kept !== null) return 'kept';
  return isDryRun ? 'removable' : 'removed';
}

/** A line each, what stays last and with its reason; then the sums. */
function formatClean(judged: readonly Leftover[], isDryRun: boolean): string[] {
  const gone = judged.filter(({ kept }) => kept === null);
  const kept = judged.filter(({ kept }) => kept !== null);
  const done = isDryRun ? 'would remove' : 'removed';
  const line = ({ kind, path, of }: Leftover): string =>
    `${printable(path)}  ${kind} of ${printable(of)}`;
  const shown = kept.slice(0, MOST_KEPT).map((it) => `kept  ${line(it)}: ${it.kept}`);
  if (kept.length > MOST_KEPT) {
    shown.push(`kept  ${kept.length - MOST_KEPT} more of these (--json lists all)`);
  }
  const bytes = gone.reduce((sum, it) => sum + it.bytes, 0);
  const sum =
    gone.length === 0
      ? 'nothing was left behind that is provably ours'
      : `${done} ${gone.length} of ours, ${formatBytes(bytes)}`;
  const rest =
    kept.length === 0 ? '' : `; ${kept.length} kept: remove them yourself if nobody needs them`;
  return [...gone.map((it) => `${done}  ${line(it)}`), ...shown, `${sum}${rest}`];
}
