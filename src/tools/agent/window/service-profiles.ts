import { NONE } from '../../../base/brand.ts';
import { globMatcher } from '../../../base/glob.ts';
import type { IntColumn, NumberColumn } from '../../../base/int-column.ts';
import { innermostFuncs } from '../../../profile/analysis/trees/call-nodes.ts';
import { isUnnamed } from '../../../profile/func-table.ts';
import { isJitCode } from '../../../profile/jit-dso.ts';
import type { Profile, ProfileThread, SampleTable, Weights } from '../../../profile/types.ts';
import type { SampleLabel, ServiceConfig, ServiceRule } from '../config/agent-config.ts';
import { type Service, serviceKey } from '../service/service.ts';

/** The samples of one service in one window. */
export type ServiceProfile = {
  readonly service: Service;
  /** Tables are those of the whole window; threads and CPUs are left out unless they are labels. */
  readonly profile: Profile;
  readonly weights: Weights;
};

/** The parts of a window, and the weight that is in none of them. */
export type DividedWindow = {
  readonly services: readonly ServiceProfile[];
  /** Σ weights of idle CPUs, of kernel threads and of services that no profile was asked for. */
  readonly leftOut: Readonly<Record<'idle' | 'kernel' | 'service', number>>;
};

/** Divides a window by service, of which there is one for each thread. Each sample is in one part or in `leftOut`. */
export function divideWindow(
  profile: Profile,
  weights: Weights,
  services: readonly Service[],
  { hasIdle, hasKernel, sampleLabels, only, except, rules }: ServiceConfig,
): DividedWindow {
  const parts = new Map<string, Part>();
  const ruled = rules.map((rule) => ({ ...rule, matches: globMatcher(rule.service) }));
  const leftOut = { idle: 0, kernel: 0, service: 0 };
  const [isWanted, isUnwanted] = [only, except].map(matcherOf);
  const partOfThread = services.map((given) => {
    if (given.source === 'idle' && !hasIdle) return 'idle';
    if (given.source === 'kernel' && !hasKernel) return 'kernel';
    const { name } = given;
    if ((only.length > 0 && !isWanted(name)) || isUnwanted(name)) return 'service';
    const { service, share } = obey(
      given,
      ruled.filter(({ matches }) => matches(name)),
    );
    const key = serviceKey(service);
    const part = parts.get(key) ?? { service, share, rows: [] };
    parts.set(key, part);
    return part;
  });
  const { samples } = profile;
  for (let row = 0; row < samples.length; row++) {
    const part = partOfThread[samples.thread[row]];
    const weight = weights.values[row] + (weights.lostBefore?.[row] ?? 0);
    if (typeof part === 'string') leftOut[part] += weight;
    else part?.rows.push(row);
  }
  const labelled = labelledThreads(profile.threads, sampleLabels);
  const divided = [...parts.values()]
    .filter(({ rows }) => rows.length > 0)
    .map(({ service, share, rows }) => {
      const kept = keepShare(rows, samples.timeNs, share);
      return {
        service,
        profile: {
          ...profile,
          threads: labelled.threads,
          samples: pickRows(samples, kept, labelled.rowOf, sampleLabels.includes('cpu')),
        },
        weights: kept === rows ? pickWeights(weights, rows) : pickScaled(weights, rows, kept),
      };
    });
  return { services: divided, leftOut };
}

type Part = { readonly service: Service; readonly share: number; readonly rows: number[] };

/** The service with the labels of its rules, and the share of its samples that is kept. */
function obey(service: Service, rules: readonly ServiceRule[]): Pick<Part, 'service' | 'share'> {
  const labels = Object.assign({}, ...rules.map((rule) => rule.labels)) as Service['attributes'];
  const share = rules.findLast((rule) => rule.share !== null)?.share ?? 1;
  return { service: { ...service, attributes: { ...service.attributes, ...labels } }, share };
}

/** Whether the Nodes of a service of this name are attached to. */
export function attachesTo(name: string, rules: readonly ServiceRule[]): boolean {
  return (
    rules.findLast(({ service, attach }) => attach !== null && globMatcher(service)(name))
      ?.attach === true
  );
}

/** Rows that are kept by the digits of their time: every so many would fall in step with threads that take turns. */
function keepShare(
  rows: readonly number[],
  timeNs: NumberColumn,
  share: number,
): readonly number[] {
  if (share === 1) return rows;
  const draws = rows.map((row) => scatter(timeNs[row]));
  const least = draws.reduce((one, other) => Math.min(one, other));
  return rows.filter((_, at) => draws[at] < share || draws[at] === least);
}

/** A number from 0 to 1 that looks like chance and is the same for the same time. */
function scatter(timeNs: number): number {
  let bits = ((timeNs % 2 ** 32) | 0) ^ Math.floor(timeNs / 2 ** 32);
  for (const [shift, factor] of [
    [16, 0x21f0aaad],
    [15, 0x735a2d97],
    [15, 1],
  ]) {
    bits = Math.imul(bits ^ (bits >>> shift), factor);
  }
  return (bits >>> 0) / 2 ** 32;
}

const sumOf = ({ values, lostBefore }: Weights): number =>
  values.reduce((sum, value, row) => sum + value + (lostBefore?.[row] ?? 0), 0);

/** Weights of the kept rows with the sum of all rows. Whole numbers stay whole: counts have no fractions. */
function pickScaled(weights: Weights, rows: readonly number[], of: readonly number[]): Weights {
  const kept = pickWeights(weights, of);
  const factor = sumOf(pickWeights(weights, rows)) / sumOf(kept);
  // Weights of nothing have no factor.
  if (!(factor > 1)) return kept;
  const scaled = (column: Float64Array) => {
    let sum = 0;
    return column.map((weight) => {
      const before = Math.round(sum);
      sum += weight * factor;
      return Math.round(sum) - before;
    });
  };
  return {
    ...kept,
    values: scaled(kept.values),
    ...(kept.lostBefore !== undefined && { lostBefore: scaled(kept.lostBefore) }),
  };
}

/** Share of a service's weight that lies in code of a JIT without a name; null where it has no code of a JIT. */
export function unnamedJitShare({ profile, weights }: ServiceProfile): number | null {
  const { funcs, strings, dsos } = profile;
  const innermost = innermostFuncs(profile);
  let [all, ofJit, unnamed] = [0, 0, 0];
  for (let row = 0; row < innermost.length; row++) {
    const func = innermost[row];
    const weight = weights.values[row];
    all += weight;
    if (func === NONE || funcs.dso[func] < 0 || !isJitCode(dsos[funcs.dso[func]])) continue;
    ofJit += weight;
    if (isUnnamed(strings[funcs.name[func]])) unnamed += weight;
  }
  return ofJit === 0 ? null : unnamed / all;
}

/** Whether a name is one of these, or of the globs among them. */
function matcherOf(names: readonly string[]): (name: string) => boolean {
  const matchers = names.map(globMatcher);
  return (name) => matchers.some((matches) => matches(name));
}

/** Half of a service's samples each. */
export function halveProfile({ service, profile, weights }: ServiceProfile): ServiceProfile[] {
  const { samples } = profile;
  const middle = samples.length >> 1;
  const rows = Array.from({ length: samples.length }, (_, row) => row);
  return [rows.slice(0, middle), rows.slice(middle)].map((half) => ({
    service,
    profile: { ...profile, samples: pickRows(samples, half, null, true) },
    weights: pickWeights(weights, half),
  }));
}

/** Threads as labels tell them apart: each, each process as one, or none. */
function labelledThreads(
  threads: readonly ProfileThread[],
  labels: readonly SampleLabel[],
): { readonly threads: readonly ProfileThread[]; readonly rowOf: Int32Array } {
  if (labels.includes('tid')) {
    return { threads, rowOf: Int32Array.from(threads, (_, row) => row) };
  }
  if (!labels.includes('pid')) {
    return { threads: [], rowOf: new Int32Array(threads.length).fill(NONE) };
  }
  const processes: ProfileThread[] = [];
  const rows = new Map<string, number>();
  const rowOf = Int32Array.from(threads, (thread) => {
    const key = `${thread.pid} ${thread.generation}`;
    const row = rows.get(key) ?? processes.push({ ...thread, tid: thread.pid }) - 1;
    rows.set(key, row);
    return row;
  });
  return { threads: processes, rowOf };
}

function pickRows(
  samples: SampleTable,
  rows: readonly number[],
  newThread: Int32Array | null,
  hasCpu: boolean,
): SampleTable {
  const int = (column: IntColumn) => Int32Array.from(rows, (row) => column[row]);
  const float = (column: NumberColumn) => Float64Array.from(rows, (row) => column[row]);
  const thread = int(samples.thread);
  return {
    length: rows.length,
    stack: int(samples.stack),
    thread: newThread === null ? thread : thread.map((row) => (row < 0 ? NONE : newThread[row])),
    comm: int(samples.comm),
    event: int(samples.event),
    stream: int(samples.stream),
    cpu: hasCpu ? int(samples.cpu) : new Int32Array(rows.length).fill(NONE),
    timeNs: float(samples.timeNs),
    periodEvents: float(samples.periodEvents),
    count: samples.count && float(samples.count),
  };
}

function pickWeights(weights: Weights, rows: readonly number[]): Weights {
  const pick = (column: Float64Array) => Float64Array.from(rows, (row) => column[row]);
  return {
    ...weights,
    values: pick(weights.values),
    ...(weights.lostBefore !== undefined && { lostBefore: pick(weights.lostBefore) }),
  };
}
