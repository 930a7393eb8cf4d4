import { createRequire } from 'node:module';
import { loadBinding } from '../../native/binding.ts';
import { readLibpfm } from '../../system/kernel/libpfm-library.ts';
import { packageVersion } from '../../system/version.ts';
import { formatTable } from '../render/table.ts';
import { printJson, writeText } from '../shared/stdout.ts';

/** A part that may be missing, and what it is for. */
type Part = {
  readonly name: string;
  readonly isThere: boolean;
  readonly use: string;
  /** Why it is not there. */
  readonly why: string | null;
};

/** The document of `--json`. */
export type VersionDocument = {
  readonly schema: 'perf-ts/version@1';
  readonly version: string;
  /** Node's. */
  readonly node: string;
  readonly parts: readonly Part[];
};

/** `perf-ts version`: the version, and with `--build-options` the parts that may be missing. */
export function runVersion(flags: {
  readonly buildOptions?: boolean;
  readonly json?: boolean;
}): void {
  const version = packageVersion();
  if (flags.json) {
    const node = process.versions.node;
    printJson({
      schema: 'perf-ts/version@1',
      version,
      node,
      parts: listParts(),
    } satisfies VersionDocument);
    return;
  }
  writeText(`perf-ts version ${version}\n`);
  if (!flags.buildOptions) return;
  const rows = listParts().map(({ name, isThere, use, why }) => [
    name,
    isThere ? 'on' : 'off',
    why === null ? use : `${use} (${why})`,
  ]);
  writeText(`${formatTable(['part', '', 'what it is for'], rows).join('\n')}\n`);
}

function listParts(): Part[] {
  const { platform, arch, versions } = process;
  return [
    { name: 'node', isThere: true, use: `Node ${versions.node} on ${platform}-${arch}`, why: null },
    tried('addon', 'recording, counting, C++ names', () => void loadBinding()),
    tried('disassembler', 'assembly in annotate and view', () => {
      createRequire(import.meta.url).resolve('@alexaltea/capstone-js');
    }),
    tried('libzstd', 'record -z', () => {
      const problem = loadBinding().zstdProblem();
      if (problem !== '') throw new Error(problem);
    }),
    tried('libpfm', "events of the CPU's vendor by name", () => {
      const { problem } = readLibpfm();
      if (problem !== null) throw new Error(problem);
    }),
  ];
}

function tried(name: string, use: string, attempt: () => void): Part {
  try {
    attempt();
    return { name, isThere: true, use, why: null };
  } catch (error) {
    const [line] = (error as Error).message.split('\n');
    return { name, isThere: false, use, why: line.replace(/ from '.*/, '') };
  }
}
