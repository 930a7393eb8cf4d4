import { findInstructions } from '../../../../src/questions/instructions.ts';
import type { AssemblyParams, AssemblyResult } from '../messages/messages.ts';
import type { Selected } from '../recording/selected.ts';

/** Weights per instruction of a function whose code the page has got. */
export function computeAssembly(selected: Selected, params: AssemblyParams): AssemblyResult {
  const { recording, asked, weights } = selected;
  return {
    name: recording.funcName[params.func] ?? '',
    ...findInstructions(asked, params.func, params),
    weight: selected.weight,
    unit: weights.unit,
  };
}
