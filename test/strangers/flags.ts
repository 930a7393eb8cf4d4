// Options of Node under which the programs run. One that a Node refuses is compared as refused.

/** Options of one row: words of the command line, variables, or both. */
export type Flags = {
  readonly name: string;
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Whether `env` sets the variables for the command alone: perf-ts, a Node itself, would print or write for them. */
  readonly isForCommand: boolean;
};

function words(...all: string[]): Flags {
  return { name: all.join(' '), words: all, env: {}, isForCommand: false };
}

function variables(env: Record<string, string>, isForCommand = false): Flags {
  const name = Object.entries(env).map(([key, value]) => `${key}=${value}`);
  return { name: name.join(' '), words: [], env, isForCommand };
}

export const NO_FLAGS: Flags = { name: '', words: [], env: {}, isForCommand: false };

/** V8's, and Node's that end, forbid, print or change what a preload needs. */
export const FLAGS: readonly Flags[] = [
  words('--jitless'),
  words('--throw-deprecation'),
  words('--pending-deprecation'),
  words('--pending-deprecation', '--throw-deprecation'),
  variables({ NODE_PENDING_DEPRECATION: '1' }),
  words('--frozen-intrinsics'),
  words('--permission'),
  words('--permission', '--allow-fs-read=*'),
  words('--permission', '--allow-fs-read=*', '--allow-worker', '--allow-child-process'),
  words('--experimental-permission', '--allow-fs-read=*'),
  words('--disallow-code-generation-from-strings'),
  words('--disable-proto=delete'),
  words('--disable-proto=throw'),
  words('--no-addons'),
  words('--stack-size=200'),
  words('--max-old-space-size=40'),
  words('--single-threaded'),
  words('--lite-mode'),
  words('--no-opt'),
  words('--max-lazy'),
  words('--always-sparkplug'),
  words('--enable-source-maps'),
  words('--preserve-symlinks'),
  words('--preserve-symlinks-main'),
  words('--experimental-vm-modules'),
  words('--trace-warnings'),
  words('--trace-deprecation'),
  words('--no-deprecation'),
  words('--no-warnings'),
  words('--unhandled-rejections=strict'),
  words('--zero-fill-buffers'),
  words('--secure-heap=65536'),
  words('--icu-data-dir=/nonexistent'),
  words('--title=renamed'),
  words('--inspect=0'),
  words('--cpu-prof', '--cpu-prof-dir=profiles'),
  words('--heapsnapshot-signal=SIGUSR2'),
  words('--report-on-fatalerror', '--report-uncaught-exception', '--report-filename=report.json'),
  words('--interpreted-frames-native-stack'),
  words('--no-node-snapshot'),
  words('--force-context-aware'),
  words('--experimental-strip-types'),
  words('--expose-gc'),
  words('--track-heap-objects'),
  words('--dns-result-order=verbatim'),
  words('--tls-min-v1.2'),
  words('--no-global-search-paths'),
  words('--experimental-default-type=module'),
  words('--disable-sigusr1'),
  words('--trace-exit'),
  words('--trace-sigint'),
  words('--no-such-option'),
  variables({ NODE_OPTIONS: '--no-warnings --max-old-space-size=100' }),
  variables({ NODE_OPTIONS: '--throw-deprecation --pending-deprecation' }),
  variables({ NODE_V8_COVERAGE: 'coverage' }, true),
  variables({ NODE_DEBUG: 'module,worker' }, true),
  variables({ NODE_NO_WARNINGS: '1' }),
  variables({ NODE_COMPILE_CACHE: 'compiled' }, true),
  variables({ NODE_PRESERVE_SYMLINKS: '1' }),
  variables({ NODE_REDIRECT_WARNINGS: 'warnings.txt' }, true),
];
