import type { Diagnostics } from '../../base/diagnostics.ts';
import { groupBy } from '../../base/group-by.ts';
import { once } from '../../base/once.ts';
import type { ScriptName } from '../../code/javascript/jsc-name.ts';
import { nameScripts, parseScriptName } from '../../code/javascript/name-scripts.ts';
import { withOwners } from '../../code/javascript/owners.ts';
import { outermostFolder, pathOfScript } from '../../code/javascript/script-path.ts';
import { INTERPRETER_NAME, simplifyStacks } from '../../code/javascript/simplify.ts';
import type { SourceMaps } from '../../code/javascript/source-map.ts';
import { nameWorkers, type Worker } from '../../code/javascript/worker-names.ts';
import { readAppendix } from '../../formats/perf-data/appendix.ts';
import type { PerfData } from '../../formats/perf-data/reader.ts';
import type { JavaScriptOptions, SymbolSources } from '../../options/reading.ts';
import { isUnnamed } from '../../profile/func-table.ts';
import { pidOfJit } from '../../profile/jit-dso.ts';
import { joinSameCode } from '../../profile/join-same-code.ts';
import type { Profile } from '../../profile/types.ts';
import { noteAsked } from '../../system/asked-files.ts';
import { fileSource } from '../../system/files/open-regular.ts';
import { openTrusted } from '../../system/files/trusted-file.ts';
import { uidOfProcess } from '../../system/processes/processes-of-user.ts';
import { forbidsInspector } from '../../system/runtimes/attached-runtimes.ts';
import { statOrNull } from '../../system/small-file.ts';
import { judgeLeftFile, type RecordedThen, recordedThen } from '../files/left-files.ts';
import { StoredFiles } from '../files/stored-files.ts';
import {
  CODE_EVENTS_ATTACHMENT,
  NODE_NOTES_ATTACHMENT,
  pidOfAttachment,
} from './attachment-names.ts';
import { codeOfDeno, findJitProcesses, type JitProcesses } from './jit-programs.ts';
import {
  MAX_NOTES_BYTES,
  type NodeNote,
  notesPath,
  parseNotes,
  pidsWithNotes,
} from './node-notes.ts';
import { ScriptMaps } from './script-maps.ts';

/**
 * Names JavaScript functions and chooses the frames of V8 that are shown; see `src/code/javascript`.
 * `onScriptFile` gets each file that named something.
 */
export function nameJavaScript(
  profile: Profile,
  options: JavaScriptOptions & Pick<SymbolSources, 'symfs' | 'archive'>,
  diagnostics: Diagnostics,
  recording: { readonly data: PerfData; readonly path: string } | null,
  onScriptFile?: (path: string) => void,
): NamedScripts {
  const { simplify = 'interpreter' } = options;
  if (options.rawScripts) return { profile: withOwners(profile), maps: null };
  const notes = recording === null ? [] : readNotes(profile, recording, diagnostics);
  const modified = recording === null ? null : (statOrNull(recording.path)?.mtimeMs ?? null);
  const maps = new ScriptMaps({
    diagnostics,
    ...(options.symfs !== undefined && { symfs: options.symfs }),
    ...(options.archive !== undefined && { archive: options.archive }),
    ...(onScriptFile && { onFile: onScriptFile }),
    ...(modified !== null && { recordedMs: modified }),
    ...(recording !== null && { recording: recording.path }),
    ...(typeof options.sourceMaps === 'string' && { mapFolder: options.sourceMaps }),
    functionsOf: functionsByScript(profile),
  });
  for (const { pid, note } of notes) {
    if (note.kind === 'sourceMap') maps.addNoted(note.url, note.map, pid);
  }
  const used = options.sourceMaps === false ? null : maps;
  const processes = findJitProcesses(profile);
  const isOfDeno = codeOfDeno(profile, processes);
  const { dsos } = profile;
  // Deno runs other code than the files have; a script that was edited between two runs is two.
  const isOwn = (dso: number): boolean => maps.hasOwnMaps(pidOfJit(dsos[dso]));
  const named = nameScripts(
    joinSameCode(profile, (dso) => isOfDeno(dso) || isOwn(dso)),
    {
      sourceMaps: used,
      directory: outermostFolder(
        notes.flatMap(({ note }) => (note.kind === 'process' ? [note.cwd] : [])),
      ),
      isOfDeno,
      simplify,
    },
  );
  const joined = dsos.some((_, dso) => isOwn(dso)) ? joinSameCode(named, isOfDeno) : named;
  const shown = nameWorkers(simplifyStacks(joined, simplify), workersOf(notes));
  if (recording !== null) countUnnamed(shown, processes, recording.data, diagnostics);
  return { profile: shown, maps: used };
}

type NamedScripts = {
  readonly profile: Profile;
  /** Source maps, for places that no frame is at; null: none are followed. */
  readonly maps: SourceMaps | null;
};

/** The functions of scripts, by their paths, as V8 named them; collected when the first is asked for. */
function functionsByScript({ funcs, strings }: Profile): (script: string) => ScriptName[] {
  const all = once(() => {
    const names = Array.from(new Set(funcs.name), (text) => parseScriptName(strings[text]) ?? []);
    return groupBy(names.flat(), ({ file }) => pathOfScript(file));
  });
  return (script) => all().get(script) ?? [];
}

/**
 * Counts samples in JavaScript that has no name. In a process whose V8 announced its code these are functions that V8
 * has interpreted since before, and loops that it had replaced on the stack; in one that named nothing, all code of its JIT.
 */
function countUnnamed(
  profile: Profile,
  { programs, named }: JitProcesses,
  data: PerfData,
  diagnostics: Diagnostics,
): void {
  const announced = new Set(
    readAppendix(data).map(({ name }) => pidOfAttachment(name, CODE_EVENTS_ATTACHMENT)),
  );
  const { samples, stacks, frames, funcs, dsos, strings, threads } = profile;
  const isInterpreter = Array.from(funcs.name, (name) => strings[name] === INTERPRETER_NAME);
  const isNameless = Array.from(
    funcs.name,
    (name, func) => dsos[funcs.dso[func]]?.kind === 'jit' && isUnnamed(strings[name]),
  );
  if (!isNameless.includes(true) && !isInterpreter.includes(true)) return;
  let fromBefore = 0;
  const unnamedOf = new Map<number, number>();
  for (let sample = 0; sample < samples.length; sample++) {
    const stack = samples.stack[sample];
    const thread = threads[samples.thread[sample]];
    if (stack < 0 || thread === undefined) continue;
    const func = frames.func[stacks.frame[stack]];
    if (announced.has(thread.pid)) {
      if (isNameless[func] || isInterpreter[func]) fromBefore++;
    } else if (isNameless[func] && !named.has(thread.pid)) {
      unnamedOf.set(thread.pid, (unnamedOf.get(thread.pid) ?? 0) + 1);
    }
  }
  const share = (count: number) => `${((100 * count) / samples.length).toFixed(2)}% of all`;
  if (fromBefore > 0) diagnostics.count('javascript-from-before', share(fromBefore), fromBefore);
  const byProgram = new Map<string, number>();
  const { commandLine } = profile.meta;
  const isRestricted = forbidsInspector(commandLine.slice(commandLine.indexOf('--') + 1));
  for (const [pid, count] of unnamedOf) {
    const main = threads.find((thread) => thread.pid === pid && thread.tid === pid);
    const known = programs.get(pid) ?? main?.comm ?? `process ${pid}`;
    const program = known === 'node' && isRestricted ? 'Node under its permission model' : known;
    byProgram.set(program, (byProgram.get(program) ?? 0) + count);
  }
  for (const [subject, count] of byProgram) {
    diagnostics.count({ code: 'jit-code-unnamed', subject }, share(count), count);
  }
}

type PidNote = { readonly pid: number; readonly note: NodeNote };

/** The notes of every process: those that the recording has, else what is there now. */
function readNotes(
  { threads }: Profile,
  { data, path }: { readonly data: PerfData; readonly path: string },
  diagnostics: Diagnostics,
): PidNote[] {
  const stored = new StoredFiles(data, diagnostics);
  // A recording of the whole machine has more processes than one may ask the system about.
  const here = new Set(pidsWithNotes());
  const notes: PidNote[] = [];
  for (const pid of new Set(threads.map((thread) => thread.pid))) {
    const name = `${NODE_NOTES_ATTACHMENT}${pid}`;
    const isStored = stored.has(name);
    noteAsked(notesPath(pid), false);
    if (!isStored && !here.has(pid)) continue;
    const bytes = isStored
      ? stored.read(name, MAX_NOTES_BYTES)
      : readNotesNow(pid, ownersOf(pid, path), recordedThen(data, path), diagnostics);
    if (bytes === null) continue;
    for (const note of parseNotes(bytes, diagnostics)) notes.push({ pid, note });
  }
  return notes;
}

/**
 * Notes that a recorded process left; null if it left none that may be believed: root's, ours, or
 * the owners', and of that process.
 */
function readNotesNow(
  pid: number,
  owners: readonly number[],
  then: RecordedThen,
  diagnostics: Diagnostics,
): Uint8Array | null {
  const file = openTrusted(notesPath(pid), owners);
  if (file.kind === 'refused') return null;
  const source = fileSource(file.fd, file.size, notesPath(pid));
  const belief = judgeLeftFile(file, pid, then);
  if (typeof belief === 'object') {
    diagnostics.count('node-notes-unused', `${notesPath(pid)}: ${belief.refused}`);
    source.close?.();
    return null;
  }
  try {
    return source.read(0, Math.min(source.size, MAX_NOTES_BYTES));
  } finally {
    source.close?.();
  }
}

function workersOf(notes: readonly PidNote[]): Worker[] {
  return notes.flatMap(({ pid, note }) => {
    if (note.kind === 'process' && note.clusterWorker !== undefined) {
      return [{ pid, tid: pid, number: note.clusterWorker, script: '', name: '', isProcess: true }];
    }
    if (note.kind !== 'worker') return [];
    const { tid, number, script, name } = note;
    return [{ pid, tid, number, script, name }];
  });
}

/** Users whose notes of a process are believed: its own and the recording's owner. */
function ownersOf(pid: number, recording: string): number[] {
  return [uidOfProcess(pid), statOrNull(recording)?.uid].filter((uid) => typeof uid === 'number');
}
