// Writes a recording in every format that perf-ts exports, beside the recording.
//   node examples/export-all.mjs perf.data

import { writeFileSync } from 'node:fs';
import { EXPORT_FORMATS, openProfile } from 'perf-ts';

const ENDINGS = { speedscope: 'speedscope.json' };

const path = process.argv[2] ?? 'perf.data';
const opened = await openProfile(path);
for (const format of EXPORT_FORMATS) {
  const output = `${path}.${ENDINGS[format] ?? format}`;
  const text = opened.export(format);
  writeFileSync(output, text);
  console.log(`${output}: ${text.length} characters`);
}
