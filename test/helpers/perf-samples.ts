// The samples of a recording in time order, as `perf script` and as `perf-ts script` list them.

/** One sample, as far as both tools print it. */
export type SampleLine = {
  readonly event: string;
  readonly comm: string;
  readonly pid: number;
  readonly tid: number;
  /** Nanoseconds; null where the event recorded no time. */
  readonly time: bigint | null;
  readonly period: number;
  /** Hexadecimal without 0x. */
  readonly ip: string;
  /** What its event's counter had counted, by perf-ts where it was recorded. */
  readonly counter?: { readonly id: string; readonly count: number };
};

/** Arguments that make `perf script` print what `parsePerfSamples` reads. */
export function perfScriptArguments(file: string, hasTime: boolean): string[] {
  const fields = `comm,pid,tid,${hasTime ? 'time,' : ''}period,event,ip`;
  return ['script', '-i', file, '-G', '--ns', '-F', fields];
}

/** Lines like `  workload 6409/6411   6764.166170896:   500000 cpu-clock:u:  ffffffff8162f41b`. */
export function parsePerfSamples(text: string): SampleLine[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => {
    const match =
      /^\s*(.*?)\s+(-?\d+)\/(-?\d+)\s+(?:(\d+)\.(\d{9}):\s+)?(\d+)\s+(\S+?):\s+([0-9a-f]+)\s*$/.exec(
        line,
      );
    if (match === null) throw new Error(`not a sample of perf script: ${JSON.stringify(line)}`);
    const [, comm, pid, tid, seconds, nanos, period, event, ip] = match as unknown as string[];
    return {
      event: event,
      comm: comm,
      pid: Number(pid),
      tid: Number(tid),
      time: seconds === undefined ? null : BigInt(`${seconds}${nanos}`),
      period: Number(period),
      ip: ip,
    };
  });
}

/** The lines of `perf-ts script --json --samples`. */
export function parseOurSamples(text: string): SampleLine[] {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => {
    const sample = JSON.parse(line) as {
      event: string;
      comm: string;
      pid?: number;
      tid?: number;
      timeNs?: string;
      period: number;
      ip: string;
      id?: string;
      count?: number | null;
    };
    const { event, comm, pid, tid, timeNs, period, id, count, ip } = sample;
    return {
      event,
      // perf pads comms with spaces, so that those around them can't be told.
      comm: comm.trim(),
      // The kernel's −1 for a thread that is exiting, which perf-ts leaves out.
      pid: pid ?? -1,
      tid: tid ?? -1,
      period,
      time: timeNs === undefined ? null : BigInt(timeNs),
      ip: ip.replace(/^0x/, ''),
      ...(id !== undefined && typeof count === 'number' && { counter: { id, count } }),
    };
  });
}

/** The same samples, each with what its counter counted since the sample before as its period. */
export function withCountedPeriods(samples: readonly SampleLine[]): SampleLine[] {
  const lastCounts = new Map<string, number>();
  return samples.map((sample) => {
    if (sample.counter === undefined) throw new Error(`no count in ${sampleText(sample)}`);
    const { id, count } = sample.counter;
    const period = count - (lastCounts.get(id) ?? 0);
    lastCounts.set(id, count);
    return { ...sample, period };
  });
}

/** What a list of samples comes to, in the form in which a failure is quickly understood. */
export function summarize(samples: readonly SampleLine[]) {
  const events: Record<string, EventSummary> = {};
  const threads: Record<string, number> = {};
  for (const { event, comm, pid, tid, time, period } of samples) {
    const thread = `${comm} ${pid}/${tid}`;
    threads[thread] = (threads[thread] ?? 0) + 1;
    events[event] ??= { samples: 0, period: 0, firstTime: time, lastTime: time };
    const summary = events[event];
    summary.samples++;
    summary.period += period;
    summary.lastTime = time;
  }
  return { samples: samples.length, events, threads };
}

type EventSummary = {
  samples: number;
  period: number;
  readonly firstTime: bigint | null;
  lastTime: bigint | null;
};

/** A sample on one line, for lists that are compared. */
export function sampleText({ event, comm, pid, tid, time, period, ip }: SampleLine): string {
  return `${time ?? '-'} ${comm} ${pid}/${tid} ${event} ${period} ${ip}`;
}
