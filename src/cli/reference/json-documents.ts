import type { CpuReport } from '../../counting/processor/cpu-report.ts';
import type { Finding } from '../../findings/finding.ts';
import type { ExportProvenance } from '../../formats/export/export-provenance.ts';
import type { PeriodsReport } from '../../period/report/report.ts';
import type { RecordingInfo } from '../../read/recording-info.ts';
import type { RewriteSummary } from '../../rewrite/rewrite-recording.ts';
import type { DescribedRecord } from '../../tools/script/types.ts';
import type { SelftestReport } from '../../tools/selftest/types.ts';
import type { annotateDocument } from '../annotate/annotate.ts';
import type { ArchiveDocument } from '../archive/archive.ts';
import type { explainedJson } from '../cpu/cpu-explain.ts';
import type { diffDocument } from '../diff/diff-report.ts';
import type { leftoversDocument } from '../doctor/clean.ts';
import type { DoctorDocument } from '../doctor/doctor.ts';
import type { listDocument } from '../list/list.ts';
import type { recordSummary } from '../record/record.ts';
import type { countedBeside } from '../record/record-stat.ts';
import type { intervalDocument, statDocument } from '../render/stat-json.ts';
import type {
  awaitsDocument,
  marksDocument,
  requestsDocument,
  syscallsDocument,
} from '../report/mark-report.ts';
import type { reportDocument } from '../report/report.ts';
import type { topDocument } from '../top/top-batch.ts';
import type { turnsDocument } from '../turns/turns.ts';
import type { VersionDocument } from '../version/version.ts';

/**
 * The documents that commands print with `--json`. Numbers are numbers, what is unknown is null, shares are
 * 0 to 1; a later version may add keys. docs/reference/json has a JSON schema of each, made of these types.
 */
export type JsonDocuments = {
  /** `perf-ts annotate --json`. */
  annotate: ReturnType<typeof annotateDocument>;
  /** `perf-ts report --by await --json`. */
  awaits: ReturnType<typeof awaitsDocument>;
  /** `perf-ts archive --json`. */
  archive: ArchiveDocument;
  /** `perf-ts buildid-list --json`. */
  'buildid-list': {
    readonly schema: 'perf-ts/buildid-list@1';
    readonly buildIds: readonly { readonly buildId: string; readonly path: string }[];
  };
  /** `perf-ts cpu --json`. */
  cpu: CpuReport;
  /** `perf-ts cpu --leaves FILE --json`: the processors that the file describes. */
  'cpu-dump': {
    readonly schema: 'perf-ts/cpu-dump@1';
    readonly cores: CpuReport['cores'];
  };
  /** `perf-ts cpu --explain REGISTER --json`. */
  'cpu-explain': ReturnType<typeof explainedJson>;
  /** `perf-ts diff --json`, and `perf-ts report --diff OLD --json`. */
  diff: ReturnType<typeof diffDocument>;
  /** `perf-ts doctor --json`, of this machine or of one binary. */
  doctor: DoctorDocument;
  /** `perf-ts doctor --clean --json`. */
  'doctor-clean': ReturnType<typeof leftoversDocument>;
  /** `perf-ts doctor --selftest --json`, and the file of its `-o`. */
  'doctor-selftest': SelftestReport;
  /** `perf-ts evlist --json`. */
  evlist: { readonly schema: 'perf-ts/evlist@1'; readonly events: RecordingInfo['events'] };
  /** `perf-ts export --json`, on standard error: where the weights come from. */
  export: ExportProvenance;
  /** `perf-ts info --json`. */
  info: { readonly schema: 'perf-ts/info@1' } & RecordingInfo;
  /** `perf-ts inject --json`, on standard error. */
  inject: { readonly schema: 'perf-ts/inject@1' } & RewriteSummary;
  /** `perf-ts list --json`. */
  list: ReturnType<typeof listDocument>;
  /** `perf-ts periods --json`, and with `--simulate`. */
  periods: PeriodsReport & {
    /** Absent for a simulation. */
    readonly findings?: readonly Finding[];
    /** The simulated process; absent for a recording. */
    readonly simulation?: {
      readonly kind: 'software' | 'hardware';
      readonly frequencyHz: number;
      readonly hz: number;
      readonly rounding: 'away' | 'up';
      readonly stretches: readonly {
        readonly durationNs: number;
        readonly eventsPerSecond: number;
      }[];
    };
  };
  /** `perf-ts query --json`: a row is an object with a key for each column. */
  query: {
    readonly schema: 'perf-ts/query@1';
    readonly recordings: readonly {
      readonly recording: number | string;
      readonly file: string;
      /** Null of a directory of Parquet and of a server, which have none. */
      readonly findings: readonly Finding[] | null;
    }[];
    /** The statement an engine ran; null where the samples themselves were asked. */
    readonly sql: string | null;
    readonly rows: readonly Readonly<Record<string, unknown>>[];
    /** Whether there were more rows than --max-rows. */
    readonly isCut: boolean;
  };
  /** `perf-ts report --marks --json`. */
  marks: ReturnType<typeof marksDocument>;
  /** `perf-ts record --json`: the last line of standard error. */
  record: ReturnType<typeof recordSummary> & {
    /** The counters of `--stat`. */
    readonly counted?: ReturnType<typeof countedBeside>;
  };
  /** `perf-ts report --json`. */
  report: ReturnType<typeof reportDocument>;
  /** `perf-ts report --by request --json`. */
  requests: ReturnType<typeof requestsDocument>;
  /** `perf-ts script --json`: a line for each record, with the fields of its kind beside these. */
  script: Omit<DescribedRecord, 'more' | 'record'>;
  /** `perf-ts stat --json`. */
  stat: ReturnType<typeof statDocument>;
  /** `perf-ts stat --json -I MS`: a line for each interval, before the document of the whole. */
  'stat-interval': ReturnType<typeof intervalDocument>;
  /** `perf-ts report --syscalls --json`. */
  syscalls: ReturnType<typeof syscallsDocument>;
  /** `perf-ts top --json`: a line for each table. */
  top: ReturnType<typeof topDocument>;
  /** `perf-ts turns --json`. */
  turns: ReturnType<typeof turnsDocument>;
  /** `perf-ts version --json`. */
  version: VersionDocument;
};
