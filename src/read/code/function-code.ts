import { NONE } from '../../base/brand.ts';
import {
  type CodePlace,
  disassemblePart,
  MOST_PART_BYTES,
} from '../../code/disassembly/code-part.ts';
import type { CodePart, FunctionAssembly } from '../../code/disassembly/types.ts';
import type { Symbolizer } from '../../code/symbols/symbolizer.ts';
import { totalsOfFrames } from '../../profile/analysis/weight-sums.ts';
import { dsoPlace } from '../../profile/dso-place.ts';
import { type Profile, TIERS } from '../../profile/types.ts';
import {
  type CodeAt,
  CodeSources,
  type CodeSourcesOptions,
  createCodeSymbolizer,
} from './code-sources.ts';
import { loadDecoders } from './decoders.ts';

/** Pieces that are shown; a function of JavaScript that is compiled again and again has more. */
const MOST_PARTS = 16;
/** Bytes decoded of all pieces together; a second or two, on code that is nothing but one-byte instructions eight. */
const MOST_DECODED_BYTES = 2 * MOST_PART_BYTES;

/** Frames in one piece of code. */
type Group = { readonly code: CodeAt; readonly places: CodePlace[]; samples: number };

/** The code behind the frames of one recording. Files are opened when it is asked for, and closed. */
export class FunctionCode {
  readonly #options: CodeSourcesOptions;
  #symbols: Symbolizer | null = null;
  #samplesOfFrame: { readonly profile: Profile; readonly samples: Float64Array } | null = null;

  constructor(options: CodeSourcesOptions) {
    this.#options = options;
  }

  /**
   * The code of what these rows of the frame table lie in, decoded. Throws `FailedError` where the
   * disassembler is not installed.
   */
  async disassemble(profile: Profile, frames: readonly number[]): Promise<FunctionAssembly> {
    const decoderFor = await loadDecoders();
    const samples = this.#countSamples(profile);
    /** Frames without code, by the reason why. */
    const missing = new Map<string, number[]>();
    const miss = (reason: string, lost: readonly number[]) => {
      const known = missing.get(reason) ?? [];
      for (const frame of lost) known.push(frame);
      missing.set(reason, known);
    };
    this.#symbols ??= createCodeSymbolizer(this.#options);
    const sources = new CodeSources(this.#options, profile, this.#symbols);
    try {
      const groups = new Map<string, Group>();
      for (const frame of frames) {
        const count = samples[frame];
        if (count === 0) continue;
        const code = sources.find(frame);
        if (typeof code === 'string') {
          miss(code, [frame]);
          continue;
        }
        const key = `${code.source} ${code.start}`;
        const group = groups.get(key) ?? { code, places: [], samples: 0 };
        groups.set(key, group);
        const offset = profile.frames.address[frame] - code.from;
        group.places.push({ frame, offset, samples: count });
        group.samples += count;
      }
      const most = [...groups.values()].sort((a, b) => b.samples - a.samples);
      for (const { places } of most.slice(MOST_PARTS)) {
        miss(
          `Only the ${MOST_PARTS} pieces of code with most samples are shown.`,
          places.map(({ frame }) => frame),
        );
      }
      let left = MOST_DECODED_BYTES;
      const parts = most.slice(0, MOST_PARTS).map(({ code, places }): CodePart => {
        const first = places[0].frame;
        const limit = Math.min(left, MOST_PART_BYTES);
        left -= Math.min(limit, code.size);
        return disassemblePart(
          {
            ...code,
            dso: dsoPlace(profile.dsos[profile.frames.dso[first]]),
            tier: tierOf(profile, first),
            places,
            limit,
          },
          decoderFor(code.architecture),
        );
      });
      return {
        schema: 'perf-ts/assembly@1',
        parts,
        missing: [...missing].map(([reason, lost]) => ({
          reason,
          samples: countSamplesWithAny(profile, lost),
        })),
      };
    } finally {
      sources.close();
    }
  }

  /** Samples with each frame, a recurring one as often as it does. */
  #countSamples(profile: Profile): Float64Array {
    if (this.#samplesOfFrame?.profile === profile) return this.#samplesOfFrame.samples;
    const { stacks, frames } = profile;
    const below = samplesOfStacks(profile);
    const perFrame = new Float64Array(frames.length);
    // Callers come first, so backwards each row is complete when it is added to its caller.
    for (let row = stacks.length - 1; row >= 0; row--) {
      const count = below[row];
      const frame = stacks.frame[row];
      const caller = stacks.prefix[row];
      perFrame[frame] = perFrame[frame] + count;
      if (caller !== NONE) below[caller] = below[caller] + count;
    }
    this.#samplesOfFrame = { profile, samples: perFrame };
    return perFrame;
  }
}

/** Samples with any of `frames` on their stack, each counted once. */
function countSamplesWithAny(profile: Profile, frames: readonly number[]): number {
  const isAny = new Int32Array(profile.frames.length).fill(NONE);
  for (const frame of frames) isAny[frame] = 0;
  return totalsOfFrames(profile, samplesOfStacks(profile), isAny, 1)[0];
}

function samplesOfStacks({ samples, stacks }: Profile): Float64Array {
  const counts = new Float64Array(stacks.length);
  for (let i = 0; i < samples.length; i++) {
    const stack = samples.stack[i];
    if (stack !== NONE) counts[stack] = counts[stack] + 1;
  }
  return counts;
}

function tierOf({ frames }: Profile, frame: number): string {
  const tier = frames.tier[frame];
  return tier === 0 ? '' : (TIERS[tier] ?? '');
}
