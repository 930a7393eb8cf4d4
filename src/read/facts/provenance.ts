import { firstNotBelow } from '../../base/bisect.ts';
import { fieldOf, numberField } from '../../base/foreign-json.ts';
import { lateModules } from '../../base/late-modules.ts';
import type { RingFacts } from '../../base/lost-samples.ts';
import { type Attachment, readAppendix } from '../../formats/perf-data/appendix.ts';
import type { FeatureSection } from '../../formats/perf-data/feature-encoders.ts';
import { FEATURE } from '../../formats/perf-data/features.ts';
import type { PerfData } from '../../formats/perf-data/reader.ts';
import type { KernelLimits } from '../../period/types.ts';
import type { TimeRange } from '../../profile/time-range.ts';
import type { ProbedRule } from '../../profile/types.ts';

/**
 * The facts that perf has no record for: a JSON document in UTF-8, behind the string of the VERSION
 * section. Readers take the string's length from in front of it and look no further. It is no
 * feature section of its own: `perf inject` writes a header with every feature bit that it found and
 * crashes on one that it doesn't know (do_write_feat in tools/perf/util/header.c has no bound).
 */
const PROVENANCE_FEATURE = FEATURE.VERSION;

/**
 * The place where the counters begin to count (they start at 0 when their event is opened):
 *
 * - `here`: not before the first record of this file;
 * - `earlier`: in the file before it (`--switch-output`); only tasks forked in this file begin here;
 * - `dropped`: the first samples are not in the file (`--overwrite`).
 */
export type CountStart = 'here' | 'earlier' | 'dropped';

export type Provenance = {
  readonly version: 1;
  /** Version of perf-ts that recorded. */
  readonly recorder: string;
  /** Notes on what was substituted, lowered or left out, one sentence each. */
  readonly notes: readonly string[];
  /** Limits of the kernel before and after the recording. */
  readonly kernel: KernelLimits;
  /**
   * Final value of each event's counter over all its instances, read when it was closed; by
   * `totalKeys` of the events' names.
   */
  readonly totals: Readonly<Record<string, number>>;
  /**
   * Names of the events that stand for one name on one kind of core each: `-e cycles` and not
   * `-e cpu_atom/cycles/`. Absent: none does.
   */
  readonly onSeveralCores?: readonly string[];
  /** Rules that were measured before the events were recorded, by `totalKeys`; absent where nothing was. */
  readonly periodRules?: Readonly<Record<string, ProbedRule>>;
  /**
   * When the events were enabled, on the recording's clock: nanoseconds in decimal, the first moment in, the last out.
   */
  readonly sampled?: readonly (readonly [from: string, to: string])[];
  /**
   * When the content of overwritten rings was written, on the same clock, and whether all was in it that came since the
   * time before. Absent without such rings.
   */
  readonly snapshots?: readonly (readonly [at: string, isWhole: boolean])[];
  readonly countsBegin?: CountStart;
  /** Counts that `--stat` made beside the samples; null for what could not be counted. */
  readonly counts?: Readonly<
    Record<string, { readonly count: number | null; readonly unit: string }>
  >;
  /** Absent in recordings of before. */
  readonly rings?: RingFacts;
  /** Bytes of a page, which a fault adds; absent where no event needs it. */
  readonly pageBytes?: number;
  /** Names of what was met in the kernel: `code/symbols/recorded-kernel.ts`, deflated, in base64. */
  readonly kernelSymbols?: string;
};

const COUNT_STARTS: readonly CountStart[] = ['here', 'earlier', 'dropped'];

/** Name of the attachment that a pipe has it in, where it is known only at the end. */
export const PROVENANCE_ATTACHMENT = 'provenance';

/** The provenance as a pipe carries it. */
export function provenanceAttachment(provenance: Provenance): Attachment {
  const bytes = new TextEncoder().encode(JSON.stringify(provenance));
  return { name: PROVENANCE_ATTACHMENT, packing: 'none', unpackedSize: bytes.length, bytes };
}

/** `sections` with the provenance in the one for the recorder's version, which must be there. */
export function attachProvenance(
  sections: readonly FeatureSection[],
  provenance: Provenance,
): FeatureSection[] {
  const document = new TextEncoder().encode(JSON.stringify(provenance));
  return sections.map((section) => {
    if (section.feature !== PROVENANCE_FEATURE) return section;
    const bytes = new Uint8Array(section.bytes.length + document.length);
    bytes.set(section.bytes);
    bytes.set(document, section.bytes.length);
    return { feature: section.feature, bytes };
  });
}

/** Names of events in `totals`: `cycles`, and a second one of that name `cycles#2`. */
export function totalKeys(names: readonly string[]): string[] {
  const counts = new Map<string, number>();
  return names.map((name) => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count === 1 ? name : `${name}#${count}`;
  });
}

/** The final value of each event, null where it is not known. */
export function totalsOf(
  provenance: Provenance | null,
  names: readonly string[],
): (number | null)[] {
  const totals = provenance?.totals ?? {};
  return totalKeys(names).map((key) => (Object.hasOwn(totals, key) ? totals[key] : null));
}

/** The rule that was measured before each event was recorded; null where nothing was, or it is damaged. */
export function probedRulesOf(
  provenance: Provenance | null,
  names: readonly string[],
): (ProbedRule | null)[] {
  const rules = provenance?.periodRules;
  return totalKeys(names).map((key) => readProbedRule(fieldOf(rules, key)));
}

function readProbedRule(value: unknown): ProbedRule | null {
  const [rule, countsLag] = [fieldOf(value, 'rule'), fieldOf(value, 'countsLag')];
  if ((rule !== 'next' && rule !== 'elapsed') || typeof countsLag !== 'boolean') return null;
  const samples = numberField(value, 'samples');
  const votes = numberField(value, 'votes');
  const majority = numberField(value, 'majority');
  if (samples === null || votes === null || majority === null) return null;
  return majority > 0.5 && majority <= 1 ? { rule, countsLag, samples, votes, majority } : null;
}

/** The rings, null where the recording does not tell, or is damaged. */
export function ringsOf(provenance: Provenance | null): RingFacts | null {
  const kib = numberField(provenance?.rings, 'kib');
  return kib === null || kib <= 0
    ? null
    : { kib, mostKib: numberField(provenance?.rings, 'mostKib') };
}

/** `onSeveralCores`; null for perf's files, which do not tell what `-e` was. */
export function namesOnSeveralCores(provenance: Provenance | null): readonly string[] | null {
  return provenance === null ? null : (provenance.onSeveralCores ?? []);
}

/** The spans of `sampled`, nanoseconds since `startTime`; null where they are not known, or damaged. */
export function sampledSpansOf(
  provenance: Provenance | null,
  startTime: bigint,
): readonly TimeRange[] | null {
  const given: unknown = provenance?.sampled;
  if (!Array.isArray(given)) return null;
  const spans: TimeRange[] = [];
  for (const span of given) {
    const [from, to] = Array.isArray(span) ? span.map(nanoseconds) : [];
    if (typeof from !== 'bigint' || typeof to !== 'bigint' || to < from) return null;
    const fromNs = Number(from - startTime);
    if (fromNs < (spans.at(-1)?.toNs ?? Number.NEGATIVE_INFINITY)) return null;
    spans.push({ fromNs, toNs: Number(to - startTime) });
  }
  return spans;
}

/**
 * The parts of the time whose samples were overwritten, of a recording that keeps the last ones of each ring. From each
 * snapshot to the first sample of the next, where that is not whole; without a sample in it, the time up to it.
 *
 *     recorded   ●●●●●●●●●●●●●●●●●●●●●●●●●●
 *     snapshots            ▲           ▲   ▲        the second one is not whole
 *     kept            ●●●●●      ●●●●●●●●●●
 *     gaps       ─────     ──────
 */
export function overwrittenGaps(
  provenance: Provenance | null,
  startTime: bigint,
  timeNs: Float64Array,
): TimeRange[] {
  const given: unknown = provenance?.snapshots;
  const snapshots = Array.isArray(given) ? given : [];
  const gaps: TimeRange[] = [];
  let fromNs = Number.NEGATIVE_INFINITY;
  for (const snapshot of snapshots.length > 0 ? snapshots : [null]) {
    const [at, isWhole] = Array.isArray(snapshot) ? snapshot : [];
    const raw = nanoseconds(at);
    const atNs = raw === null ? Number.POSITIVE_INFINITY : Number(raw - startTime);
    const firstNs = timeNs[firstNotBelow(timeNs, fromNs)] ?? Number.POSITIVE_INFINITY;
    if (isWhole !== true || firstNs > atNs) gaps.push({ fromNs, toNs: Math.min(firstNs, atNs) });
    fromNs = Math.max(fromNs, atNs);
  }
  return gaps;
}

function nanoseconds(text: unknown): bigint | null {
  return typeof text === 'string' && /^\d{1,20}$/.test(text) ? BigInt(text) : null;
}

const MAX_BYTES = 16 << 20;
const MAX_KERNEL_SYMBOL_BYTES = 64 << 20;

/** The provenance of a recording by perf-ts; null in every other file, or if it is damaged. */
export function readProvenance(data: PerfData): Provenance | null {
  const bytes = inPipe(data) ?? behindVersion(data);
  if (bytes === null || bytes.length > MAX_BYTES) return null;
  try {
    const document: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return isProvenance(document) ? document : null;
  } catch {
    return null;
  }
}

/** The recorded kernel's symbols as text; null if the recording has none, or they are damaged. */
export function readKernelSymbols(provenance: Provenance | null): Uint8Array | null {
  const packed = provenance?.kernelSymbols;
  if (typeof packed !== 'string') return null;
  try {
    const maxOutputLength = MAX_KERNEL_SYMBOL_BYTES;
    return lateModules.zlib.inflateRawSync(Buffer.from(packed, 'base64'), { maxOutputLength });
  } catch {
    return null;
  }
}

function inPipe(data: PerfData): Uint8Array | null {
  if (data.appendixParts.length === 0) return null;
  return readAppendix(data).find(({ name }) => name === PROVENANCE_ATTACHMENT)?.bytes ?? null;
}

/** struct perf_header_string { u32 len; char string[len]; }, and what follows; null if nothing. */
function behindVersion(data: PerfData): Uint8Array | null {
  const bytes = data.sections.bytes(PROVENANCE_FEATURE);
  if (bytes === null || bytes.length < 4) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const behind = bytes.subarray(4 + view.getUint32(0, data.littleEndian));
  // A record of a pipe is padded.
  const end = behind.findLastIndex((byte) => byte !== 0) + 1;
  return end === 0 ? null : behind.subarray(0, end);
}

function isProvenance(document: unknown): document is Provenance {
  if (typeof document !== 'object' || document === null) return false;
  const { version, notes, kernel, totals, countsBegin, onSeveralCores, pageBytes } =
    document as Partial<Provenance>;
  return (
    version === 1 &&
    Array.isArray(notes) &&
    notes.every((note) => typeof note === 'string') &&
    typeof kernel === 'object' &&
    kernel !== null &&
    typeof totals === 'object' &&
    totals !== null &&
    (pageBytes === undefined || (pageBytes >= 4096 && Number.isSafeInteger(pageBytes))) &&
    (onSeveralCores === undefined || Array.isArray(onSeveralCores)) &&
    (countsBegin === undefined || COUNT_STARTS.includes(countsBegin))
  );
}
