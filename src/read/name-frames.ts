import { NONE } from '../base/brand.ts';
import type { StringIndex } from '../base/string-table.ts';
import { Symbolizer, type SymbolizerOptions } from '../code/symbols/symbolizer.ts';
import type { OpenProfileOptions, SymbolSources } from '../options/reading.ts';
import type { DsoIndex } from '../profile/types.ts';
import { demangler } from './code/demangler.ts';
import { readKernelSymbols, readProvenance } from './facts/provenance.ts';
import { recordedThen } from './files/left-files.ts';
import { NameCache } from './files/name-cache.ts';
import { storedPrograms } from './files/stored-programs.ts';
import { SymbolFiles } from './files/symbol-files.ts';
import { boundedXz } from './files/unpack-budget.ts';
import { placeFrame } from './jit/place-frame.ts';
import { hasStacks } from './locate-frames.ts';
import { locateNamedFrames } from './open-lines.ts';
import type { MachineWithTables, RecordedMachine } from './recorded-machine.ts';

/** Looks up every address that occurred, DSO by DSO. `path`: the recording's. */
export function nameFrames(
  machine: MachineWithTables,
  path: string,
  sources: OpenProfileOptions,
): void {
  const { builder, diagnostics } = machine;
  const demangle = demangler(diagnostics);
  const memory =
    sources.cache === true || sources.cache === 'names'
      ? NameCache.open({ demangles: demangle !== null })
      : null;
  try {
    const looks = { memory, asksOnce: true };
    nameAddresses(machine, sources, createSymbolizer(machine, path, sources, demangle, looks));
    locateNamedFrames(machine, sources, demangle, memory);
  } finally {
    memory?.close();
  }
  const outside = builder.frames.addresses(NONE).frames.length;
  if (outside > 0) diagnostics.count('addresses-outside-mappings', '', outside);
}

function nameAddresses(
  machine: MachineWithTables,
  sources: OpenProfileOptions,
  symbolizer: Symbolizer,
): void {
  const { builder, processes, jit } = machine;
  symbolizer.expectKernelAddresses(kernelAddresses(machine));
  const inline = sources.inline !== false && hasStacks(machine);
  const frameCount = builder.frames.length;
  let named = 0;
  for (let dso = 0; dso < processes.dsos.length; dso++) {
    const { frames, addresses } = builder.frames.addresses(dso);
    if (frames.length === 0) continue;
    sources.onProgress?.('names', named / frameCount);
    named += frames.length;
    const names = new Int32Array(frames.length);
    symbolizer.resolveAll(dso as DsoIndex, addresses, builder.strings, names);
    for (let i = 0; i < frames.length; i++) {
      if (names[i] === NONE) continue;
      const owner = jit?.baseOf(dso as DsoIndex) ?? dso;
      const func = builder.funcs.intern(names[i] as StringIndex, owner);
      builder.frames.setFunc(frames[i], func);
      const line = jit?.line(dso as DsoIndex, addresses[i]) ?? null;
      if (line !== null) placeFrame(builder, frames[i], line, inline);
    }
  }
}

/** Every address that occurred in the kernel or a module of it. */
function kernelAddresses({ builder, processes }: MachineWithTables): Float64Array {
  const found: number[] = [];
  for (let dso = 0; dso < processes.dsos.length; dso++) {
    const { kind } = processes.dsos.key(dso as DsoIndex);
    if (kind === 'kernel' || kind === 'kernel-module') {
      for (const address of builder.frames.addresses(dso).addresses) found.push(address);
    }
  }
  return Float64Array.from(found);
}

/** A symbolizer for the DSOs that were met, of the recording at `path`. */
export function createSymbolizer(
  machine: RecordedMachine,
  path: string,
  sources: SymbolSources = {},
  demangleCpp = demangler(machine.diagnostics),
  looks: Pick<SymbolizerOptions, 'memory' | 'asksOnce'> = {},
): Symbolizer {
  const { data, processes, jit, diagnostics } = machine;
  const recordedKernel =
    sources.kallsyms === undefined ? readKernelSymbols(readProvenance(data)) : null;
  return new Symbolizer({
    dsos: processes.dsos,
    provider: new SymbolFiles({
      ...sources,
      diagnostics,
      mappingsOf: (dso) => processes.mappingsOf(dso),
      ...recordedThen(data, path),
      stored: storedPrograms(data, diagnostics),
    }).provide,
    ...(recordedKernel !== null && { recordedKernel }),
    xz: boundedXz(data.mostUnpacked),
    demangleCpp,
    diagnostics,
    ...looks,
    kernelReference: processes.kernelReference,
    ...(jit !== null && { jit }),
  });
}
