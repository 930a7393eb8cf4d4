import { OPTION_GROUP } from '../options/groups.ts';
import { packageVersion } from '../system/version.ts';
import { declareAgent } from './agent/agent-command.ts';
import { declareAnnotate } from './annotate/annotate-command.ts';
import { declareArchive } from './archive/archive-command.ts';
import { declareCompletion } from './completion/completion-command.ts';
import { declareCpu } from './cpu/cpu-command.ts';
import { declareDiff } from './diff/diff-command.ts';
import { declareDoctor } from './doctor/doctor-command.ts';
import { declareExport } from './export/export-command.ts';
import { acceptSameOptions } from './habits/same-options.ts';
import { declareInfo } from './info/info-command.ts';
import { declareInject } from './inject/inject-command.ts';
import { declareList } from './list/list-command.ts';
import { declareMcp } from './mcp/mcp-command.ts';
import { declarePeriods } from './periods/periods-command.ts';
import { declareQuery } from './query/query-command.ts';
import { declareRecord } from './record/record-command.ts';
import { declareBuildIdList, declareEvlist } from './recording-lists/recording-lists-command.ts';
import { declareReport } from './report/report-command.ts';
import { declareRun } from './run/run-command.ts';
import { declareScript } from './script/script-command.ts';
import { declareGeneralOptions, declareShortHelp } from './shared/general-options.ts';
import { GuidedCommand } from './shared/guided-command.ts';
import { LISTED_TOPICS } from './shared/topic-names.ts';
import { declareStat } from './stat/stat-command.ts';
import { declareTop } from './top/top-command.ts';
import { declareTurns } from './turns/turns-command.ts';
import { declareVersion } from './version/version-command.ts';
import { declareView } from './view/view-command.ts';

/** Commands in the order of the help. */
const COMMANDS: Readonly<Record<string, readonly ((program: GuidedCommand) => void)[]>> = {
  'Measure:': [declareRun, declareRecord, declareStat, declareTop, declareAgent],
  'Look:': [
    declareReport,
    declareView,
    declareDiff,
    declareAnnotate,
    declareTurns,
    declarePeriods,
    declareScript,
  ],
  'Hand on:': [declareExport, declareInject, declareArchive],
  'Ask:': [declareQuery, declareMcp],
  'What a recording has:': [declareInfo, declareEvlist, declareBuildIdList],
  'This machine:': [declareDoctor, declareList, declareCpu, declareVersion, declareCompletion],
};

/**
 * The command line as it is declared: every command with its options, examples and defaults. Help, the
 * completions, the pages in docs/reference/commands and the man pages are all made of it. Nothing runs, and
 * the code of no command is loaded: `record` must not pay for the viewer.
 *
 * `prepare` is called before the commands are added, which take over what it sets.
 */
export function declareProgram(prepare: (program: GuidedCommand) => void = () => {}) {
  const program = new GuidedCommand('perf-ts')
    .description('The Linux sampling profiler for people who live in Node and TypeScript.')
    .optionsGroup(OPTION_GROUP.GENERAL)
    .version(packageVersion(), '-V, --version', 'print the version')
    .helpOption('--help', 'print this help')
    .enablePositionalOptions()
    .showSuggestionAfterError(false);
  declareShortHelp(program);
  prepare(program);
  program.examples(
    [
      ['perf-ts app.js', 'where its time goes'],
      ['perf-ts -p 1234', 'the same of a process that runs, until Ctrl-C'],
      ['perf-ts record -- node app.js', 'sample a program, write perf.data'],
      ['perf-ts report', 'where the time went'],
      ['perf-ts view', 'the same in the browser: flame graph, source'],
      ['perf-ts periods', 'how the period behaved, what was lost'],
      ['perf-ts diff', 'what changed since the recording before'],
      ['perf-ts export -o app.html', 'one page with the flame graph'],
      ['perf-ts doctor', 'what stands in the way here'],
    ],
    [
      'Exit status: that of the command that ran. 2: the command line is wrong. 3: more was lost than ' +
        '--fail-on-loss allows. 125: perf-ts failed. 126, 127: the command cannot be run, or is not there.',
      'perf-ts COMMAND --help has the options of a command, and so has man perf-ts-COMMAND where perf-ts is installed globally.',
      'A mistake of perf-ts: report it where you have the package from, with what perf-ts doctor prints.',
    ],
  );
  for (const [heading, declarations] of Object.entries(COMMANDS)) {
    program.commandsGroup(heading);
    for (const declare of declarations) declare(program);
  }
  program.helpCommand('help [command|topic]', `the help of a command, or on ${LISTED_TOPICS}`);
  // A GuidedCommand creates its own kind.
  for (const command of program.commands as readonly GuidedCommand[]) {
    declareGeneralOptions(command);
    acceptSameOptions(command);
  }
  return program;
}
