import { STOP, STOP_NAMES } from '../../code/unwind/stop-reason.ts';
import type { Advice } from '../../findings/judge-sampling.ts';
import type { CutStacks } from '../../profile/analysis/stacks/completeness.ts';
import type { Profile } from '../../profile/types.ts';
import { CHAIN_ENDS, CHAIN_IS_FULL, LBR_ENDS, LBR_IS_FULL } from './stack-roots.ts';

/** The remedy for stacks that are cut for this reason; null if there is none. */
export function adviceForCut({ reason, dso }: CutStacks, profile: Profile): Advice | null {
  switch (reason) {
    case CHAIN_ENDS:
      return {
        text: isOfSystem(profile, dso) ? null : 'build with -fno-omit-frame-pointer',
        command: hadStackDumps(profile) ? null : recordWith('auto'),
      };
    case CHAIN_IS_FULL:
      return { text: 'raise kernel.perf_event_max_stack', command: recordWith('dwarf') };
    case LBR_IS_FULL:
    case LBR_ENDS:
      return { text: null, command: recordWith('auto') };
    case STOP_NAMES[STOP.STACK_CUT]:
      return { text: null, command: recordWith('dwarf,65528') };
    case STOP_NAMES[STOP.NO_TABLE]:
      return profile.dsos[dso]?.kind === 'jit'
        ? { text: 'JIT code must keep frame pointers', command: null }
        : {
            text: 'build with -fasynchronous-unwind-tables; the very file that ran must be at hand',
            command: null,
          };
    default:
      return null;
  }
}

/** The remedy as part of a line; null if there is none. */
export function adviceTextForCut(cut: CutStacks, profile: Profile): string | null {
  const advice = adviceForCut(cut, profile);
  if (advice === null) return null;
  return [advice.command, advice.text].filter((part) => part !== null).join(', or ');
}

/** The place where these stacks end, in words; the kernel calls memory of no file `//anon`. */
export function placeOfCut({ dsos }: Profile, { dso }: CutStacks): string {
  const name = dsos[dso]?.name ?? 'no mapping';
  return name === '//anon' ? 'memory of no file' : name;
}

function recordWith(callGraph: string): string {
  return `perf-ts record --call-graph ${callGraph} -- COMMAND`;
}

/** Whether a file came with the system, so that nobody builds it for a profile. */
function isOfSystem({ dsos }: Profile, dso: number): boolean {
  return /^\/(?:usr\/)?lib/.test(dsos[dso]?.path ?? '');
}

/** Whether the recording was made with stack dumps, which are gone once they are unwound. */
function hadStackDumps({ meta }: Profile): boolean {
  const { commandLine } = meta;
  const end = commandLine.indexOf('--');
  const own = commandLine.slice(0, end < 0 ? undefined : end).join(' ');
  return /\s--call-graph[=\s](?:auto|dwarf)\b/.test(own);
}
