// Files of perf-ts that run within the programs it profiles, by the paths at which the programs have them.

/**
 * Scripts of the package for programs, its first file, which lies in a folder of the user's, and what it evaluates in programs
 * that run (`register/take-in`).
 */
const SCRIPT =
  /\/dist\/register\/[\w-]+\.[cm]js$|\/perf-ts\/boot-[\da-f]+\.cjs$|^node:internal\/perf-ts\/[\w-]+$/;
/**
 * The addon: in a checkout `build/Release/perf_ts.node`, in the package
 * `prebuilds/linux-x64/perf-ts.glibc.node`.
 */
const ADDON =
  /(?:^|\/)(?:perf_ts\w*\.node|perf-ts\.(?:glibc|musl)\.node|prebuilds\/linux-\w+\/code-events\.so)(?: \(deleted\))?$/;

/** Whether perf-ts itself loads this script into programs: it stands between loaders and their modules. */
export function isOwnScript(path: string): boolean {
  return SCRIPT.test(path);
}

/** Whether this is an addon of perf-ts, which the package has without its symbols. */
export function isOwnAddon(path: string): boolean {
  return ADDON.test(path);
}
