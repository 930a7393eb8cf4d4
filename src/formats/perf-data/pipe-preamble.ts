import { ByteCursor } from '../../base/byte-cursor.ts';
import type { ByteSource } from '../../base/byte-source.ts';
import type { Diagnostics } from '../../base/diagnostics.ts';
import { PerfDataError } from '../../base/errors.ts';
import { ATTR_SIZE_VER0, parseAttr } from '../../kernel/perf-event/attr.ts';
import {
  PERF_EVENT_UPDATE,
  PERF_RECORD,
  recordTypeName,
} from '../../kernel/perf-event/constants.ts';
import { RECORD_HEADER_SIZE } from '../../kernel/perf-event/record-view.ts';
import { type BuildIdEntry, parseBuildIds } from './build-id-section.ts';
import { type AttrWithIds, parseIds } from './event-list.ts';
import { FEATURE } from './features.ts';
import type { FileSection, PipeHeader } from './header.ts';
import { findAppendixPart } from './pipe-appendix.ts';
import { walkRange } from './record-walk.ts';

/** The records that a pipe has instead of a header. */
export type PipePreamble = {
  readonly attrs: readonly AttrWithIds[];
  /** The place of each feature's payload. */
  readonly features: ReadonlyMap<number, FileSection>;
  readonly namesById: ReadonlyMap<number, string>;
  readonly buildIds: readonly BuildIdEntry[];
  /** The places of the parts of the appendix, in their order. */
  readonly appendixParts: readonly FileSection[];
};

/**
 * Collects the describing records of a pipe. perf writes them first, but tools that rewrite pipes
 * put some of them anywhere, so all records are looked at.
 *
 *   struct { header; struct perf_event_attr attr; u64 id[]; }        HEADER_ATTR
 *   struct { header; u64 feat_id; char data[]; }                     HEADER_FEATURE
 *   struct { header; u64 type; u64 id; char name[]; }                EVENT_UPDATE, type NAME
 *   struct { header; u32 size; } char data[size];                    HEADER_TRACING_DATA
 *   struct build_id_event                                            HEADER_BUILD_ID
 */
export function readPipePreamble(
  source: ByteSource,
  header: PipeHeader,
  diagnostics: Diagnostics,
): PipePreamble {
  const { littleEndian } = header;
  const attrs: AttrWithIds[] = [];
  const features = new Map<number, FileSection>();
  const namesById = new Map<number, string>();
  const buildIds: BuildIdEntry[] = [];
  const appendixParts: FileSection[] = [];
  const end = walkRange(source, header.dataOffset, source.size, littleEndian, true, {
    record(record) {
      const { type, fileOffset } = record;
      const isDescribing =
        type === PERF_RECORD.HEADER_ATTR ||
        type === PERF_RECORD.HEADER_FEATURE ||
        type === PERF_RECORD.EVENT_UPDATE ||
        type === PERF_RECORD.HEADER_TRACING_DATA ||
        type === PERF_RECORD.HEADER_BUILD_ID;
      if (!isDescribing) return;
      try {
        readDescribing(type, record.bytes(), fileOffset);
      } catch (error) {
        if (!(error instanceof PerfDataError)) throw error;
        const where = `${error.message} at 0x${fileOffset.toString(16)}`;
        const subject = recordTypeName(type);
        diagnostics.count({ code: 'describing-record-unreadable', subject }, where);
      }
    },
  });
  // Of a cut pipe the cut is reported, which explains it.
  if (attrs.length === 0 && end.truncatedAt < 0) diagnostics.count('pipe-without-events');
  return { attrs, features, namesById, buildIds, appendixParts };

  function readDescribing(type: number, record: Uint8Array, fileOffset: number): void {
    const body = record.subarray(RECORD_HEADER_SIZE);
    const cursor = new ByteCursor(body, littleEndian);
    switch (type) {
      case PERF_RECORD.HEADER_ATTR:
        attrs.push(parseHeaderAttr(body, littleEndian));
        break;
      case PERF_RECORD.HEADER_FEATURE: {
        const feature = cursor.u64();
        const offset = fileOffset + RECORD_HEADER_SIZE + cursor.position;
        const part =
          feature === FEATURE.VERSION
            ? findAppendixPart(body.subarray(cursor.position), littleEndian)
            : null;
        if (part !== null) {
          appendixParts.push({ offset: offset + part.offset, size: part.size });
          break;
        }
        // perf ends the list with an empty record whose number is that of its newest feature + 1.
        if (cursor.left > 0) features.set(feature, { offset, size: cursor.left });
        break;
      }
      case PERF_RECORD.HEADER_TRACING_DATA:
        features.set(FEATURE.TRACING_DATA, {
          offset: fileOffset + record.length,
          size: cursor.u32(),
        });
        break;
      case PERF_RECORD.HEADER_BUILD_ID:
        buildIds.push(...parseBuildIds(new ByteCursor(record, littleEndian)));
        break;
      case PERF_RECORD.EVENT_UPDATE: {
        const updateType = cursor.u64();
        const id = cursor.u64();
        if (updateType === PERF_EVENT_UPDATE.NAME) namesById.set(id, cursor.text(cursor.left));
        break;
      }
    }
  }
}

/** The attr has the length that it says; the ids take the rest of the record. */
function parseHeaderAttr(body: Uint8Array, littleEndian: boolean): AttrWithIds {
  if (body.length < ATTR_SIZE_VER0) {
    throw new PerfDataError('short', `an attr of ${body.length} bytes, at least 64 expected`);
  }
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  const attr = parseAttr(view, body.length, littleEndian);
  const attrSize = Math.max(attr.size, ATTR_SIZE_VER0);
  return { attr, ids: parseIds(body.subarray(Math.min(attrSize, body.length)), littleEndian) };
}
