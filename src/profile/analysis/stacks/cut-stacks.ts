import { NONE } from '../../../base/brand.ts';
import { lookUpNarrow } from '../../../base/narrow-column.ts';
import { MARKER_DEPTH } from '../../frame-table.ts';
import { isUnnamed } from '../../func-table.ts';
import { StackTableBuilder } from '../../stack-table.ts';
import type { FrameTable, Profile } from '../../types.ts';

/** The marker frame at the root of stacks whose callers are missing. */
export const TRUNCATED_FUNC_NAME = '[truncated]';

/** The frame of lost samples has −1. */
const FIRST_MARKER_ADDRESS = -2;
const NO_REASON = -1;

/** Address of the marker frame for stacks cut for `reason`, 0 or more. It lies in no DSO. */
export function markerAddress(reason: number): number {
  return FIRST_MARKER_ADDRESS - reason;
}

/** Facts about the outermost frames of stacks. */
export type RootFacts = {
  /** 1 for frames at which unwinding found the end of a stack. By frame; may be shorter. */
  readonly rootFrames: Uint8Array;
  /** The reason to be noted for a callchain, followed by the kernel, that ends at no root. */
  readonly chainReason: number;
  /** The reason to be noted where its outermost function has no name, so that nobody can tell. */
  readonly unnamedReason: number;
};

/**
 * Functions that nothing called: where the kernel starts a program or thread, and those of the C
 * library around `main` and thread functions, to which a chain of frame pointers leads at best.
 */
const ROOT_FUNCS = new RegExp(
  `^(?:${[
    '_start|_start_c|__start|_dl_start_user|_dl_start',
    '__libc_start_main(?:_impl)?|__libc_start_call_main|libc_start_main_stage2',
    // thread_start is the part of glibc's clone that runs in the new thread, on arm64.
    '(?:__GI_)?(?:__)?clone3?|start_thread|thread_start|ret_from_fork|ret_from_fork_asm',
    'runtime\\.(?:goexit|mstart|rt0_go|mcall|systemstack)(?:\\.abi0)?',
    '_rt0_(?:amd64|arm64)(?:_linux)?',
  ].join('|')})(?:@.*)?$`,
);

/**
 * Functions that only the start of a program or thread calls. What called them is a root also where it has no name: the C
 * libraries of distributions are stripped. Node's `main` leaves its frame to `node::Start`.
 */
const STARTED_FUNCS =
  /^(?:main|node::Start\(.*|node::\(anonymous namespace\)::PlatformWorkerThread\(.*|node::worker::Worker::StartThread\(.*|perf_ts::Sender::Main\(.*)$/;
/** The threads of libuv's pool, in the programs that have it built in; others have functions of that name as well. */
const POOL_THREAD = /^worker in node[\w.-]*$/;

/** Whether a stack that begins with the function `name` is whole. */
export function isRootFunc(name: string): boolean {
  return ROOT_FUNCS.test(name);
}

/** Whether each stack is whole, by its row. */
export type StackEnds = {
  /** Row of the outermost frame of code, markers aside; a marker's own row is its own. */
  readonly outermost: Int32Array;
  /** Row of the outermost frame that lies in a DSO; −1: none does. */
  readonly outermostMapped: Int32Array;
  /** The reason why the callers of that frame are missing; −1: none are. */
  readonly reason: Int32Array;
};

/** Follows every stack to its outermost frame; one forward pass, as prefixes come first. */
export function findStackEnds(profile: Profile, facts: RootFacts): StackEnds {
  const { stacks, frames } = profile;
  const outermost = new Int32Array(stacks.length);
  const outermostMapped = new Int32Array(stacks.length);
  const reason = new Int32Array(stacks.length);
  for (let row = 0; row < stacks.length; row++) {
    const prefix = stacks.prefix[row];
    const isOutermost = prefix === NONE || isMarker(frames, stacks.frame[prefix]);
    outermost[row] = isOutermost ? row : outermost[prefix];
    const callers = isOutermost ? NONE : outermostMapped[prefix];
    const isMapped = frames.dso[stacks.frame[row]] !== NONE;
    outermostMapped[row] = callers === NONE && isMapped ? row : callers;
    if (isOutermost) reason[row] = reasonOf(profile, facts, row);
    else {
      const isBelowUnnamed = reason[prefix] === facts.unnamedReason && outermost[row] === prefix;
      reason[row] = isBelowUnnamed && isStarted(profile, row) ? NO_REASON : reason[prefix];
    }
  }
  return { outermost, outermostMapped, reason };
}

/** Whether `frame` stands for missing callers. */
function isMarker({ inlineDepth, address }: FrameTable, frame: number): boolean {
  return inlineDepth[frame] === MARKER_DEPTH && address[frame] <= FIRST_MARKER_ADDRESS;
}

/** Whether the frame of `row` is one that only a root calls. */
function isStarted({ stacks, frames, funcs, strings, dsos }: Profile, row: number): boolean {
  const frame = stacks.frame[row];
  const name = strings[funcs.name[frames.func[frame]]];
  const dso = frames.dso[frame];
  return (
    STARTED_FUNCS.test(name) || (dso !== NONE && POOL_THREAD.test(`${name} in ${dsos[dso].name}`))
  );
}

/** `row` is that of an outermost frame. */
function reasonOf(profile: Profile, facts: RootFacts, row: number): number {
  const { stacks, frames, funcs, strings, dsos } = profile;
  const frame = stacks.frame[row];
  if (frames.inlineDepth[frame] === MARKER_DEPTH || facts.rootFrames[frame] === 1) return NO_REASON;
  const dso = frames.dso[frame];
  const kind = dso === NONE ? null : dsos[dso]?.kind;
  if (kind === 'kernel' || kind === 'module') return NO_REASON;
  const name = strings[funcs.name[frames.func[frame]]];
  if (isRootFunc(name)) return NO_REASON;
  const prefix = stacks.prefix[row];
  if (prefix === NONE) {
    const mayBeRoot = isUnnamed(name) && dso !== NONE;
    return mayBeRoot ? facts.unnamedReason : facts.chainReason;
  }
  return FIRST_MARKER_ADDRESS - frames.address[stacks.frame[prefix]];
}

/**
 * The profile without the marker where a stack turned out to be whole: its outermost function is a root by
 * name. Such a stack may be one that others have without it.
 */
export function unmarkWholeStacks(profile: Profile, { outermost, reason }: StackEnds): Profile {
  const { stacks, samples, lostStack, askedIn } = profile;
  const isMarked = (row: number) => stacks.prefix[row] !== NONE && outermost[row] === row;
  if (!reason.some((found, row) => found === NO_REASON && isMarked(row))) return profile;
  const builder = new StackTableBuilder();
  const newStack = new Int32Array(stacks.length);
  for (let row = 0; row < stacks.length; row++) {
    const isUnmarked = reason[row] === NO_REASON && isMarked(row);
    const prefix = isUnmarked ? NONE : stacks.prefix[row];
    newStack[row] = builder.intern(prefix === NONE ? NONE : newStack[prefix], stacks.frame[row]);
  }
  return {
    ...profile,
    stacks: builder.finish(),
    samples: { ...samples, stack: lookUpNarrow(samples.stack, newStack, builder.length) },
    ...(askedIn && { askedIn: askedIn.map((row) => newStack[row]) }),
    lostStack: (lostStack === NONE ? NONE : newStack[lostStack]) as Profile['lostStack'],
  };
}
