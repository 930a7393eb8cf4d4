import { AGENT } from '../../options/agent.ts';
import type { GuidedCommand } from '../shared/guided-command.ts';

/** `perf-ts agent`; its code is loaded when it is run. */
export function declareAgent(program: GuidedCommand): void {
  declareAgentOptions(
    program
      .command('agent')
      .description('profile this machine without an end, a profile of each service every 10 s'),
  ).asks(AGENT, async (flags) => {
    const { runAgent } = await import('./agent.ts');
    await runAgent(flags);
  });
}

/** The options of `agent`. */
function declareAgentOptions(command: GuidedCommand): GuidedCommand {
  return command.examples([
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
