import { hostname, release } from 'node:os';
import { join } from 'node:path';
import { memorySource } from '../../base/byte-source.ts';
import type { Diagnostics } from '../../base/diagnostics.ts';
import { isKernelImage } from '../../code/symbols/kernel-image.ts';
import type { SymbolSource } from '../../code/symbols/symbol-request.ts';
import { recordedElsewhere } from '../../findings/diagnostic-text.ts';
import { SYMBOLS } from '../../options/reading.ts';
import { codeOf } from '../../system/files/open-regular.ts';
import { readProcFile } from '../../system/files/proc-file.ts';
import { readKernelBuildId } from '../../system/kernel/host-info.ts';
import { type DebugPlaces, debugPlacesByBuildId, elfPlaces } from './debug-places.ts';
import { buildIdOf } from './elf-files.ts';
import { closeUnused, openLogged } from './open-logged.ts';

/** The machine of a recording, as far as its header says. */
export type MachineName = { readonly hostname: string | null; readonly kernel: string | null };

export type KernelFilesOptions = {
  readonly diagnostics: Diagnostics;
  readonly places: DebugPlaces;
  /** A list that the user names. It is used whatever it is. */
  readonly kallsyms?: string;
  /** Directories that hold the recorded machine's files, best first. */
  readonly roots: readonly string[];
  /** Whether this machine's own list may be used, if its kernel is the recorded one. */
  readonly mayUseRunning: boolean;
  /** Absent: it is this one. */
  readonly recordedOn?: MachineName;
  /** The running kernel's list. */
  readonly kallsymsPath?: string;
};

const HINT = `${SYMBOLS.kallsyms.inBoth} names it: a copy of its /proc/kallsyms, or its vmlinux`;

/** Host name and kernel of the recorded machine; null if it is this one, as far as its header says. */
export function findOtherMachine(recorded: MachineName | undefined): string | null {
  const isOther =
    (recorded?.kernel ?? release()) !== release() ||
    (recorded?.hostname ?? hostname()) !== hostname();
  if (!isOther) return null;
  return [recorded?.hostname, recorded?.kernel].filter(Boolean).join(', ');
}

/** The reason why the recorded machine is not this one, as a sentence. */
export function whyOtherMachine(recorded: MachineName | undefined): string | null {
  const machine = findOtherMachine(recorded);
  return machine === null ? null : recordedElsewhere(machine);
}

/** Finds the list of kernel symbols for a recording that does not carry its own. */
export class KernelFiles {
  readonly #options: KernelFilesOptions;

  constructor(options: KernelFilesOptions) {
    this.#options = options;
  }

  /**
   * The list for the kernel with this build ID: the one that the user names, one among the recorded
   * machine's files, the running kernel's if that is the recorded one, or the one that perf kept.
   * A kernel without a build ID is this machine's if host name and version are; where the recording has neither, that
   * is a guess, and counted. Otherwise null, and the reason is counted.
   */
  open(buildId: string | null): SymbolSource | null {
    const { kallsyms, roots, mayUseRunning, places, diagnostics } = this.#options;
    if (kallsyms !== undefined) return this.#readNamed(kallsyms, buildId);
    for (const root of roots) {
      const file = openLogged(join(root, 'proc/kallsyms'));
      if (typeof file !== 'string') return file.source;
    }
    const other = mayUseRunning ? this.#whyNotRunning(buildId) : HINT;
    if (other === null) return this.#read(this.#options.kallsymsPath ?? '/proc/kallsyms');
    const image = this.#findImage(buildId);
    if (image !== null) return image;
    if (buildId !== null) {
      const [first, rest] = [buildId.slice(0, 2), buildId.slice(2)];
      const file = openLogged(join(places.buildIdDirectory, '.build-id', first, rest, 'kallsyms'));
      if (typeof file !== 'string') return file.source;
    }
    diagnostics.count('kernel-unnamed', other);
    return null;
  }

  /** The image that the user names, else one with this build ID; null: none, which is usual. */
  openImage(buildId: string | null): SymbolSource | null {
    const { kallsyms } = this.#options;
    const named = kallsyms === undefined ? null : this.#readNamed(kallsyms, buildId);
    if (named !== null && isKernelImage(named)) return named;
    named?.close?.();
    return this.#findImage(buildId);
  }

  /** An image of the kernel with this build ID, where debug packages and builds put it. */
  #findImage(buildId: string | null): SymbolSource | null {
    if (buildId === null) return null;
    const { places, recordedOn } = this.#options;
    const version = recordedOn?.kernel ?? null;
    const byVersion =
      version === null || version.includes('/')
        ? []
        : [
            ...places.debugDirectories.map((root) => join(root, `boot/vmlinux-${version}`)),
            ...places.debugDirectories.map((root) => join(root, `lib/modules/${version}/vmlinux`)),
            `/boot/vmlinux-${version}`,
            `/lib/modules/${version}/build/vmlinux`,
          ];
    const byId = [...debugPlacesByBuildId(buildId, places), ...elfPlaces(buildId, places)];
    for (const place of [...byId, ...byVersion]) {
      const file = openLogged(place);
      if (typeof file === 'string') continue;
      if (buildIdOf(file.source) === buildId) return file.source;
      closeUnused(file, place, 'the build ID differs');
    }
    return null;
  }

  /** Null if the running kernel is the recorded one, as far as can be told. */
  #whyNotRunning(buildId: string | null): string | null {
    const running = buildId === null ? null : readKernelBuildId(this.#options.diagnostics);
    if (running !== null) {
      return running === buildId
        ? null
        : `the recorded kernel is not the one running here; ${HINT}`;
    }
    const { recordedOn, diagnostics } = this.#options;
    const other = whyOtherMachine(recordedOn);
    if (other !== null) return `${other}; ${HINT}`;
    if (recordedOn?.hostname === null && recordedOn.kernel === null) {
      diagnostics.count('kernel-assumed');
    }
    return null;
  }

  /** An image tells its build; a list does not, and is used whatever it is. */
  #readNamed(path: string, buildId: string | null): SymbolSource | null {
    const source = this.#read(path);
    const found = source !== null && isKernelImage(source) ? buildIdOf(source) : null;
    if (found !== null && buildId !== null && found !== buildId) {
      this.#options.diagnostics.count('kernel-of-other-build', path);
    }
    return source;
  }

  #read(path: string): SymbolSource | null {
    // Files of /proc say that they are empty.
    const file = openLogged(path);
    if (typeof file !== 'string' && file.source.size > 0) return file.source;
    if (typeof file !== 'string') file.source.close?.();
    try {
      return memorySource(readProcFile(path));
    } catch (error) {
      this.#options.diagnostics.count('kernel-unnamed', `${path}: ${codeOf(error)}`);
      return null;
    }
  }
}
