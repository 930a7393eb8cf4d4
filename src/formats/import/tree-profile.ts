import { asArray, asNumber, asObject } from './json-text.ts';

type Json = Readonly<Record<string, unknown>>;

/**
 * A .cpuprofile as V8 wrote it up to Node 7 and Chrome 57: a tree, times of samples in microseconds, and
 * lines and columns from 1.
 *
 *   { "head": { "functionName", "url", "lineNumber", "columnNumber", "id", "hitCount", "children": [node] },
 *     "startTime": seconds, "endTime": seconds, "samples": [id], "timestamps": [µs] }
 */
export function isTreeProfile(file: Json): boolean {
  return typeof asObject(file.head)?.functionName === 'string';
}

/** Converts such a profile to a list of nodes and times between samples, as later versions write it. */
export function listTreeProfile(file: Json): Json {
  const nodes: Json[] = [];
  // A list instead of recursion: a file may be nested as deep as it likes.
  const pending: { readonly node: unknown; readonly parent: unknown }[] = [
    { node: file.head, parent: undefined },
  ];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const node = asObject(next.node);
    if (node === null) continue;
    const { id, functionName, url, hitCount } = node;
    const lineNumber = asNumber(node.lineNumber, 0) - 1;
    const columnNumber = asNumber(node.columnNumber, 0) - 1;
    nodes.push({
      id,
      parent: next.parent,
      hitCount,
      callFrame: { functionName, url, lineNumber, columnNumber },
    });
    for (const child of asArray(node.children)) pending.push({ node: child, parent: id });
  }
  const times = asArray(file.timestamps).map((time) => asNumber(time, Number.NaN));
  const samples = asArray(file.samples);
  // Without a time for each sample there is no timeline, and hits are taken.
  if (times.length !== samples.length) return { nodes };
  const last = times.at(-1) ?? 0;
  return {
    nodes,
    samples,
    startTime: times[0],
    timeDeltas: times.map((time, i) => (i === 0 ? 0 : time - times[i - 1])),
    endTime: last + usualDelta(times),
  };
}

/** The last sample lasts as long as others: the file's end is on another clock. */
function usualDelta(times: readonly number[]): number {
  const { length } = times;
  return length < 2 ? 0 : Math.max(0, (times[length - 1] - times[0]) / (length - 1));
}
