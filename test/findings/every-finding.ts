import { Diagnostics } from '../../src/base/diagnostics.ts';
import { describeDiagnostics } from '../../src/findings/diagnostic-text.ts';
import type { Finding } from '../../src/findings/finding.ts';
import { type FileEvidence, judgeFile } from '../../src/findings/judge-file.ts';
import { judgeRun } from '../../src/findings/judge-run.ts';
import {
  type EventEvidence,
  judgeSampling,
  type SamplingEvidence,
} from '../../src/findings/judge-sampling.ts';

export const SOUND_EVENT: EventEvidence = {
  name: 'cpu-clock',
  samples: 1000,
  readBy: null,
  lost: { part: 0, of: 1000 },
  effective: 900,
  uncovered: { part: 0, of: 0 },
  uncoveredBecause: 'came after the last samples',
  uncounted: { part: 0, of: 1000, counters: 0 },
  tails: { part: 0, of: 0 },
  pauses: [],
  targetHz: 1000,
  inStep: null,
  doubtfulWeights: null,
  disagreement: null,
};

export const SOUND: SamplingEvidence = {
  events: [SOUND_EVENT],
  isText: false,
  notes: [],
  completeness: null,
  withoutJavaScript: 0,
  mostCut: null,
  unnamedShare: 0,
  unnamedFile: null,
  off: [],
  lengthNs: 1e9,
};

export const WHOLE_FILE: FileEvidence = { truncatedAt: null, diagnostics: [] };

const DOUBT = { sentence: 'nobody knows', share: 0.2, command: null };

/** Each kind of finding at least once. */
export function everyFinding(): Finding[] {
  const diagnostics = new Diagnostics();
  for (const subject of ['a', 'b', 'c', 'd']) {
    diagnostics.count({ code: 'names-missing', subject, why: { cause: 'unproven' } });
  }
  const why = { cause: 'other-build', file: '/bin/app' } as const;
  diagnostics.count({ code: 'lines-missing', subject: '/bin/app', why });
  diagnostics.count('names-doubtful', '/bin/app');
  diagnostics.count('kallsyms-restricted');
  diagnostics.count('sample-of-no-event');
  diagnostics.count('event-ids-missing');
  diagnostics.count('sample-without-time', 'they count as taken with the sample before', 2);
  diagnostics.count('wait-end-lost', 'they count for nothing', 3);
  diagnostics.count('wake-up-unrecorded', 'they count as waiting', 2);
  diagnostics.count('jitdump-of-other-clock', '/tmp/jit-1.dump');
  diagnostics.count('perf-map-missing', '/tmp/perf-1.map');
  const described = describeDiagnostics(diagnostics);
  const damaged = new Diagnostics();
  damaged.count('record-header-damaged', 'at 0x60');
  const event = (fields: Partial<EventEvidence>): EventEvidence => ({ ...SOUND_EVENT, ...fields });
  return [
    ...judgeFile({ ...WHOLE_FILE, diagnostics: described, lostSideband: 7 }),
    ...judgeFile({ ...WHOLE_FILE, truncatedAt: 4096 }),
    ...judgeFile({
      ...{ truncatedAt: null, skippedBytes: 900, dataBytes: 1000 },
      diagnostics: describeDiagnostics(damaged),
    }),
    ...judgeSampling({
      events: [
        event({ samples: 0 }),
        event({ effective: 12, lost: { part: 50, of: 1050 }, tails: { part: 300, of: 1000 } }),
        event({ uncounted: { part: 30, of: 1000, counters: 12 } }),
        event({ readBy: 'cycles', doubtfulWeights: DOUBT }),
        event({ pauses: [{ fromNs: 10, toNs: 5e8 }], uncovered: { part: 300, of: 1000 } }),
        event({
          inStep: { ...DOUBT, areIntervalsSure: true },
          doubtfulWeights: DOUBT,
          disagreement: DOUBT,
        }),
      ],
      isText: false,
      notes: ['cycles: recording cpu-clock instead', 'the rate was lowered'],
      completeness: { samples: 100, complete: 10, unknown: 50, cut: [] },
      withoutJavaScript: 0.6,
      mostCut: null,
      unnamedShare: 0.6,
      unnamedFile: 'app',
      off: [{ fromNs: 0, toNs: 5e8 }],
      lengthNs: 1e9,
    }),
    ...judgeSampling({ ...SOUND, isText: true }),
    ...judgeRun({
      ...{ samples: 100, lost: 20, lostSideband: 1, throttles: 2, skippedBytes: 10 },
      ...{
        compression: { level: 1, heldRounds: 3 },
        rings: { kib: 256, mostKib: null },
        targetHz: 1000,
      },
      ...{ hasStacks: false, onCpuShare: 0.02 },
    }),
  ];
}
