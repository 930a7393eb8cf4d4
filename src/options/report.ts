import { GENERAL } from './general.ts';
import { OPTION_GROUP } from './groups.ts';
import { oneOf, percent, text, yesNo } from './kinds.ts';
import { commandOption, inGroup, options, pick } from './option.ts';
import {
  INPUT,
  JAVASCRIPT,
  JSON_OUTPUT,
  limitOrAlone,
  SELECTION,
  STRICT,
  SYMBOLS,
  WEIGHING,
} from './reading.ts';

const ONE_TABLE = 'each is a table of its own';

/** `perf-ts report`. */
export const REPORT = options({
  ...INPUT,
  ...STRICT,
  ...JSON_OUTPUT,
  ...SELECTION,
  ...SYMBOLS,
  ...JAVASCRIPT,
  ...pick(WEIGHING, 'weight', 'join', 'debuginfod'),
  ...inGroup('Table:', {
    tree: commandOption(yesNo, {
      flags: '--tree',
      isCommon: true,
      help: 'callers and callees instead of the flat table',
    }),
    marks: commandOption(yesNo, {
      flags: '--marks',
      help: 'requests, garbage collections, performance.measure(), child processes and more of the programs: how many, and how long',
      excludes: { tree: ONE_TABLE, by: ONE_TABLE, diff: ONE_TABLE },
    }),
    syscalls: commandOption(yesNo, {
      flags: '--syscalls',
      help: 'system calls of record --syscalls by function: how many, how long, how many bytes',
      excludes: { tree: ONE_TABLE, by: ONE_TABLE, diff: ONE_TABLE, marks: ONE_TABLE },
    }),
    by: commandOption(oneOf('request', 'await'), {
      flags: '--by <what>',
      help: 'request: routes of servers, how long they took, and what ran for them; await: what ran, by the functions that await it (record --async-stacks)',
      excludes: { tree: ONE_TABLE, diff: ONE_TABLE },
    }),
    callGraph: commandOption(text, {
      flags: '-g, --call-graph [how]',
      help: 'as in perf: --tree, with a least share and an order (graph,0.5,caller or callee)',
      alone: true,
    }),
    inverted: commandOption(yesNo, { flags: '-G, --inverted' }),
    sort: commandOption(text, {
      flags: '-s, --sort <keys>',
      isCommon: true,
      help: 'rows of the flat table: sym, dso, srcline, tier, category, comm, pid, tid, cpu, coretype, event, or a list',
      default: 'sym',
    }),
    children: commandOption(yesNo, {
      flags: [
        {
          flags: '--children',
          help: 'rows by total: what was done in them and in all that they called',
        },
        { flags: '--no-children', help: 'rows by self, without totals' },
      ],
    }),
    group: commandOption(yesNo, {
      flags: '--no-group',
      help: 'a table for each event of a group, in place of one for all',
    }),
  }),
  ...pick(WEIGHING, 'event'),
  ...inGroup('Table:', {
    limit: limitOrAlone('rows', 'how many rows, 0: all (default 40; of a tree 60)'),
    idle: commandOption(yesNo, {
      flags: '--idle',
      help: 'also what CPUs do that have nothing to do, which is hidden as in perf top',
      configurable: true,
    }),
    percentLimit: commandOption(percent, {
      flags: '--percent-limit <share>',
      help: 'leave out what is below this per cent (default 0; of a tree 0.5)',
    }),
    fields: commandOption(text, {
      flags: '-F, --fields <list>',
      help: 'columns: overhead, overhead_children, sample, period, and keys of --sort',
    }),
    diff: commandOption(text, {
      flags: '--diff <old>',
      help: 'changes of self against this older recording, with their intervals',
    }),
  }),
  ...inGroup(OPTION_GROUP.OUTPUT, {
    failOn: commandOption(text, {
      flags: '--fail-on <codes>',
      isCommon: true,
      help: 'end with status 3 where the recording has one of these findings (samples-lost, …), or one as bad as note, doubt or wrong',
    }),
    fieldSeparator: commandOption(text, {
      flags: '-t, --field-separator <separator>',
      help: 'for programs: fields with this between them',
    }),
    header: commandOption(yesNo, { flags: '--header', help: 'the header of the recording first' }),
    headerOnly: commandOption(yesNo, {
      flags: '--header-only',
      help: 'the header of the recording, and no report',
    }),
    stats: commandOption(yesNo, {
      flags: '--stats',
      help: 'how many records of each kind there are, and no report',
    }),
  }),
  quiet: GENERAL.quiet.with({ help: 'the table only: no lines with #, no messages' }),
  ...inGroup(OPTION_GROUP.GENERAL, {
    showInfo: commandOption(yesNo, { flags: '-I, --show-info' }),
    showTotalPeriod: commandOption(yesNo, { flags: '--show-total-period' }),
  }),
});
