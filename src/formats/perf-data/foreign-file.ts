const MAGICS: readonly (readonly [magic: string, what: string])[] = [
  [
    '\x1f\x8b',
    'it is gzip-compressed (report, view, diff and query read a gzipped profile of pprof; gunzip a recording first)',
  ],
  ['\x28\xb5\x2f\xfd', 'it is zstd-compressed (unzstd it first)'],
  ['\xfd7zXZ', 'it is xz-compressed (unxz it first)'],
  ['BZh', 'it is bzip2-compressed (bunzip2 it first)'],
  ['PK\x03\x04', 'it is a zip archive'],
  ['\x7fELF', 'it is an ELF file (a program or library)'],
  ['JiTD', 'it is a jitdump file'],
  ['DTiJ', 'it is a jitdump file'],
  ['\x17\x08\x44tracing', 'it is a trace-cmd file (trace.dat)'],
  ['SQLite format 3', 'it is an SQLite database'],
  [
    'FLR\0',
    "it is a recording of Java's Flight Recorder (async-profiler's collapsed stacks are read: asprof -o collapsed)",
  ],
  [
    'Nettrace',
    'it is a trace of .NET (dotnet-trace convert makes one for speedscope, which is read)',
  ],
];

/** Texts by what is in their first lines. */
const TEXTS: readonly (readonly [pattern: RegExp, what: string])[] = [
  [
    /^go 1\.\d+ trace\0/,
    'it is an execution trace of Go: go tool trace reads it; a CPU profile (-cpuprofile) is read',
  ],
  [
    /^v8-version,/,
    "it is a log of V8's ticks, which node itself can process; a .cpuprofile of node is read",
  ],
  [
    /^\s*\{\s*"snapshot"\s*:\s*\{/,
    'it is a heap snapshot: DevTools reads it; a .heapprofile is read',
  ],
  [
    /^# (?:To display the perf\.data header info|Samples: \S+ +of event)/m,
    'it is the text of perf report: give the perf.data that it is of, or the text of perf script',
  ],
  [
    /^(?:.*\n)?\t *[0-9a-f]{3,16} \S.*\n(?:\t *[0-9a-f]{3,16} \S|\n)/,
    'it looks like stacks of perf script without threads and events: print all of its own fields',
  ],
];

/** How much of the file is looked at. */
const SNIFFED_BYTES = 4096;

// "swapper     0 [000] 4588.694649:   1 cpu-clock:" — comm, pid, time, event.
const PERF_SCRIPT_LINE = /^\s*\S.*\s+-?\d+(\/-?\d+)?\s+(\[\d+\]\s+)?\d+\.\d+:\s+(\d+\s+)?\S+:/m;
// "app;main;work 17"
const FOLDED_LINE = /^[^\s;][^;\n]*(;[^;\n]+)+ \d+(\.\d+)?$/m;

/** A description of a file that is not perf.data, as the end of a sentence. */
export function describeForeignFile(bytes: Uint8Array): string {
  if (bytes.length === 0) return 'it is empty';
  const head = bytes.subarray(0, SNIFFED_BYTES);
  const latin1 = Array.from(head, (byte) => String.fromCharCode(byte)).join('');
  for (const [magic, what] of MAGICS) if (latin1.startsWith(magic)) return what;
  if ('PERFILE2'.startsWith(latin1) || 'PERFFILE'.startsWith(latin1)) {
    return `only the first ${bytes.length} bytes of one`;
  }
  for (const [pattern, what] of TEXTS) if (pattern.test(latin1)) return what;
  if (head.every((byte) => byte === 0)) return 'it begins with zeros only';
  if (isText(head.filter((byte) => byte !== 0))) return describeText(latin1, bytes.indexOf(0));
  return 'it does not begin with PERFILE2';
}

/** Stacks as text are read, so those that come here are damaged. `nul`: where a NUL byte is, −1: beyond. */
function describeText(latin1: string, nul: number): string {
  const text = latin1.replaceAll('\0', '');
  if (/^\s*[{[]/.test(text)) return 'it looks like JSON';
  if (/^\s*<(?:!doctype\s+)?html\b/i.test(text)) {
    return 'it is an HTML page: open it in a browser, or give the recording that it was made of';
  }
  const what = PERF_SCRIPT_LINE.test(text)
    ? 'the text that perf script prints'
    : FOLDED_LINE.test(text)
      ? 'folded stacks'
      : null;
  if (what === null) return nul < 0 ? 'it looks like text' : 'it looks like text with NUL bytes';
  const why =
    nul < 0
      ? 'a NUL byte or too many other lines are among them'
      : `a NUL byte is at offset ${nul}: tr -d '\\0' takes it out`;
  return `it looks like ${what}, but ${why}`;
}

function isText(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte >= 0x20 || byte === 9 || byte === 10 || byte === 13);
}
