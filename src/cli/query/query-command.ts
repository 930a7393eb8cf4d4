import { Option } from 'commander';
import { OPTION_GROUP } from '../../options/groups.ts';
import type { GuidedCommand } from '../shared/guided-command.ts';
import {
  collect,
  weightOption,
  withJavaScript,
  withStrict,
  withSymbols,
} from '../shared/reading-options.ts';

/** `perf-ts query`; its code is loaded when it is run. */
export function declareQuery(program: GuidedCommand): void {
  withStrict(withJavaScript(withSymbols(program.command('query'))))
    .description('SQL over recordings, by DuckDB; or one of its questions by name')
    .argument(
      '<what>',
      'SQL, or top, callers, callees, lines, timeline, periods, ledger, diff, share, compare, rarest, newest',
    )
    .argument('[file...]', 'recordings (default perf.data), or folders of export --format parquet')
    .optionsGroup('Questions by name:')
    .option('--func <name>', 'this function; * is anything')
    .option('-e, --event <name>', 'this event (default the first)')
    .addOption(
      new Option(
        '--by <what>',
        'top: by what functions did, or with what they called (default self)',
      ).choices(['self', 'total']),
    )
    .option('-n, --limit <rows>', 'rows of a question by name (default 20)')
    .option(
      '--baseline <old>',
      'diff: an older recording; may repeat, all files are new then',
      collect,
    )
    .optionsGroup('Server:')
    .option('--on <server>', 'ask clickhouse://HOST:8123/DATABASE in place of recordings')
    .option('--insert', 'with --on: add the recordings to the server first')
    .option('--service <name>', 'with --on: of this service; with --insert: the name it gets')
    .option('--build <name>', 'with --insert: the version that was recorded')
    .optionsGroup(OPTION_GROUP.OUTPUT)
    .option('--sql', 'print the SQL, too')
    .option('--json', 'as JSON')
    .option('--csv', 'as CSV')
    .option('--md', 'as a table in Markdown')
    .option('--max-rows <rows>', 'stop after so many rows (default 10000)')
    .option('--timeout <seconds>', 'end the query after this time (default 60)')
    .addOption(weightOption())
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
    .action(async (what: string, files: string[], options) => {
      const { runQuery } = await import('./query.ts');
      await runQuery(what, files, options);
    });
}
