import { NONE } from '../../base/brand.ts';
import type { DsoKind } from '../../profile/types.ts';
import type { FoldedStacks, StackFoldInput } from './stack-fold.ts';
import { IN_START, nextStage } from './start-stage.ts';
import { startUpOf } from './start-up.ts';

const USER_CODE: ReadonlySet<DsoKind> = new Set(['user', 'jit', 'vdso']);

/**
 * Stacks from `main` and thread functions on: what leads there is left out, unless it is all that there
 * is. No sample loses its innermost frame, so selfs stay.
 *
 *     _start → __libc_start_main → main → work   ──▶  main → work
 *     clone3 → start_thread → [kernel]           ──▶  start_thread → [kernel]
 */
export function foldStartUp(input: StackFoldInput): FoldedStacks {
  const { profile, builder, isNeeded } = input;
  const { stacks, frames, funcs, strings, dsos } = profile;
  const startUps = Array.from(funcs.name, (name, func) =>
    startUpOf(strings[name], dsos[funcs.dso[func]]?.name ?? ''),
  );
  const isUser = Array.from(funcs.dso, (dso, func) => {
    const kind = dsos[dso]?.kind;
    return kind === undefined ? !strings[funcs.name[func]].startsWith('[') : USER_CODE.has(kind);
  });
  const newStack = new Int32Array(stacks.length).fill(NONE);
  const stages = new Uint8Array(stacks.length);
  // Hot: once per stack row. Prefixes come first, so theirs are known.
  for (let row = 0; row < stacks.length; row++) {
    if (isNeeded[row] === 0) continue;
    const prefix = stacks.prefix[row];
    const frame = stacks.frame[row];
    const func = frames.func[frame];
    const stage = prefix === NONE ? IN_START : stages[prefix];
    stages[row] = nextStage(stage, startUps[func]);
    const leadsIn = stages[row] === IN_START || (stage === IN_START && isUser[func]);
    const caller = leadsIn || prefix === NONE ? NONE : newStack[prefix];
    newStack[row] = builder.intern(caller, frame);
  }
  return { newStack };
}
