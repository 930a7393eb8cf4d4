import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import {
  type RecordingTables,
  type SchemaTable,
  TABLE_NAMES,
} from '../../../formats/tables/schema.ts';
import { insertStatement, tabSeparated } from '../../../formats/tables/tab-separated.ts';
import { serviceKey } from '../service/service.ts';
import type { ServiceProfile } from '../window/service-profiles.ts';
import type { WindowFacts } from './encode-pprof.ts';
import type { EncodedProfile } from './encoded-window.ts';
import { type WindowLabels, windowTables } from './window-tables.ts';

/** A block of rows that ClickHouse takes as a whole or not at all has at most so many (1 048 449). */
const MOST_ROWS = 1_000_000;
/** Speed: a window is made on the machine that is profiled. */
const GZIP_LEVEL = 4;
/** Bits of a recording's number below its second. */
const BELOW_SECONDS = 31n;

/**
 * A window as inserts for ClickHouse: for each table the rows of all services, and `recordings`, which makes
 * them known, last. An insert is its statement, a line, and the packed rows. Its id names the table and
 * the first recording in it: whoever finds rows of that there knows that it has arrived.
 */
export function encodeRows(
  services: readonly ServiceProfile[],
  window: WindowFacts,
  labels: WindowLabels,
  mostRows = MOST_ROWS,
): EncodedProfile[] {
  const parts = services.map((part) => ({
    recording: windowRecording(window, serviceKey(part.service)),
    tables: windowTables(part, window, labels),
  }));
  const order = TABLE_NAMES.filter((table) => table !== 'recordings');
  return [...order, 'recordings' as const].flatMap((table) =>
    insertsOf(table, parts, mostRows).map(({ recording, lines }) => ({
      id: `${table}.${recording}`,
      service: null,
      bytes: Buffer.concat([
        Buffer.from(`${insertStatement(table)}\n`),
        gzipSync(`${lines.join('\n')}\n`, { level: GZIP_LEVEL }),
      ]),
    })),
  );
}

/**
 * A number that no other window of a service has: of the second in which it began, so that parts are sorted
 * by time and can expire by it, and 31 bits by chance. Above 2^53.
 */
function windowRecording({ id, startNs }: WindowFacts, service: string): bigint {
  const hash = createHash('sha256').update(`${id}\0${service}`).digest().readUInt32BE(0);
  return ((startNs / 1_000_000_000n) << BELOW_SECONDS) | BigInt(hash >>> 1);
}

type ServiceTables = { readonly recording: bigint; readonly tables: RecordingTables };

/** Rows of whole services together, as long as they are not too many. */
function insertsOf(
  table: SchemaTable,
  parts: readonly ServiceTables[],
  mostRows: number,
): { readonly recording: bigint; readonly lines: string[] }[] {
  const inserts: { readonly recording: bigint; readonly lines: string[] }[] = [];
  for (const { recording, tables } of parts) {
    const { length, columns } = tables[table];
    if (length === 0) continue;
    let last = inserts.at(-1);
    if (last === undefined || last.lines.length + length > mostRows) {
      last = { recording, lines: [] };
      inserts.push(last);
    }
    for (let row = 0; row < length; row++) last.lines.push(tabSeparated(recording, columns, row));
  }
  return inserts;
}
