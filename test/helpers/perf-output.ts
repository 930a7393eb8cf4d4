import { spawnSync } from 'node:child_process';

/** perf 6.12 stops now and then at an assertion of its own, `util/namespaces.c:335` on all CPUs. */
const OWN_ASSERTION = /^assertion failed at util\/.*$/m;

/** The output of perf; `skip` ends the test where perf stops at an assertion of its own. */
export function perfOutput(
  skip: (reason: string) => never,
  args: readonly string[],
  input?: Uint8Array,
) {
  const { status, stdout, stderr } = spawnSync('perf', args, {
    maxBuffer: 2 ** 30,
    ...(input && { input }),
  });
  if (status === 0) return stdout;
  const messages = stderr.toString();
  const assertion = OWN_ASSERTION.exec(messages)?.[0];
  if (assertion !== undefined) skip(`perf ${args[0]}: ${assertion}`);
  throw new Error(`perf ${args.join(' ')}: status ${status}; ${messages}`);
}
