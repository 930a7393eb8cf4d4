import type { SamplerEvent, SamplerTotals } from '../native/types.ts';
import { WAKE_UP_EVENT } from '../profile/off-cpu/switch-pairs.ts';
import type { IdleMeter } from '../system/kernel/idle-time.ts';
import { RecordingFile } from './output/recording-file.ts';
import type { PlannedEvent } from './plan/recording-plan.ts';
import type { Recording } from './recording.ts';
import type { OpenedRecording } from './recording-parts.ts';

/** The event that ends a recording. */
export type RecordingEnded = Extract<SamplerEvent, { kind: 'recording-ended' }>;

/** Returns how long a recording sampled, how long its target was on CPUs, and how idle these were. */
export function timesOfEnd(
  { finals }: RecordingEnded,
  { session, features }: OpenedRecording,
  idleMeter: IdleMeter,
): Pick<Recording, 'sampledMs' | 'onCpuMs' | 'idleCpus'> {
  const spans = features.sampled.get();
  const sampledMs = Number(spans.reduce((sum, { fromNs, toNs }) => sum + toNs - fromNs, 0n)) / 1e6;
  // An event runs while a thread of the target does, and less where it takes turns with others for a counter.
  const ofTasks = finals.filter((_, index) => !isOfCpus(session.plan.events[index]));
  const runningNs = ofTasks.map((final) => Number(final.runningNs));
  const isKnown = session.target.kind !== 'system' && runningNs.length > 0;
  const onCpuMs = isKnown ? Math.max(...runningNs) / 1e6 : null;
  return { sampledMs, onCpuMs, idleCpus: idleMeter.idleCpus() };
}

/** Whether an event counts what everybody does on the CPUs, as wake-ups are. */
function isOfCpus(event: PlannedEvent | undefined): boolean {
  return event?.spec.name === WAKE_UP_EVENT;
}

/** The totals of what is in the output, as far as it is known without its compressed records. */
export function totalsOfEnd(
  { totals }: RecordingEnded,
  output: OpenedRecording['output'],
): SamplerTotals {
  const givenUp = output instanceof RecordingFile ? output.samplesGivenUp : 0;
  return { ...totals, samples: totals.samples - givenUp };
}

/** Samples a second that an event was asked for; null: it has a fixed period. */
export function frequencyOf({ attr: { flags, samplePeriod } }: PlannedEvent): number | null {
  return flags.freq ? samplePeriod : null;
}
