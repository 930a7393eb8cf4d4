// Hot: once per sample of a process that announces bytecode.

import { NONE } from '../../base/brand.ts';
import type { CallerLog } from '../../code/jit/caller-log.ts';
import type { JitCode } from '../../code/jit/jit-code.ts';
import { firstUserEntry } from '../../kernel/perf-event/callchain.ts';
import type { SampleView } from '../../kernel/perf-event/sample.ts';

/**
 * Interpreted functions of a callchain by frame pointers, at the bytecode that they were at while they waited for V8
 * (`CallerLog`). A function's own entry to the interpreter gives way to the bytecode. Where a handler of a bytecode has
 * called, the walk has its return address and leaves the function out: it is put behind it.
 *
 *     recorded   CompileLazy  entry of f  caller of f           recorded   Runtime  handler              caller of f
 *     placed     CompileLazy  bytecode    caller of f           placed     Runtime  handler   bytecode   caller of f
 */
export function placeWaiting(sample: SampleView, jit: JitCode): void {
  const { pid, callchain, callchainLength, timeNs } = sample;
  const callers = jit.callersOf(pid);
  if (callers === null) return;
  // In front of it are a marker, the instruction and the return addresses of two calls at least.
  for (let at = firstUserEntry(callchain, callchainLength) + 3; at + 1 < callchainLength; at++) {
    const bytecode = callers.find(callchain, at, timeNs);
    if (bytecode === NONE) continue;
    // A function behind it is found by the callchain as it was recorded, and goes first.
    placeNext(sample, jit, callers, at);
    placeAt(sample, jit, at, bytecode);
    return;
  }
}

/** Places the function of the same moment behind the one that `callchain[first]` has called. */
function placeNext(sample: SampleView, jit: JitCode, callers: CallerLog, first: number): void {
  const { callchain, callchainLength, timeNs } = sample;
  for (let at = first + 1; at + 1 < callchainLength; at++) {
    const bytecode = callers.find(callchain, at, timeNs);
    if (bytecode === NONE) continue;
    placeAt(sample, jit, at, bytecode);
    return;
  }
}

function placeAt(sample: SampleView, jit: JitCode, at: number, bytecode: number): void {
  const { pid, callchain, callchainLength } = sample;
  if (jit.placeBytecode(pid, bytecode) === NONE) return;
  const own = jit.isCodeAt(pid, callchain[at]) ? at : at + 1;
  if (own > at) {
    if (callchainLength === callchain.length) return;
    callchain.copyWithin(own + 1, own, callchainLength);
    sample.callchainLength = callchainLength + 1;
  }
  // Return addresses are looked up one byte in front.
  callchain[own] = bytecode + 1;
}
