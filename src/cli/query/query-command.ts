import { type Command, Option } from 'commander';
import {
  allowUnpacked,
  collect,
  weightOption,
  withJavaScript,
  withSymbols,
} from '../command/reading-options.ts';

/** `perf-ts mcp`. */
export function declareMcp(program: Command): void {
  program
    .command('mcp')
    .description('a server for assistants (Model Context Protocol, on standard input and output)')
    .action(async () => {
      const { runMcp } = await import('../mcp/mcp.ts');
      await runMcp();
    });
}

/** `perf-ts query`; its code is loaded when it is run. */
export function declareQuery(program: Command): void {
  const command = withJavaScript(withSymbols(program.command('query')))
    .description('SQL over recordings, by DuckDB; or one of its questions by name')
    .argument(
      '<what>',
      'SQL, or top, callers, callees, lines, timeline, periods, ledger, diff, share, compare, rarest, newest',
    )
    .argument('[file...]', 'recordings (default perf.data), or folders of export --format parquet')
    .option('--func <name>', 'this function; * is anything')
    .option('-e, --event <name>', 'this event (default: the first)')
    .addOption(
      new Option('--by <what>', 'top: by what functions did, or with what they called').choices([
        'self',
        'total',
      ]),
    )
    .option('-n, --limit <rows>', 'rows of a question by name (default 20)')
    .option(
      '--baseline <old>',
      'diff: an older recording; may repeat, all files are new then',
      collect,
    )
    .option('--on <server>', 'ask clickhouse://HOST:8123/DATABASE in place of recordings')
    .option('--insert', 'with --on: add the recordings to the server first')
    .option('--service <name>', 'with --on: of this service; with --insert: the name it gets')
    .option('--build <name>', 'with --insert: the version that was recorded')
    .option('--sql', 'print the SQL, too')
    .option('--json', 'as JSON')
    .option('--csv', 'as CSV')
    .option('--md', 'as a table in Markdown')
    .option('--max-rows <rows>', 'stop after so many rows (default 10000)')
    .option('--timeout <seconds>', 'end the query after this time (default 60)')
    .option('--strict', 'fail on a file that was cut short')
    .option('-v, --verbose', 'more about what was found')
    .addOption(weightOption())
    .addHelpText(
      'after',
      `
Examples:
  perf-ts query top                                    functions, with their intervals
  perf-ts query callers --func parse --sql             who called it, and the SQL that asked
  perf-ts query 'select * from timeline where share > 0.5' app.data
  perf-ts query diff old.data new.data --md            as a table for a pull request
  perf-ts query share --func parse --on clickhouse://db/perf
Tables and views: docs/schema.md. DuckDB is a package of its own: npm install @duckdb/node-api`,
    )
    .action(async (what: string, files: string[], options) => {
      const { runQuery } = await import('./query.ts');
      await runQuery(what, files, options);
    });
  allowUnpacked(command);
}
