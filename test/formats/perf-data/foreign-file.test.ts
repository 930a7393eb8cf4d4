import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { memorySource } from '../../../src/base/byte-source.ts';
import { PerfDataError } from '../../../src/base/errors.ts';
import { openPerfData } from '../../../src/formats/perf-data/reader.ts';

const FOREIGN: readonly [content: string | Uint8Array, what: string][] = [
  ['', 'it is empty'],
  ['PERFI', 'only the first 5 bytes of one'],
  [
    'app;main;work 17\napp;main 3\n',
    'it looks like folded stacks, but a NUL byte or too many other lines are among them',
  ],
  [
    'app;ma\0in;work 17\napp;main 3\n',
    "it looks like folded stacks, but a NUL byte is at offset 6: tr -d '\\0' takes it out",
  ],
  [
    'swapper     0 [000]  4588.694649:     1000 cpu-clock: \n\tffffffff81415c9c default_idle\n',
    'it looks like the text that perf script prints, but a NUL byte or too many other lines are among them',
  ],
  ['{"$schema": "https://www.speedscope.app/file-format-schema.json"}', 'it looks like JSON'],
  ['some notes\n', 'it looks like text'],
  [
    '<!DOCTYPE html>\n<title>notes</title>',
    'it is an HTML page: open it in a browser, or give the recording that it was made of',
  ],
  [
    gzipSync('PERFILE2'),
    'it is gzip-compressed (report, view, diff and query read a gzipped profile of pprof; gunzip a recording first)',
  ],
  [Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0, 0), 'it is zstd-compressed (unzstd it first)'],
  [
    'FLR\0\0\x02\0\x01',
    "it is a recording of Java's Flight Recorder (async-profiler's collapsed stacks are read: asprof -o collapsed)",
  ],
  [
    'Nettrace\x14\0\0\0!FastSerialization.1',
    'it is a trace of .NET (dotnet-trace convert makes one for speedscope, which is read)',
  ],
  [
    'go 1.19 trace\0\0\0',
    'it is an execution trace of Go: go tool trace reads it; a CPU profile (-cpuprofile) is read',
  ],
  [
    'v8-version,11,3,244,8,-node.38,0\nv8-platform,linux,linux\n',
    "it is a log of V8's ticks, which node itself can process; a .cpuprofile of node is read",
  ],
  [
    '{"snapshot":{"meta":{"node_fields":[]}}}',
    'it is a heap snapshot: DevTools reads it; a .heapprofile is read',
  ],
  [
    '# To display the perf.data header info, please use --header/--header-only options.\n#\n#\n',
    'it is the text of perf report: give the perf.data that it is of, or the text of perf script',
  ],
  [
    'pf \n\t            115b fa\n\npf \n\t            115b fa\n',
    'it looks like stacks of perf script without threads and events: print all of its own fields',
  ],
  ['\x7fELF\x02\x01\x01\0\0\0\0', 'it is an ELF file (a program or library)'],
  [new Uint8Array(100), 'it begins with zeros only'],
  [Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9), 'it does not begin with PERFILE2'],
];

test.each(FOREIGN)('%j is refused: %s', (content, what) => {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  const open = () => openPerfData(memorySource(bytes));
  expect(open).toThrow(PerfDataError);
  expect(open).toThrow(`not a perf.data file: ${what}`);
});
