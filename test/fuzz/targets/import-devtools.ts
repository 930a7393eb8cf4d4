// Profiles of DevTools and speedscope: values of other types and sizes than they should have, and broken JSON.

import { memorySource } from '../../../src/base/byte-source.ts';
import { writeCpuProfile } from '../../../src/formats/export/cpuprofile.ts';
import { openImport } from '../../../src/read/open-import.ts';
import { checkProfile } from '../../helpers/check-profile.ts';
import { below, mutateBytes, pick, type Random } from '../mutate-bytes.ts';
import { type Target, toBytes, toText } from '../target.ts';

const CPUPROFILE = `{"nodes":[
{"id":1,"callFrame":{"functionName":"(root)","scriptId":"0","url":"","lineNumber":-1,"columnNumber":-1},"hitCount":0,"children":[2,3]},
{"id":2,"callFrame":{"functionName":"handle","scriptId":"7","url":"file:///srv/a.js","lineNumber":7,"columnNumber":22},"hitCount":2,"children":[4],"positionTicks":[{"line":9,"ticks":2}]},
{"id":3,"callFrame":{"functionName":"(idle)","scriptId":"0","url":"","lineNumber":-1,"columnNumber":-1},"hitCount":1},
{"id":4,"callFrame":{"functionName":"read","scriptId":"0","url":"/usr/lib/libc.so.6","lineNumber":-1,"columnNumber":-1},"hitCount":1}],
"startTime":1000,"endTime":1900,"samples":[2,4,3,2],"timeDeltas":[100,200,50,400]}`;

const HEAPPROFILE = `{"head":{"callFrame":{"functionName":"(root)"},"selfSize":0,"children":[
{"callFrame":{"functionName":"grow","url":"file:///srv/a.js","lineNumber":1,"columnNumber":3},"selfSize":524320,"children":[]}]}}`;

const SPEEDSCOPE = `{"$schema":"https://www.speedscope.app/file-format-schema.json","exporter":"perf-ts 1.0","name":"cpu-clock",
"shared":{"frames":[{"name":"main","file":"/bin/app"},{"name":"handle","file":"file:///srv/a.js","line":8,"col":23},{"name":"leaf"}]},
"profiles":[{"type":"sampled","name":"app (tid 7) cpu-clock, nanoseconds","unit":"nanoseconds","startValue":0,"endValue":9,
"samples":[[0,1],[0,1,2],[]],"weights":[4,2.5,2.5]},{"type":"evented","name":"calls","unit":"milliseconds","startValue":1,"endValue":7,
"events":[{"type":"O","frame":0,"at":1},{"type":"O","frame":2,"at":2},{"type":"C","frame":2,"at":5},{"type":"C","frame":0,"at":7}]}]}`;

const ODD = [
  null,
  -1,
  0,
  1e308,
  2 ** 53,
  0.5,
  '',
  '\x1b]0;x\x07',
  '(idle)',
  '__proto__',
  [],
  {},
  [[1]],
  true,
];

/** The value with one of the values inside of it replaced by an odd one, or by another of them. */
function replaceOne(value: unknown, random: Random): unknown {
  const isLeaf = typeof value !== 'object' || value === null || random() < 0.1;
  if (isLeaf) return pick(random, ODD);
  const entries = Object.entries(value);
  if (entries.length === 0) return pick(random, ODD);
  const [key, item] = pick(random, entries);
  const other = random() < 0.3 ? pick(random, entries)[1] : replaceOne(item, random);
  if (Array.isArray(value)) return value.with(Number(key), other);
  return { ...value, [key]: other };
}

function mutate(seeds: readonly Uint8Array[], random: Random): Uint8Array {
  const seed = pick(random, seeds);
  if (random() < 0.2) return mutateBytes(seed, pick(random, seeds), random);
  let value: unknown = JSON.parse(toText(seed));
  for (let times = 1 + below(random, 6); times > 0; times--) value = replaceOne(value, random);
  return toBytes(JSON.stringify(value));
}

export function devToolsSeeds(): Uint8Array[] {
  return [CPUPROFILE, HEAPPROFILE, SPEEDSCOPE].map(toBytes);
}

export const importDevTools: Target = {
  name: 'devtools',
  seeds: devToolsSeeds,
  mutate,
  read(bytes) {
    const imported = openImport(memorySource(bytes));
    if (imported === null) return;
    const { profile } = imported;
    checkProfile(profile);
    const values = new Float64Array(profile.samples.periodEvents);
    const unit = profile.events[0]?.unit ?? 'events';
    let text = '';
    writeCpuProfile(profile, { kind: 'events', unit, values }, {}, (part) => {
      text += part;
    });
    JSON.parse(text);
  },
};
