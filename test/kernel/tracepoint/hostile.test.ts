import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { encodeTracingData } from '../../../src/formats/perf-data/encode-tracing-data.ts';
import { TracepointFormats } from '../../../src/kernel/tracepoint/tracepoint-formats.ts';
import { seededRandom } from '../../helpers/random.ts';
import { drawSample, integer } from '../../helpers/tracepoint-samples.ts';

const fixtures = join(dirname(fileURLToPath(import.meta.url)), 'fixtures');
const texts = readdirSync(fixtures)
  .filter((file) => file.endsWith('.format'))
  .map((file) => ({
    system: file.split(':')[0],
    text: readFileSync(join(fixtures, file), 'utf8'),
  }));

/** Every field and text of every format from bytes that mean nothing. */
function readAll(formats: TracepointFormats, random: () => number): void {
  for (const format of formats) {
    const bytes = Uint8Array.from({ length: Math.floor(random() * 200) }, () => random() * 256);
    const view = new DataView(bytes.buffer);
    expect(format.fields(view, 0, bytes.length, true)).toHaveLength(format.fieldList.length);
    // A length beyond the view is the sample's mistake, not a reason to read on.
    expect(typeof format.text(view, 0, 4096, true)).toBe('string');
  }
}

describe('hostile tracepoint data', () => {
  test('tracepoint data of any bytes is formatted without an exception', () => {
    const random = seededRandom(1);
    const formats = new TracepointFormats({
      formats: texts,
      longSize: 8,
      littleEndian: true,
    });
    for (let round = 0; round < 100; round++) readAll(formats, random);
  });

  test('damaged format files are parsed without an exception', () => {
    const random = seededRandom(2);
    const LETTERS = '()[]{}"\\\'%*;:,-+<>?=&|0x1 \n\tREC->__get_str';
    for (let round = 0; round < 300; round++) {
      const { system, text } = texts[Math.floor(random() * texts.length)];
      let changed = text;
      for (let change = 0; change < 4; change++) {
        const at = Math.floor(random() * changed.length);
        const letter = LETTERS[Math.floor(random() * LETTERS.length)];
        const skipped = Math.floor(random() * 3);
        changed = changed.slice(0, at) + letter + changed.slice(at + skipped);
      }
      readAll(
        new TracepointFormats({
          formats: [{ system, text: changed }],
          longSize: round % 2 === 0 ? 8 : 4,
          littleEndian: true,
        }),
        random,
      );
    }
  });

  test('damaged tracing data is parsed without an exception', () => {
    const random = seededRandom(3);
    const bytes = encodeTracingData({
      headerPage: '',
      headerEvent: '',
      formats: texts.slice(0, 4),
      pageSize: 4096,
    });
    for (let round = 0; round < 500; round++) {
      const changed = bytes.slice();
      changed[Math.floor(random() * changed.length)] = random() * 256;
      const formats = TracepointFormats.parse(changed);
      if (formats !== null) readAll(formats, random);
    }
  });

  test('a dynamic field that points outside its sample is bounded', () => {
    const pointing = (word: number) =>
      drawSample([['__data_loc char[] a', integer(word, 4)]], '"<%s>", __get_str(a)').text;
    expect(pointing((10 << 16) | 4096)).toBe('<>');
    expect(pointing((0xffff << 16) | 12)).toBe('<>');
    expect(pointing((2 << 16) | 0)).toBe('<M>');
  });

  test('long format lines are parsed in linear time', () => {
    for (const text of [' ', '[', '[]', 'a', 'a ', 'a[1]', '\t[ ']) {
      const declaration = text.repeat(20_000);
      const file = `name: ${declaration}\nID: 1\n\tfield:${declaration};\toffset:8;\tsize:4;\n`;
      const formats = new TracepointFormats({
        formats: [{ system: 'x', text: `name: y\nID: 2\n${file}print fmt: ${declaration}` }],
        longSize: 8,
        littleEndian: true,
      });
      expect(formats.of(2)?.fieldList).toEqual([]);
      expect(formats.of(2)?.notEvaluated).not.toBeNull();
    }
  });

  test('a print fmt width is bounded', () => {
    const { text } = drawSample([['int a', integer(0x7fffffff, 4), true]], '"%*d", REC->a, 1');
    expect(text).toHaveLength(65536);
    expect(drawSample([], '"%99999999999d", 1').text).toHaveLength(65536);
    expect(drawSample([], '"%.99999999999d", 1').text).toHaveLength(65536);
  });
});
