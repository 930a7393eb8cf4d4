import { ByteWriter, type ColumnSource, parquetWrite } from 'hyparquet-writer';
import {
  type ColumnData,
  type ColumnType,
  type SchemaTable,
  TABLES_VERSION,
  type TableRows,
  tableColumns,
} from './schema.ts';

const TYPES = { int32: 'INT32', int64: 'INT64', double: 'DOUBLE', text: 'STRING' } as const;

/** Collects a file in memory and tells the bytes so far after each group of rows. */
class CountedWriter extends ByteWriter {
  readonly #onBytes: (bytes: number) => void;

  constructor(onBytes: (bytes: number) => void) {
    super();
    this.#onBytes = onBytes;
  }

  flush(): void {
    this.#onBytes(this.offset);
  }
}

/**
 * A table of one recording as a Parquet file, compressed by Snappy. `onBytes` is given the bytes of the file so
 * far, each 100 000 rows.
 */
export function encodeParquet(
  table: SchemaTable,
  recording: number,
  { length, columns }: TableRows,
  createdBy: string,
  onBytes: (bytes: number) => void = () => {},
): Uint8Array {
  const described = tableColumns(table);
  const data = [new Float64Array(length).fill(recording), ...columns];
  const columnData = described.map(({ name, type, isNullable }, at): ColumnSource => {
    return { name, type: TYPES[type], nullable: isNullable, data: valuesOf(type, data[at]) };
  });
  const kvMetadata = [{ key: 'perf-ts.tables', value: String(TABLES_VERSION) }];
  const writer = new CountedWriter(onBytes);
  // With a writer that waits for nothing the file is complete at the return.
  void parquetWrite({ writer, columnData, createdBy, kvMetadata });
  return writer.getBytes();
}

/** Whole numbers of 64 bits as the writer takes them. */
function valuesOf(type: ColumnType, data: ColumnData): ColumnSource['data'] {
  if (type !== 'int64') return data as ColumnSource['data'];
  if (!(data instanceof Float64Array)) {
    return (data as readonly (number | null)[]).map((value) =>
      value === null ? null : BigInt(value),
    );
  }
  const values = new BigInt64Array(data.length);
  for (let i = 0; i < data.length; i++) values[i] = BigInt(data[i]);
  return values;
}
