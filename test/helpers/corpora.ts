import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

const repository = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

/** Real recordings with what other tools make of them; they lie outside the repository. */
export const CORPORA = process.env.PERF_TS_CORPORA ?? join(repository, '../shared/corpora');

/** Tests that need the corpora are skipped where they are absent. */
export const hasCorpora = existsSync(join(CORPORA, 'expected'));

/** Expected results of one perf.data file. */
export type ExpectedPerfData = {
  readonly file: string;
  readonly kind: string;
  readonly size: number;
  readonly golden_by: string | null;
  readonly walk: {
    readonly mode: 'file' | 'pipe';
    readonly endian: 'LE' | 'BE';
    readonly data_off?: number;
    readonly data_size?: number;
    readonly counts: Readonly<Record<string, number>>;
    readonly attrs: readonly {
      readonly type: number;
      readonly size: number;
      readonly config: string;
      readonly freq: boolean;
      readonly period_or_freq: number;
      readonly sample_type: string;
      readonly read_format: number;
      readonly [flag: string]: unknown;
    }[];
    readonly features: readonly string[];
    readonly left: number;
    readonly trunc_rec_at?: number;
    readonly bad_at?: number;
  };
} & { readonly [peer in PeerName]?: PeerView };

/** Versions of perf that the expectations were made with, the strictest last. */
export const PEERS = ['perf_6.1.187', 'perf_6.12.95', 'perf_7.3.4'] as const;
export type PeerName = (typeof PEERS)[number];

/** Inputs of fuzzers, whose headers are nonsense: they must not crash, nothing more is known. */
export function isFuzzed({ file }: ExpectedPerfData): boolean {
  return /poc-|clusterfuzz/.test(file);
}

type PeriodSummary = {
  readonly min: number;
  readonly median: number;
  readonly max: number;
  readonly sum: number;
};

/** What one version of perf says about a file. */
export type PeerView = {
  readonly header?: Readonly<Record<string, unknown>>;
  readonly evlist?: { readonly events: readonly string[] };
  readonly stats?: {
    readonly aggregated: Readonly<Record<string, number>>;
    readonly per_event: Readonly<Record<string, Readonly<Record<string, number>>>>;
  };
  readonly dump?: {
    readonly rc: number;
    readonly stderr?: readonly string[];
    readonly record_lines_by_type?: Readonly<Record<string, number>>;
    readonly sample_summary?: {
      readonly samples: number;
      readonly distinct_pids: number;
      readonly distinct_tids: number;
      readonly distinct_ips: number;
      readonly distinct_cpus: number;
      readonly misc: Readonly<Record<string, number>>;
      readonly period?: PeriodSummary;
      readonly time_ns?: { readonly first: number; readonly last: number };
      readonly top5_ips: readonly (readonly [ip: string, count: number])[];
      readonly top5_pids: readonly (readonly [pid: number, count: number])[];
    };
  };
  readonly script?: {
    readonly samples: number;
    readonly per_event?: Readonly<
      Record<
        string,
        {
          readonly samples: number;
          readonly first_time: string;
          readonly last_time: string;
          readonly period?: PeriodSummary;
        }
      >
    >;
  };
};

/** Every perf.data of the corpora with its expectation; none without them. */
export function perfDataCorpora(): ExpectedPerfData[] {
  if (!hasCorpora) return [];
  const expected = join(CORPORA, 'expected');
  return readdirSync(expected, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.json'))
    .sort()
    .map((path) => JSON.parse(readFileSync(join(expected, path), 'utf8')) as ExpectedPerfData)
    .filter((entry) => entry.kind === 'perf.data');
}

/** A file of the corpora, by its path inside. */
export function readCorpus(path: string): Uint8Array {
  return readFileSync(join(CORPORA, path));
}

/** A gzipped text beside an expectation, or null: `readExpectedText('own/x.data', 'folded')`. */
export function readExpectedText(path: string, kind: string): string | null {
  const file = join(CORPORA, 'expected', `${path}.${kind}.gz`);
  return existsSync(file) ? gunzipSync(readFileSync(file)).toString('utf8') : null;
}
