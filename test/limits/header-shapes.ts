// Recordings whose header lists more than anybody has: events, ids, feature sections.

import { ByteWriter } from '../../src/base/byte-writer.ts';
import { FEATURE } from '../../src/formats/perf-data/features.ts';
import { newAttr } from '../../src/kernel/perf-event/attr.ts';
import { below, pick, type Random } from '../fuzz/mutate-bytes.ts';
import { perfDataFile } from '../helpers/record-builder.ts';
import { filled, put } from './recording-shapes.ts';
import type { Shape } from './shape.ts';

const FEATURES = [...Object.values(FEATURE)].filter((feature) => feature < 256);

function string(out: ByteWriter, text: string): void {
  const length = (text.length + 1 + 63) & ~63;
  out
    .u32(length)
    .text(text)
    .zeros(length - text.length);
}

/** A count, then as many strings, numbers or words as fit: what most sections are. */
function section(random: Random, bytes: number): Uint8Array {
  const kind = below(random, 4);
  const isWide = random() < 0.5;
  return filled(bytes, (out, index) => {
    if (index === 0) {
      const count = pick(random, [2 ** 32 - 1, 2 ** 31, Math.ceil(bytes / 8), 1_000_000]);
      if (isWide) out.u64(count);
      else out.u32(count);
    } else if (kind === 0) string(out, `s${index}`);
    else if (kind === 1) out.u32(index);
    else if (kind === 2) out.u64(index);
    else string(out, 'x'.repeat(below(random, 5000)));
  });
}

const EVENT = { samplePeriod: 1000, sampleType: 7 };

export const headerShapes: readonly Shape[] = [
  {
    name: 'feature sections',
    make: (random, bytes) => {
      const chosen = FEATURES.filter(() => random() < 0.3).sort((a, b) => a - b);
      const each = bytes / Math.max(1, chosen.length);
      return perfDataFile({
        attrs: [{ attr: newAttr(EVENT), ids: [1] }],
        records: [],
        features: chosen.map((feature) => [feature, section(random, each)] as const),
      });
    },
  },
  {
    name: 'one feature section',
    make: (random, bytes) =>
      perfDataFile({
        attrs: [{ attr: newAttr(EVENT), ids: [1] }],
        records: [],
        features: [[pick(random, FEATURES), section(random, bytes)]],
      }),
  },
  {
    name: 'build IDs',
    make: (_random, bytes) =>
      perfDataFile({
        attrs: [{ attr: newAttr(EVENT), ids: [1] }],
        records: [],
        features: [
          [
            FEATURE.BUILD_ID,
            filled(bytes, (out, index) =>
              put(out, 0, 2, () => {
                out.u32(0xffffffff).u64(index).u64(index).u32(20).text(`/lib/${index}.so`).align(8);
              }),
            ),
          ],
        ],
      }),
  },
  {
    name: 'event descriptions',
    make: (_random, bytes) => {
      const out = new ByteWriter();
      const count = Math.ceil(bytes / 220);
      out.u32(count).u32(128);
      for (let i = 0; i < count; i++) {
        out.u32(0).u32(128).zeros(120).u32(1);
        string(out, `event-${i}`);
        out.u64(i);
      }
      return perfDataFile({
        attrs: [{ attr: newAttr(EVENT), ids: [1] }],
        records: [],
        features: [[FEATURE.EVENT_DESC, out.finish()]],
      });
    },
  },
  {
    name: 'events',
    make: (_random, bytes) => {
      const count = Math.min(200_000, Math.ceil(bytes / 180));
      const attr = newAttr(EVENT);
      const attrs = Array.from({ length: count }, (_unused, index) => ({ attr, ids: [index] }));
      const records = filled(bytes / 10, (out, index) =>
        put(out, 9, 2, () => out.u64(index).u32(10).u32(10).u64(index)),
      );
      return perfDataFile({ attrs, records: [records] });
    },
  },
  {
    name: 'ids of one event',
    make: (_random, bytes) => {
      const ids = Array.from({ length: Math.ceil(bytes / 8) }, (_unused, index) => index);
      return perfDataFile({ attrs: [{ attr: newAttr(EVENT), ids }], records: [] });
    },
  },
  {
    name: 'headers of a pipe',
    make: (random, bytes) => {
      const type = pick(random, [64, 65, 66, 67, 74, 75, 76, 78, 79, 80]);
      return filled(bytes, (out, index) => {
        if (index === 0) {
          out.text('PERFILE2').u64(16);
          put(out, 64, 0, () => out.u32(1).u32(64).u64(0).u64(1000).u64(7).zeros(32).u64(1));
        } else if (type === 64) {
          put(out, 64, 0, () => out.u32(1).u32(64).u64(index).u64(1).u64(7).zeros(32).u64(index));
        } else if (type === 80) {
          put(out, 80, 0, () => {
            out.u64(pick(random, FEATURES));
            string(out, `feature ${index}`);
          });
        } else put(out, type, 0, () => out.u64(index).u64(index).u64(8).u64(index).u64(index));
      });
    },
  },
];
