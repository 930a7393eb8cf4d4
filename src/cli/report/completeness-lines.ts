import { formatCount, formatShare } from '../../base/numbers.ts';
import { printable } from '../../base/printable.ts';
import { STOP, STOP_NAMES } from '../../code/unwind/stop-reason.ts';
import type { Completeness, CutStacks } from '../../profile/analysis/completeness.ts';
import type { OpenedProfile } from '../../read/open-profile.ts';
import { CHAIN_ENDS, CHAIN_IS_FULL, LBR_ENDS, LBR_IS_FULL } from '../../read/unwind/stack-roots.ts';

/** More cut stacks than this are worth a line. */
const WORTH_TELLING = 0.01;
const MOST_ROWS = 10;

/** Why stacks end early, and what to do: nothing while 99 % are complete, unless `isVerbose`. */
export function completenessLines(opened: OpenedProfile, isVerbose: boolean): string[] {
  const { completeness } = opened;
  if (completeness === null || completeness.samples === 0) return [];
  const { samples, complete, unknown, cut } = completeness;
  const cutSamples = samples - complete - unknown;
  if (!isVerbose && cutSamples < WORTH_TELLING * samples) return [];
  const unknownText =
    unknown === 0 ? '' : `, ${formatShare(unknown / samples)} unknown (no symbols)`;
  const head = `# stacks: ${formatShare(complete / samples)} of ${formatCount(samples)} are complete${unknownText}`;
  if (isVerbose)
    return [head, ...cut.slice(0, MOST_ROWS).map((row) => `#   ${cutLine(opened, row)}`)];
  const [most] = cut;
  return most === undefined ? [head] : [`${head}; ${cutLine(opened, most)}`];
}

function cutLine(opened: OpenedProfile, cut: CutStacks): string {
  const { reason, dso, samples } = cut;
  const share = formatShare(samples / (opened.completeness as Completeness).samples);
  const advice = adviceFor(cut, opened);
  return (
    `${share} end in ${printable(shownName(opened, dso))}: ${reason}` +
    (advice === null ? '' : ` (${advice})`)
  );
}

function nameOf({ profile }: OpenedProfile, dso: number): string {
  return profile.dsos[dso]?.name ?? 'no mapping';
}

/** The kernel calls memory of no file `//anon`. */
function shownName(opened: OpenedProfile, dso: number): string {
  const name = nameOf(opened, dso);
  return name === '//anon' ? 'memory of no file' : name;
}

/** Whether the recording was made with stack dumps, which are gone once they are unwound. */
function hadStackDumps({ meta }: OpenedProfile['profile']): boolean {
  const { commandLine } = meta;
  const end = commandLine.indexOf('--');
  const own = commandLine.slice(0, end < 0 ? undefined : end).join(' ');
  return /\s--call-graph[=\s](?:auto|dwarf)\b/.test(own);
}

/** What helps against stacks being cut for this reason; null if nothing does. */
function adviceFor({ reason, dso }: CutStacks, { profile }: OpenedProfile): string | null {
  switch (reason) {
    case CHAIN_ENDS:
      return hadStackDumps(profile)
        ? 'build with -fno-omit-frame-pointer'
        : 'record with --call-graph auto, or build with -fno-omit-frame-pointer';
    case CHAIN_IS_FULL:
      return 'raise kernel.perf_event_max_stack, or record with --call-graph dwarf';
    case LBR_IS_FULL:
      return 'record with --call-graph auto, which has no such limit';
    case LBR_ENDS:
      return 'they have no calls from before the recording; --call-graph auto has';
    case STOP_NAMES[STOP.STACK_CUT]:
      return 'copy more of the stack: --call-graph dwarf,65528';
    case STOP_NAMES[STOP.NO_TABLE]:
      return profile.dsos[dso]?.kind === 'jit'
        ? 'JIT code must keep frame pointers'
        : 'build with -fasynchronous-unwind-tables; the very file that ran must be at hand';
    default:
      return null;
  }
}

/** The same as JSON: shares are 0…1. Null where no event records stacks. */
export function completenessJson(opened: OpenedProfile): object | null {
  const { completeness } = opened;
  if (completeness === null) return null;
  const { samples, complete, unknown, cut } = completeness;
  return {
    samples,
    complete,
    unknown,
    share: samples === 0 ? null : complete / samples,
    cut: cut.map((row) => ({
      reason: row.reason,
      dso: nameOf(opened, row.dso),
      samples: row.samples,
      advice: adviceFor(row, opened),
    })),
  };
}
