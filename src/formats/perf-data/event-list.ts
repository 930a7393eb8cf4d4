import type { ByteSource } from '../../base/byte-source.ts';
import type { Diagnostics } from '../../base/diagnostics.ts';
import { PerfDataError } from '../../base/errors.ts';
import { readU64 } from '../../base/u64.ts';
import { type EventAttr, parseAttr } from '../../kernel/perf-event/attr.ts';
import {
  computeParseInfo,
  newerFields,
  type ParseInfo,
} from '../../kernel/perf-event/parse-info.ts';
import type { EventDescription } from './feature-sections.ts';
import type { FileHeader } from './header.ts';

/** One event of the recording, in file order. */
export type RecordedEvent = {
  readonly attr: EventAttr;
  /** The kernel's ids of its instances, one per CPU or thread. */
  readonly ids: readonly number[];
  /** The name as the recorder wrote it, `cycles:u`; null if it did not. */
  readonly name: string | null;
  readonly info: ParseInfo;
};

/** An attr with its ids, before names are known. */
export type AttrWithIds = { readonly attr: EventAttr; readonly ids: readonly number[] };

const SECTION_SIZE = 16;

/** `struct perf_file_attr { struct perf_event_attr attr; struct perf_file_section ids; } [nr]` */
export function readFileAttrs(
  source: ByteSource,
  header: FileHeader,
  diagnostics: Diagnostics,
): AttrWithIds[] {
  const { attrs, attrStride, littleEndian } = header;
  if (attrs.offset + attrs.size > source.size) {
    throw new PerfDataError(
      'truncated-header',
      `the file ends before its ${attrs.size} bytes of attrs: it has ${source.size} bytes`,
      attrs.offset,
    );
  }
  const count = attrs.size === 0 ? 0 : Math.floor(attrs.size / attrStride);
  if (count === 0) diagnostics.count('header-without-events');
  // The ids lie before the records: a file that ends there is reported as cut.
  const isCut = header.data.offset > source.size;
  const list: AttrWithIds[] = [];
  // Lists that lie over each other would be more than the file has.
  let left = source.size;
  for (let i = 0; i < count; i++) {
    const offset = attrs.offset + i * attrStride;
    const bytes = source.read(offset, attrStride);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const attr = parseAttr(view, attrStride - SECTION_SIZE, littleEndian);
    const idsOffset = readU64(view, attrStride - SECTION_SIZE, littleEndian);
    const idsSize = readU64(view, attrStride - 8, littleEndian);
    const there = Math.max(0, Math.min(idsSize, source.size - idsOffset, left));
    if (there < idsSize && !isCut) {
      diagnostics.count('event-ids-cut', `0x${idsOffset.toString(16)}`);
    }
    left -= there;
    list.push({ attr, ids: parseIds(source.read(idsOffset, there), littleEndian) });
  }
  return list;
}

/** `u64 ids[]` */
export function parseIds(bytes: Uint8Array, littleEndian: boolean): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const ids: number[] = [];
  for (let at = 0; at + 8 <= bytes.length; at += 8) ids.push(readU64(view, at, littleEndian));
  return ids;
}

/**
 * Completes the events: names come from the EVENT_DESC section (by id where both sides have ids,
 * else by position, as perf does) or, in a pipe, from EVENT_UPDATE records.
 */
export function completeEvents(
  attrs: readonly AttrWithIds[],
  descriptions: readonly EventDescription[],
  namesById: ReadonlyMap<number, string>,
  littleEndian: boolean,
  diagnostics: Diagnostics,
): RecordedEvent[] {
  const describedBy = new Map<number, EventDescription>();
  for (const event of descriptions) {
    for (const id of event.ids) if (!describedBy.has(id)) describedBy.set(id, event);
  }
  return attrs.map(({ attr, ids }, index) => {
    const newer = newerFields(attr);
    if (newer !== null) {
      diagnostics.count('event-fields-newer', newer);
    }
    const described = describedBy.get(ids[0]) ?? descriptions[index];
    const update = ids.map((id) => namesById.get(id)).find((name) => name !== undefined);
    return {
      attr,
      ids,
      name: update ?? described?.name ?? null,
      info: computeParseInfo(attr, littleEndian),
    };
  });
}
