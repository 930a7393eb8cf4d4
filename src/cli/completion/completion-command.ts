import { Argument } from 'commander';
import type { GuidedCommand } from '../shared/guided-command.ts';

/** Declares `completion`. Its code is loaded when it is run. */
export function declareCompletion(program: GuidedCommand): void {
  program
    .command('completion')
    .description('completion of commands, options, values and events, for a shell')
    .addArgument(
      new Argument('<shell>', 'for which shell; events prints the names that complete -e').choices([
        'bash',
        'zsh',
        'fish',
        'events',
      ]),
    )
    .examples([
      ['eval "$(perf-ts completion bash)"', 'in ~/.bashrc'],
      ['source <(perf-ts completion zsh)', 'in ~/.zshrc, after compinit'],
      ['perf-ts completion fish | source', 'in ~/.config/fish/config.fish'],
    ])
    .action(async (shell: string) => {
      const { runCompletion } = await import('./completion.ts');
      runCompletion(shell, program);
    });
}
