import { OPTION_GROUP } from '../../options/groups.ts';
import type { GuidedCommand } from '../shared/guided-command.ts';

/** `perf-ts agent`; its code is loaded when it is run. */
export function declareAgent(program: GuidedCommand): void {
  declareAgentOptions(
    program
      .command('agent')
      .description('profile this machine without an end, a profile of each service every 10 s'),
  ).action(async (options) => {
    const { runAgent } = await import('./agent.ts');
    await runAgent(options);
  });
}

/** The options of `agent`. */
function declareAgentOptions(command: GuidedCommand): GuidedCommand {
  return command
    .optionsGroup('Agent:')
    .option('--config <file>', 'JSON; read again when it changes and at SIGHUP')
    .option('--check-config', 'print what the configuration means, and end')
    .option('--duration <s>', 'stop by itself')
    .optionsGroup(OPTION_GROUP.GENERAL)
    .option('-q, --quiet', 'no notices')
    .optionsGroup('Without a file:')
    .option(
      '--sink <type:target>',
      'where profiles go, repeatable: pyroscope:URL, otlp:URL, parca:URL, coroot:URL, clickhouse://HOST/DB, folder:PATH',
      (value: string, all: string[] = []) => [...all, value],
    )
    .option('-F, --freq <hz>', 'samples a second and CPU (default 19)')
    .option('--window <s>', 'seconds of a profile (default 10)')
    .option(
      '--label <name=value>',
      'of every profile, repeatable',
      (value: string, all: string[] = []) => [...all, value],
    )
    .option('--spool <dir>', 'windows wait there while their sink is down (default in memory)')
    .option('--listen <host:port>', '/metrics and /healthz, on this machine')
    .option('--idle', 'also the time in which CPUs were idle')
    .examples([
      [
        'sudo perf-ts agent --sink folder:/var/lib/perf-ts',
        'a pprof file for each service, every 10 s',
      ],
      ['sudo perf-ts agent --sink pyroscope:http://host:4040', 'to Grafana Pyroscope'],
      [
        'sudo perf-ts agent --config /etc/perf-ts/agent.json',
        'as a service: docs/how-to/profile-a-fleet.md',
      ],
    ]);
}
