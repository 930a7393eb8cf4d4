import { Diagnostics } from '../base/diagnostics.ts';
import type { DemangleBatch } from '../code/symbols/demangle.ts';
import { DsoLines } from '../code/symbols/dso-lines.ts';
import type { NameMemory } from '../code/symbols/name-memory.ts';
import type { SymbolProvider } from '../code/symbols/symbol-request.ts';
import type { OpenProfileOptions, SymbolSources } from '../options/reading.ts';
import { demangler } from './code/demangler.ts';
import { recordedOn } from './files/left-files.ts';
import { storedPrograms } from './files/stored-programs.ts';
import { SymbolFiles } from './files/symbol-files.ts';
import { boundedDecoders } from './files/unpack-budget.ts';
import type { FrameLines } from './frame-namer.ts';
import { hasStacks, locateFrames } from './locate-frames.ts';
import type { MachineWithTables, RecordedMachine } from './recorded-machine.ts';

/** Lines and inlined calls, from DWARF, for the DSOs that were met. To be closed. */
function openLines(
  { data, processes, diagnostics }: RecordedMachine,
  sources: SymbolSources,
  demangleCpp: DemangleBatch | null,
  memory: NameMemory | null = null,
): DsoLines {
  const unopened = new Diagnostics();
  const files = new SymbolFiles({
    ...sources,
    diagnostics: unopened,
    mappingsOf: (dso) => processes.mappingsOf(dso),
    recordedOn: recordedOn(data),
    stored: storedPrograms(data),
  });
  const provider: SymbolProvider = (request) => {
    const source = files.provide(request);
    if (source === null) noteUnopened(unopened, diagnostics);
    return source;
  };
  const { dsos } = processes;
  const decoders = boundedDecoders(data.mostUnpacked);
  const { kernelReference } = processes;
  return new DsoLines({
    dsos,
    provider,
    decoders,
    demangleCpp,
    diagnostics,
    kernelReference,
    memory,
  });
}

/**
 * Counts the files that can't be opened, but for those that the search for names has reported: each is
 * said once.
 */
function noteUnopened(unopened: Diagnostics, diagnostics: Diagnostics): void {
  for (const names of unopened.entries()) {
    if (names.code !== 'names-missing' || diagnostics.has(names)) continue;
    const { subject, why } = names;
    const lines = { code: 'lines-missing', subject, why } as const;
    if (!diagnostics.has(lines)) diagnostics.count(lines);
  }
}

/** Lines for frames that are named one by one; null where nobody wants any. */
export function openFrameLines(
  machine: RecordedMachine,
  sources: SymbolSources & { readonly lines?: boolean },
): FrameLines | null {
  const inline = sources.inline !== false;
  if (!inline && sources.lines !== true) return null;
  const { diagnostics } = machine;
  return { lines: openLines(machine, sources, demangler(diagnostics)), inline };
}

/** Whether the lines of frames are looked for. */
export function wantsLines(
  { lines, inline }: Pick<OpenProfileOptions, 'lines' | 'inline'>,
  hasStacks: boolean,
): boolean {
  return lines ?? (inline !== false && hasStacks);
}

/**
 * Locates the frames that were named, unless nobody wants it: a recording without stacks has no
 * place for inlined calls, so its lines are read only where `lines` asks for them.
 */
export function locateNamedFrames(
  machine: MachineWithTables,
  sources: OpenProfileOptions,
  demangleCpp: DemangleBatch | null,
  memory: NameMemory | null,
): void {
  if (!wantsLines(sources, hasStacks(machine))) return;
  const inline = sources.inline !== false && hasStacks(machine);
  const lines = openLines(machine, sources, demangleCpp, memory);
  try {
    const { onProgress } = sources;
    locateFrames(machine, lines, inline, onProgress && ((share) => onProgress('lines', share)));
  } finally {
    lines.close();
  }
}
