import { STOP, STOP_NAMES } from '../../code/unwind/stop-reason.ts';
import type { CutStacks } from '../../profile/analysis/completeness.ts';
import type { Profile } from '../../profile/types.ts';
import { CHAIN_ENDS, CHAIN_IS_FULL, LBR_ENDS, LBR_IS_FULL } from './stack-roots.ts';

/** The remedy for stacks that are cut for this reason, as part of a sentence; null if there is none. */
export function adviceForCut({ reason, dso }: CutStacks, profile: Profile): string | null {
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
      return 'they have no calls from before the recording; record --call-graph auto has';
    case STOP_NAMES[STOP.STACK_CUT]:
      return 'copy more of the stack: record --call-graph dwarf,65528';
    case STOP_NAMES[STOP.NO_TABLE]:
      return profile.dsos[dso]?.kind === 'jit'
        ? 'JIT code must keep frame pointers'
        : 'build with -fasynchronous-unwind-tables; the very file that ran must be at hand';
    default:
      return null;
  }
}

/** Whether the recording was made with stack dumps, which are gone once they are unwound. */
function hadStackDumps({ meta }: Profile): boolean {
  const { commandLine } = meta;
  const end = commandLine.indexOf('--');
  const own = commandLine.slice(0, end < 0 ? undefined : end).join(' ');
  return /\s--call-graph[=\s](?:auto|dwarf)\b/.test(own);
}
