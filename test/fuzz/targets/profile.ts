// A recording from its bytes to reports, exports, the page's data and a rewritten file.

import { EXPORTS, openChecked, RECORD_DOORS, reportOn, WEIGHTS, written } from '../doors.ts';
import { pick, type Random } from '../mutate-bytes.ts';
import type { Target } from '../target.ts';
import { mutateOneRecording, recordingSeeds } from './recording.ts';

async function readProfile(bytes: Uint8Array, random: Random): Promise<void> {
  const opened = await openChecked(written(bytes), random() < 0.3);
  reportOn(opened, pick(random, WEIGHTS));
  await pick(random, Object.values(EXPORTS))(opened);
}

export const profileTargets: readonly Target[] = [
  {
    name: 'profile',
    seeds: () => recordingSeeds(12_000),
    mutate: mutateOneRecording,
    read: readProfile,
    fewCases: 40,
  },
  {
    name: 'records',
    seeds: () => recordingSeeds(12_000),
    mutate: mutateOneRecording,
    read: (bytes, random) => pick(random, RECORD_DOORS)(written(bytes), random),
    fewCases: 40,
  },
];
