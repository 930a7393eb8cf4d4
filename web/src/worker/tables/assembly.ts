import { NONE } from '../../../../src/base/brand.ts';
import { computeInstructionWeights } from '../../../../src/profile/analysis/instruction-weights.ts';
import type { AssemblyParams, AssemblyResult } from '../messages/messages.ts';
import type { Selected } from '../recording/selected.ts';

/** Weights per instruction of a function whose code the page has got. */
export function computeAssembly(selected: Selected, params: AssemblyParams): AssemblyResult {
  const { recording, profile, weights, samples } = selected;
  const { func, frames, instructions, count } = params;
  const frameToInstruction = new Int32Array(profile.frames.length).fill(NONE);
  for (let i = 0; i < frames.length; i++) {
    const at = instructions[i];
    if (at >= 0 && at < count) frameToInstruction[frames[i]] = at;
  }
  const columns = computeInstructionWeights(
    profile,
    weights,
    samples,
    func,
    frameToInstruction,
    count,
  );
  let weight = 0;
  for (let i = 0; i < samples.length; i++) weight += weights.values[samples[i]];
  return {
    name: recording.funcName[func] ?? '',
    ...columns,
    weight,
    unit: weights.unit,
  };
}
