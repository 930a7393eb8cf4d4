import { parseFormatFile } from './format-file.ts';
import { parseTracingData } from './tracing-data.ts';

/**
 * `system:name` of each tracepoint in a TRACING_DATA section or record, by id; empty where the bytes
 * are none. Pipes of perf before 4.0 name their events nowhere else.
 */
export function readTracepointNames(tracingData: Uint8Array): ReadonlyMap<number, string> {
  const names = new Map<number, string>();
  const parts = parseTracingData(tracingData);
  if (parts === null) return names;
  for (const { system, text } of parts.formats) {
    const file = parseFormatFile(text, parts.longSize);
    if (file !== null && !names.has(file.id)) names.set(file.id, `${system}:${file.name}`);
  }
  return names;
}
