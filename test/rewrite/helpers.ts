import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memorySource } from '../../src/base/byte-source.ts';
import { openPerfData, type PerfData } from '../../src/formats/perf-data/reader.ts';
import type { RewriteOptions } from '../../src/options/inject.ts';
import { createZstdDecoder } from '../../src/read/files/zstd.ts';
import type { RewriteSummary } from '../../src/rewrite/rewrite-recording.ts';
import { rewriteRecording } from '../../src/rewrite/rewrite-recording.ts';

export type Rewrite = {
  readonly summary: RewriteSummary;
  readonly bytes: Uint8Array;
  readonly data: PerfData;
};

/** Writes `bytes` to a file, rewrites it to another, and opens that. */
export function rewritten(bytes: Uint8Array, options: RewriteOptions = {}): Rewrite {
  const directory = mkdtempSync(join(tmpdir(), 'perf-ts-inject-'));
  try {
    const input = join(directory, 'in.data');
    const output = join(directory, 'out.data');
    writeFileSync(input, bytes);
    const summary = rewriteRecording(input, output, options);
    const written = new Uint8Array(readFileSync(output));
    return { summary, bytes: written, data: open(written) };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

export function open(bytes: Uint8Array): PerfData {
  return openPerfData(memorySource(bytes), { createZstdDecoder });
}

export type WalkedRecord = { readonly type: number; readonly misc: number; readonly hex: string };

/** Every record in file order, its bytes as hex. */
export function recordsOf(data: PerfData): WalkedRecord[] {
  const records: WalkedRecord[] = [];
  data.walk(
    {
      record(record) {
        const { view, offset, size, type, misc } = record;
        const bytes = Buffer.from(view.buffer, view.byteOffset + offset, size);
        records.push({ type, misc, hex: bytes.toString('hex') });
      },
    },
    1 << 20,
  );
  return records;
}
