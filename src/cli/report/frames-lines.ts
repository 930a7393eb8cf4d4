import { formatShare } from '../../base/numbers.ts';
import { IDLE_LOOP, IDLE_THREADS } from '../../code/javascript/fold-native.ts';
import type { Profile, Weights } from '../../profile/types.ts';
import type { AnalysedProfile } from '../../read/outputs/analysed-profile.ts';
import { FOLDED, shownFrames } from '../../read/outputs/recording-head.ts';

/** Which frames are not shown, and the option that shows them; nothing where all are. */
export function framesLines(opened: AnalysedProfile): string[] {
  const shown = shownFrames(opened);
  return FOLDED[shown] === null ? [] : [`# frames: ${FOLDED[shown]}${SHOWN_BY[shown]}`];
}

const SHOWN_BY: Readonly<Record<ReturnType<typeof shownFrames>, string>> = {
  all: '',
  main: '; --frames all shows it, --frames own less',
  javascript: ': --frames all shows it, --frames own only your files',
  own: '; --frames javascript or all shows more',
  'own-native': '; --frames main or all shows more',
};

/** Which part of what was waited is that of threads with nothing to do; nothing where none is. */
export function idleLines(profile: Profile, weights: Weights, samples: Int32Array): string[] {
  const { frames, funcs, stacks, strings } = profile;
  const idle = new Map([
    [IDLE_THREADS, 0],
    [IDLE_LOOP, 0],
  ]);
  const label = Array.from(funcs.name, (name) => (idle.has(strings[name]) ? strings[name] : null));
  if (label.every((text) => text === null)) return [];
  let all = 0;
  for (const row of samples) {
    all += weights.values[row];
    const stack = profile.samples.stack[row];
    const found = stack < 0 ? null : label[frames.func[stacks.frame[stack]]];
    if (found != null) idle.set(found, (idle.get(found) ?? 0) + weights.values[row]);
  }
  const parts = [...idle].filter(([, weight]) => weight > 0);
  if (parts.length === 0) return [];
  const text = parts.map(([name, weight]) => `${formatShare(weight / all)} ${name}`);
  return [`# nothing to do: ${text.join(', ')}, each one row; --frames all shows where they sleep`];
}
