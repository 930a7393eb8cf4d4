import { seededRandom } from '../helpers/random.ts';
import { isReported, type Target } from './target.ts';

/** What became of a case: read, refused with a reason, or a failure. */
export type Outcome =
  | { readonly kind: 'read' }
  | { readonly kind: 'refused' }
  | { readonly kind: 'failed'; readonly error: unknown };

/** The input of a case: the same for the same target, seeds and number. */
export function makeCase(target: Target, seeds: readonly Uint8Array[], seed: number): Uint8Array {
  return target.mutate(seeds, seededRandom(mixed(seed, 1)), seed);
}

export async function runCase(target: Target, input: Uint8Array, seed: number): Promise<Outcome> {
  try {
    await target.read(input, seededRandom(mixed(seed, 2)));
    return { kind: 'read' };
  } catch (error) {
    return isReported(error) ? { kind: 'refused' } : { kind: 'failed', error };
  }
}

/** Numbers in a row begin rows that look alike; these don't. */
function mixed(seed: number, part: number): number {
  return Math.imul(seed ^ (part << 28), 0x9e3779b1) ^ (seed >>> 7);
}
