import { type ColumnType, type SchemaTable, TABLE_NAMES, tableColumns } from './schema.ts';
import { type SqlDialect, VIEW_NAMES, viewText } from './views.ts';

const TYPES: Record<SqlDialect, Record<ColumnType, string>> = {
  duckdb: { int32: 'integer', int64: 'bigint', double: 'double', text: 'varchar' },
  clickhouse: { int32: 'Int32', int64: 'Int64', double: 'Float64', text: 'String' },
};

/** Columns that ClickHouse's parts are sorted by: those most questions begin with. */
const ORDER: Record<SchemaTable, string> = {
  recordings: 'recording',
  events: 'recording, event',
  samples: 'recording, event, time_ns',
  stacks: 'recording, stack, depth',
  frames: 'recording, frame',
  functions: 'recording, event, func',
  ratios: 'recording, metric, func',
  threads: 'recording, thread',
  streams: 'recording, event, stream',
  marks: 'recording, start_ns',
  turns: 'recording, from_ns',
  awaits: 'recording, event, func',
  losses: 'recording, event',
};

/** The server knows the tokens of so many inserts: one that is sent again is there once. */
const KEEPS_TOKENS = 'non_replicated_deduplication_window = 10000';

export function createTable(table: SchemaTable, dialect: SqlDialect, keepsTokens = true): string {
  const columns = tableColumns(table).map(({ name, type, isNullable }) => {
    const own = TYPES[dialect][type];
    if (dialect === 'clickhouse') return `${name} ${isNullable ? `Nullable(${own})` : own}`;
    return `${name} ${own}${isNullable ? '' : ' not null'}`;
  });
  const engine =
    dialect === 'clickhouse'
      ? ` engine = MergeTree order by (${ORDER[table]})${keepsTokens ? ` settings ${KEEPS_TOKENS}` : ''}`
      : '';
  const once = dialect === 'clickhouse' ? 'if not exists ' : '';
  return `create table ${once}${table} (${columns.join(', ')})${engine}`;
}

/**
 * All statements that make an empty database of ClickHouse, one each; they may be repeated. Servers older than 22
 * know no tokens of inserts in such tables.
 */
export function clickHouseSchema(keepsTokens = true): string[] {
  return [
    ...TABLE_NAMES.map((table) => createTable(table, 'clickhouse', keepsTokens)),
    ...VIEW_NAMES.map(
      (view) => `create or replace view ${view} as ${viewText(view, 'clickhouse')}`,
    ),
  ];
}
