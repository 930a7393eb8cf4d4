import { QUERY } from '../../options/query.ts';
import type { GuidedCommand } from '../shared/guided-command.ts';

/** `perf-ts query`; its code is loaded when it is run. */
export function declareQuery(program: GuidedCommand): void {
  program
    .command('query')
    .description('SQL over recordings, by DuckDB; or one of its questions by name')
    .argument(
      '<what>',
      'SQL, or top, callers, callees, lines, timeline, threads, periods, ledger, diff, share, compare, rarest, newest',
    )
    .argument('[file...]', 'recordings (default perf.data), or folders of export --format parquet')
    .examples(
      [
        ['perf-ts query top', 'functions, with their intervals'],
        ['perf-ts query callers --func parse --sql', 'who called it, and the SQL that asked'],
        [
          "perf-ts query 'select * from timeline where share > 0.5' app.data",
          'rows of a view, by SQL',
        ],
        ['perf-ts query diff old.data new.data --md', 'as a table for a pull request'],
        [
          'perf-ts query share --func parse --on clickhouse://db/perf',
          'many recordings, on a server',
        ],
      ],
      [
        'Tables and views: docs/schema.md. DuckDB is a package of its own: npm install @duckdb/node-api',
      ],
    )
    .asks(QUERY, async (options, what: string, files: string[]) => {
      const { runQuery } = await import('./query.ts');
      await runQuery(what, files, options);
    });
}
