// The programs that run plain and recorded. Each is a file of `programs/` whose first line names what it touches.

/** One program, as words after Node's own options. */
export type Program = {
  readonly name: string;
  /** File in `programs/`; null: `words` are all. */
  readonly file: string | null;
  /** First major version of Node that has what it needs. */
  readonly since: number;
  /** Options of Node, before the file. */
  readonly words: readonly string[];
  /** Words after the file. */
  readonly args: readonly string[];
  readonly input: string;
};

type Extra = Partial<Pick<Program, 'since' | 'words' | 'args' | 'input'>>;

function program(file: string, extra: Extra = {}): Program {
  return { name: file, file, since: 8, words: [], args: [], input: '', ...extra };
}

function text(name: string, words: readonly string[], since = 8, input = ''): Program {
  return { name, file: null, since, words, args: [], input };
}

const since = (major: number): Extra => ({ since: major });

/** Probing programs: a little of everything, for each of Node's flags. */
export const PROBES = [
  program('probe.cjs', since(12)),
  program('probe.mjs', since(14)),
  program('uncaught.cjs'),
  program('deprecations.cjs'),
] as const;

export const PROGRAMS: readonly Program[] = [
  ...PROBES,
  program('environment.cjs'),
  program('shell-environment.cjs'),
  program('visible-sources.cjs', since(12)),
  program('listeners.cjs'),
  program('require-cache.cjs'),
  program('descriptors.cjs'),
  program('threads.cjs'),
  program('module-functions.cjs'),
  program('globals.cjs'),
  program('builtins.cjs'),
  program('arguments.cjs', { args: ['--option', 'a word', ''] }),
  program('stack-sync.cjs'),
  program('stack-async.cjs', since(12)),
  program('stack-required.cjs'),
  program('stack-vm.cjs'),
  program('stack-worker.cjs', since(12)),
  program('stack-overflow.cjs'),
  text('syntax error', ['-e', 'let a b']),
  text('an expression', ['-p', '[process.argv.length, module.paths.length, require.main]']),
  text('a script of standard input', ['-'], 8, 'console.log(__filename, process.argv.length)'),
  text(
    'a module of an option',
    ['--input-type=module', '-e', 'console.log(typeof require, import.meta.url.length > 0)'],
    14,
  ),
  text(
    'an import before the program',
    ['--import=data:text/javascript,console.log("first")', '-p', '"second"'],
    20,
  ),
  text('a preload of its own', ['-r', 'fs', '-p', 'module.paths.length']),
  program('uncaught-handled.cjs'),
  program('unhandled-rejection.cjs'),
  program('warnings.cjs'),
  program('domains.cjs'),
  program('async-ids.cjs'),
  program('async-context.cjs', since(14)),
  program('node-test.mjs', {
    since: 20,
    words: ['--test-reporter=./parts/reporter.mjs'],
  }),
  program('esm.mjs', since(14)),
  program('top-level-await.mjs', since(16)),
  program('import-error.mjs', since(14)),
  program('json-modules.cjs'),
  program('loader-register.mjs', since(22)),
  program('loader-hooks.cjs', since(24)),
  program('worker.cjs', since(14)),
  program('worker-env.cjs', since(12)),
  program('worker-eval.cjs', since(12)),
  program('worker-data-url.mjs', since(16)),
  program('worker-limits.cjs', since(14)),
  program('worker-terminate.cjs', since(12)),
  program('worker-exit.cjs', since(12)),
  program('cluster.cjs'),
  program('fork-environments.cjs'),
  program('spawn.cjs'),
  program('shell.cjs'),
  program('other-user.cjs'),
  program('set-user.cjs', since(12)),
  program('execve.mjs', since(24)),
  program('daemon.cjs'),
  program('exit-order.cjs'),
  program('exit-in-exit.cjs'),
  program('signals.cjs'),
  program('killed-term.cjs'),
  program('killed-int.cjs'),
  program('killed-kill.cjs'),
  program('signal-masks.cjs'),
  program('snapshot.cjs', since(20)),
  program('single-executable.cjs', since(26)),
  program('wasm.cjs'),
  program('inspector.cjs', since(14)),
  program('report.cjs', since(14)),
  program('shared-objects.cjs', since(14)),
  program('heap-snapshot.cjs', since(12)),
  program('v8-flags.cjs'),
  program('version-tag.cjs'),
  program('code-cache.cjs'),
  program('contexts.cjs'),
  program('frozen-prototypes.cjs', since(12)),
  program('patched-modules.cjs', since(12)),
  program('umask.cjs'),
  program('removed-directory.cjs', since(12)),
  program('removed-directory-worker.cjs', since(12)),
  program('closed-descriptors.cjs'),
  program('long-output.cjs'),
  program('echo.cjs', { input: 'a line\nand more without an end' }),
  program('performance.cjs', since(12)),
  program('diagnostics-channel.cjs', since(16)),
  program('active-resources.cjs', since(12)),
  program('turns.cjs'),
  program('http.cjs'),
  program('http2.cjs', since(12)),
  program('compile-cache.cjs', since(22)),
  program('stripped-types.ts', since(24)),
];
