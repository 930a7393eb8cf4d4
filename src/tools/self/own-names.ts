/** V8's flags that make it name its code; the second one writes a jitdump, which is read as well. */
const NAMING_FLAGS = ['--perf-basic-prof', '--perf-basic-prof-only-functions', '--perf-prof'];

/**
 * Sees to the names of this process's JavaScript, before it is sampled; runs on the thread that asks
 * for the profile. The names themselves come as those of every process do: from the map that
 * `record` watches. Returns what keeps them from being there, in a sentence; null if nothing does.
 */
export function prepareOwnNames(
  execArgv: readonly string[] = process.execArgv,
  nodeOptions: string = process.env.NODE_OPTIONS ?? '',
): string | null {
  const flags = [...execArgv, ...nodeOptions.split(/\s+/)].map((flag) => flag.replaceAll('_', '-'));
  if (flags.some((flag) => NAMING_FLAGS.includes(flag))) return null;
  return (
    'functions of JavaScript have no names: this process was started without ' +
    '--perf-basic-prof --interpreted-frames-native-stack'
  );
}
