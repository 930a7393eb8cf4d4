/**
 * A recording as `perf script` prints it: two threads, two seconds, a sample each millisecond.
 * The first second is spent in `parse`, the second in `render`; `idle` waits in between. `slow`
 * makes `parse` cost more, to have something to compare with.
 */
export function recordingText({ slow = 0 }: { slow?: number } = {}): string {
  const lines: string[] = [];
  for (let ms = 0; ms < 2000; ms++) {
    // Between the two there is a gap of a fifth of a second.
    if (ms >= 900 && ms < 1100) continue;
    const tid = ms % 4 === 0 ? 102 : 101;
    const comm = tid === 101 ? 'server' : 'worker';
    const isParsing = ms < 1000 || ms % 100 < slow;
    lines.push(sample(comm, 100, tid, ms, isParsing ? parsing(ms) : rendering(ms)));
  }
  return lines.join('\n');
}

/** One sample; `stack` is leaf first, `name (dso)`. It stands for a millisecond unless said otherwise. */
export function sample(
  comm: string,
  pid: number,
  tid: number,
  ms: number,
  stack: readonly string[],
  { event = 'cpu-clock', period = 1_000_000 } = {},
): string {
  const seconds = (1000 + ms / 1000).toFixed(6);
  const frames = stack.map((frame) => `\t${addressOf(frame)} ${frame}`);
  return [`${comm} ${pid}/${tid} [000] ${seconds}: ${period} ${event}: `, ...frames, ''].join('\n');
}

function parsing(ms: number): string[] {
  const leaf = ms % 3 === 0 ? 'readToken (/usr/bin/app)' : 'skipSpace (/usr/bin/app)';
  return [leaf, 'parse (/usr/bin/app)', 'handle (/usr/bin/app)', 'main (/usr/bin/app)'];
}

function rendering(ms: number): string[] {
  const leaf = ms % 2 === 0 ? 'paintCell (/usr/lib/libdraw.so)' : 'memcpy (/usr/lib/libc.so.6)';
  return [leaf, 'render (/usr/bin/app)', 'handle (/usr/bin/app)', 'main (/usr/bin/app)'];
}

const addresses = new Map<string, string>();

/** Each function lies somewhere else. */
function addressOf(frame: string): string {
  const address = addresses.get(frame) ?? (0x401000 + addresses.size * 0x100).toString(16);
  addresses.set(frame, address);
  return address;
}
