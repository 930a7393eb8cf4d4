import type { ProcessTable } from '../../code/process/process-table.ts';
import type { MappingIndex } from '../../code/process/types.ts';
import type { MappedRange } from '../../formats/export/mapped-range.ts';
import {
  type LossMark,
  NO_SWITCHES,
  type SwitchTable,
  type ThrottleMark,
} from '../../formats/export/recording-marks.ts';
import type { ImportFormat } from '../../formats/import/imported-profile.ts';
import type { PerfData } from '../../formats/perf-data/reader.ts';
import type { LossGap } from '../../period/types.ts';
import type { FrameLevel } from '../../profile/frame-level.ts';
import type { EventIndex, Profile } from '../../profile/types.ts';
import { groupsOf } from './event-description.ts';

/** Facts that a recording states beside its profile, for the formats that have a place for them. */
export type RecordingFacts = {
  /** The tool whose text it is; null for a recording. */
  readonly imported: ImportFormat | null;
  /** Which frames of programs of JavaScript the profile has. */
  readonly frames: FrameLevel;
  /** Mappings of the DSOs that samples were taken in. */
  readonly mappings: readonly MappedRange[];
  /** When `timeNs` was 0: nanoseconds since 1970; null if the recording does not say. */
  readonly startWallNs: bigint | null;
  /** Events that were counted together, `{a,b}`: leader first. */
  readonly groups: readonly (readonly EventIndex[])[];
  readonly losses: readonly LossMark[];
  readonly throttles: readonly ThrottleMark[];
  readonly switches: SwitchTable;
  /** Bytes of records that could not be read, and bytes of records in all; both 0 for a text. */
  readonly skippedBytes: number;
  readonly dataBytes: number;
};

export const NO_FACTS: RecordingFacts = {
  imported: null,
  frames: 'all',
  mappings: [],
  startWallNs: null,
  groups: [],
  losses: [],
  throttles: [],
  switches: NO_SWITCHES,
  skippedBytes: 0,
  dataBytes: 0,
};

/** Facts that reading the samples has left in addition to the profile. */
export type ReadSamples = {
  readonly data: PerfData;
  readonly processes: ProcessTable;
  readonly lossGaps: readonly LossGap[];
  readonly switches: { finish(): SwitchTable };
};

export function gatherFacts(
  { data, processes, lossGaps, switches }: ReadSamples,
  profile: Profile,
  throttles: readonly ThrottleMark[],
): RecordingFacts {
  return {
    imported: null,
    frames: 'all',
    mappings: mappingsOf(processes, profile),
    startWallNs: startWallNs(data, BigInt(profile.meta.startTime)),
    groups: groupsOf(data),
    losses: lossGaps.map(({ samples, ...gap }) => ({ ...gap, lost: samples })),
    throttles,
    switches: switches.finish(),
    skippedBytes: data.skippedBytes,
    dataBytes: data.dataSize,
  };
}

function mappingsOf({ mappings }: ProcessTable, { dsos, frames }: Profile): MappedRange[] {
  const isUsed = new Uint8Array(dsos.length);
  for (let frame = 0; frame < frames.length; frame++) {
    const dso = frames.dso[frame];
    if (dso >= 0) isUsed[dso] = 1;
  }
  const ranges: MappedRange[] = [];
  for (let row = 0; row < mappings.length; row++) {
    const mapping = row as MappingIndex;
    const dso = mappings.dso(mapping);
    if (isUsed[dso] !== 1) continue;
    const start = mappings.start(mapping);
    const end = mappings.end(mapping);
    ranges.push({ dso, start, end, first: mappings.addressInDso(mapping, start) });
  }
  return ranges;
}

const CLOCK_REALTIME = 0;

/** The recording's first time on the wall clock, by the one instant it has on both clocks. */
function startWallNs({ attrs, features }: PerfData, startTime: bigint): bigint | null {
  const attr = attrs[0]?.attr;
  if (attr === undefined || !attr.flags.useClockid) return null;
  if (attr.clockid === CLOCK_REALTIME) return startTime;
  const { clockData } = features;
  if (clockData === null || clockData.clockId !== attr.clockid) return null;
  return clockData.wallClockNs + (startTime - clockData.clockNs);
}
