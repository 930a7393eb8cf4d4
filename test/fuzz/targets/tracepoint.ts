// Tracing data: the header of trace-cmd, format files, print fmts, raw data.

import { encodeTracingData } from '../../../src/formats/perf-data/encode-tracing-data.ts';
import { TracepointFormats } from '../../../src/kernel/tracepoint/tracepoint-formats.ts';
import { below, mutateBytes, pick, type Random } from '../mutate-bytes.ts';
import { mutateText } from '../mutate-text.ts';
import { repositoryFiles } from '../repository.ts';
import { type Target, toBytes, toText } from '../target.ts';

const formats = () => repositoryFiles('test/kernel/tracepoint/fixtures', '.format');

/** A line longer than this out of 200 bytes of raw data is an attack. */
const LONGEST_LINE = 2 ** 22;

function printAll(
  formats: Iterable<NonNullable<ReturnType<TracepointFormats['of']>>>,
  random: Random,
) {
  for (const format of formats) {
    const bytes = new Uint8Array(below(random, 200));
    for (let i = 0; i < bytes.length; i++) bytes[i] = random() < 0.5 ? 0 : below(random, 256);
    const view = new DataView(bytes.buffer);
    format.fields(view, 0, bytes.length, true);
    const text = format.text(view, 0, random() < 0.9 ? bytes.length : 4096, true);
    if (text.length > LONGEST_LINE) throw new RangeError(`${text.length} characters`);
  }
}

export const tracepointTargets: readonly Target[] = [
  {
    name: 'tracing-data',
    seeds: () => {
      const texts = formats().map(({ name, text }) => ({
        system: name.split(':')[0],
        text,
      }));
      return [0, 4, 8].map((from) =>
        encodeTracingData({
          headerPage: 'field: u64 timestamp;',
          headerEvent: '# compressed entry header',
          formats: texts.slice(from, from + 4),
          pageSize: 4096,
          littleEndian: from !== 4,
        }),
      );
    },
    mutate: (all, random) => mutateBytes(pick(random, all), pick(random, all), random),
    read(bytes, random) {
      const parsed = TracepointFormats.parse(bytes);
      if (parsed !== null) printAll(parsed, random);
    },
  },
  {
    name: 'tracepoint-format',
    seeds: () => formats().map(({ text }) => toBytes(text)),
    mutate: (all, random) => {
      const [seed, other] = [toText(pick(random, all)), toText(pick(random, all))];
      const at = seed.indexOf('print fmt:');
      // Half of the changes in what is a language of its own.
      if (random() < 0.5 || at < 0) return toBytes(mutateText(seed, other, random));
      return toBytes(seed.slice(0, at + 10) + mutateText(seed.slice(at + 10), other, random));
    },
    read(bytes, random) {
      const texts = [{ system: 'system', text: toText(bytes) }];
      const longSize = random() < 0.8 ? 8 : 4;
      printAll(new TracepointFormats({ formats: texts, longSize, littleEndian: true }), random);
    },
  },
];
