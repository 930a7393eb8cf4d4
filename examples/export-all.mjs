// Writes a recording in every format that perf-ts exports, next to the recording.
//   node examples/export-all.mjs perf.data

import { writeFileSync } from 'node:fs';
import { EXPORT_FORMATS, exportPprof, openProfile } from 'perf-ts';

const ENDINGS = { speedscope: 'speedscope.json', firefox: 'firefox.json' };

const path = process.argv[2] ?? 'perf.data';
const opened = await openProfile(path);
for (const format of EXPORT_FORMATS) {
  const output = `${path}.${ENDINGS[format] ?? format}`;
  // The page shows the sources of the hottest functions.
  const text = opened.export(format, { sourcesOf: path });
  writeFileSync(output, text);
  console.log(`${output}: ${text.length} characters`);
}
// pprof is compressed bytes, not text.
const bytes = await exportPprof(opened);
writeFileSync(`${path}.pb.gz`, bytes);
console.log(`${path}.pb.gz: ${bytes.length} bytes`);
