import { type Dirent, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FailedError } from '../../base/errors.ts';
import { getOrMake } from '../../base/group-by.ts';
import { lateModules } from '../../base/late-modules.ts';
import type { TracepointSource } from '../../kernel/events/event-sources.ts';
import { readRunPlace } from '../run-place.ts';
import { helperEnvironment } from '../system-programs.ts';
import { asRootLines } from './permission-help.ts';

/** The place where tracefs is or may be mounted, and how. Tests hand in their own. */
export type TracefsPlace = {
  /** Mount points in the order of trial; the first is where a missing tracefs gets mounted. */
  readonly roots: readonly string[];
  /** Mounts tracefs at `root`; false if that can't be done. */
  mount(root: string): boolean;
};

const SYSTEM_TRACEFS: TracefsPlace = {
  roots: ['/sys/kernel/tracing', '/sys/kernel/debug/tracing'],
  // As perf does: root finds tracepoints also where nobody mounted tracefs, as in many containers.
  mount: (root) =>
    process.geteuid?.() === 0 &&
    lateModules.childProcess.spawnSync('mount', ['-t', 'tracefs', 'nodev', root], {
      stdio: 'ignore',
      env: helperEnvironment(),
    }).status === 0,
};

/**
 * The tracepoints in `events/SYSTEM/EVENT/`. Folders are read when first asked for and remembered.
 * The files belong to root; who may not read them is told so, not that there are none.
 */
export function openTracefs(place: TracefsPlace = SYSTEM_TRACEFS): TracepointSource {
  let events: string | null = null;
  let systems: readonly string[] | null = null;
  const eventsOf = new Map<string, readonly string[]>();
  const eventsFolder = (): string => {
    events ??= findEventsFolder(place);
    return events;
  };
  return {
    isReadable: () => place.roots.some((root) => stateOf(root) === 'ready'),
    id(system, event) {
      if (!isFileName(system) || !isFileName(event)) return null;
      const file = join(eventsFolder(), system, event, 'id');
      const text = readOrNull(file);
      return text === null ? null : Number(text);
    },
    systems() {
      systems ??= listFolders(eventsFolder());
      return systems;
    },
    events(system) {
      return getOrMake(eventsOf, system, () =>
        isFileName(system) ? listEvents(join(eventsFolder(), system)) : [],
      );
    },
  };
}

/** Texts that perf.data stores so that raw tracepoint samples can be decoded elsewhere. */
export type TracepointTexts = {
  /** `events/header_page`: layout of ftrace's own ring pages. */
  readonly headerPage: string;
  /** `events/header_event`: layout of ftrace's own events. */
  readonly headerEvent: string;
  /** One per distinct tracepoint, in the order asked for. */
  readonly formats: readonly {
    readonly system: string;
    readonly event: string;
    readonly text: string;
  }[];
};

/** The format files of the tracepoints among `specs`. */
export function readFormatTexts(
  specs: readonly { readonly tracepoint: { system: string; event: string } | null }[],
  place: TracefsPlace = SYSTEM_TRACEFS,
): TracepointTexts {
  const folder = findEventsFolder(place);
  const wanted = new Map<string, { system: string; event: string }>();
  for (const { tracepoint } of specs) {
    if (tracepoint) wanted.set(`${tracepoint.system}:${tracepoint.event}`, tracepoint);
  }
  return {
    headerPage: readOrNull(join(folder, 'header_page')) ?? '',
    headerEvent: readOrNull(join(folder, 'header_event')) ?? '',
    formats: [...wanted.values()].map(({ system, event }) => {
      const text = readOrNull(join(folder, system, event, 'format'));
      if (text !== null) return { system, event, text };
      throw new FailedError(`the tracepoint ${system}:${event} has gone while it was recorded`);
    }),
  };
}

/** The `events` folder of a mounted tracefs; mounts one if need be. Throws `FailedError`. */
function findEventsFolder({ roots, mount }: TracefsPlace): string {
  const first = roots[0];
  const states = roots.map((root) => stateOf(root));
  const ready = roots[states.indexOf('ready')];
  if (ready !== undefined) return join(ready, 'events');
  const denied = roots[states.indexOf('denied')];
  if (denied !== undefined) throw mayNotRead(join(denied, 'events'));
  if (states[0] === 'absent') {
    throw new FailedError(`this kernel has no tracepoints: ${first} does not exist`);
  }
  if (mount(first) && stateOf(first) === 'ready') return join(first, 'events');
  throw new FailedError(`tracepoints can't be found: tracefs is not mounted at ${first}`, [
    `sudo mount -t tracefs nodev ${first}`,
  ]);
}

type TracefsState = 'ready' | 'empty' | 'denied' | 'absent';

function stateOf(root: string): TracefsState {
  const events = codeOfReading(join(root, 'events'));
  if (events === '') return 'ready';
  if (events === 'EACCES' || events === 'EPERM') return 'denied';
  const folder = codeOfReading(root);
  if (folder === '') return 'empty';
  return folder === 'EACCES' || folder === 'EPERM' ? 'denied' : 'absent';
}

/** Empty if the folder can be listed, the errno name otherwise. */
function codeOfReading(folder: string): string {
  try {
    readdirSync(folder);
    return '';
  } catch (error) {
    return errorCode(error);
  }
}

/** Null if there is no such file; `FailedError` if it may not be read. */
function readOrNull(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    return absentOrThrow(error, file, null);
  }
}

/** ftrace's own entries (`ftrace:bprint` …) have a format and no id: nothing can open them. */
function listEvents(system: string): readonly string[] {
  return listFolders(system).filter((event) => existsSync(join(system, event, 'id')));
}

/** Names of the folders in `folder`, sorted; `FailedError` if it may not be read. */
function listFolders(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry: Dirent) => entry.isDirectory())
      .map(({ name }) => name)
      .sort();
  } catch (error) {
    return absentOrThrow(error, folder, []);
  }
}

function absentOrThrow<T>(error: unknown, path: string, absent: T): T {
  const code = errorCode(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') return absent;
  if (code === 'EACCES' || code === 'EPERM') throw mayNotRead(path);
  throw error;
}

function errorCode(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? '';
}

function mayNotRead(path: string): FailedError {
  return new FailedError(`tracepoints can't be used: no permission to read ${path}`, [
    ...asRootLines(readRunPlace()),
    // mode=755 alone, which perf suggests, shows the names and keeps id and format closed (6.18).
    'or let your group read them: sudo mount -o remount,mode=750,gid=$(id -g) /sys/kernel/tracing',
  ]);
}

/** False for what would leave its folder. */
function isFileName(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !name.includes('/');
}
