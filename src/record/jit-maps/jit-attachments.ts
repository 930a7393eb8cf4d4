import { describeError } from '../../base/system-error.ts';
import { storedSize, type WrittenAttachment } from '../../formats/perf-data/appendix.ts';
import { AttachmentPacking } from '../output/packed-attachment.ts';
import { JitDumps, type JitDumpsOptions } from './jit-dumps.ts';
import { MapWatch, type MapWatchOptions } from './map-watch.ts';
import { type NodeFiles, type NodeFilesOptions, takeNodeFiles } from './node-files.ts';

/** The contents that a recording keeps of the files that JITs write, as far as they could be read. */
export type JitAttachments = Omit<NodeFiles, 'notices' | 'directories' | 'attachments'> & {
  readonly attachments: readonly WrittenAttachment[];
};

/** The parts of a session that decide which files its JITs write. */
type JitSession = Pick<JitDumpsOptions, 'target' | 'dumpsIn'> & {
  readonly recordingId: string | null;
  readonly sampler: { readonly opened: { readonly childPid: number } };
};

/**
 * The watchers of the files that JITs write in a session. Start them before the target runs. `hearsOfCode`: the one of
 * maps is given the mappings of the recording.
 */
export function watchJitFiles(
  { target, dumpsIn, recordingId, sampler }: JitSession,
  readClock: MapWatchOptions['readClock'],
  startedMs: number,
  hearsOfCode = false,
): { readonly maps: MapWatch; readonly dumps: JitDumps; readonly notes: NodeFilesOptions } {
  const { childPid } = sampler.opened;
  const commandUid = ('command' in target ? target.command?.user?.uid : undefined) ?? null;
  return {
    maps: new MapWatch({ target, childPid, readClock, commandUid, hearsOfCode }),
    dumps: new JitDumps({ dumpsIn, target, childPid, commandUid, startedMs }),
    notes: { recordingId, commandUid, startedMs },
  };
}

/**
 * All of it together is compressed text: a build of thousands of processes has a sixth. The end of a recording writes it, twice where
 * copied stacks are unwound.
 */
const MOST_BYTES = 320 << 20;

/**
 * Takes what the recorded processes announced, their maps, notes and jitdumps, with `finish` for the last time. They
 * only give names, and others than us write them, so that no failure here keeps a recording from its end: each kind is
 * taken by itself, what failed is said, and what could be read is kept.
 */
export function takeJitAttachments(
  maps: MapWatch,
  announced: (packing: AttachmentPacking) => readonly WrittenAttachment[],
  dumps: Pick<JitDumps, 'take'>,
  finish: boolean,
  notify: (notice: string) => void,
  options: NodeFilesOptions,
  packing = new AttachmentPacking(),
): JitAttachments {
  const attempt = <Result>(what: string, take: () => Result, without: Result): Result => {
    try {
      return take();
    } catch (error) {
      notify(
        `${what} could not be read to the end, so names may be missing: ${describeError(error)}`,
      );
      return without;
    }
  };
  const takeMaps = (): readonly WrittenAttachment[] => {
    if (!finish) return maps.soFar(packing);
    const finished = maps.finish(packing);
    for (const notice of finished.notices) notify(notice);
    return finished.attachments;
  };
  const stored = [
    ...attempt('code that programs announced', () => announced(packing), []),
    ...attempt('maps of JIT code', takeMaps, []),
  ];
  const none: NodeFiles = {
    attachments: [],
    startedPids: [],
    directories: new Map(),
    notices: [],
    remove: () => {},
  };
  const node = attempt('notes of Node', () => takeNodeFiles(stored, options, packing), none);
  if (finish) for (const notice of node.notices) notify(notice);
  const takeDumps = () => dumps.take(node.directories, finish ? notify : undefined, packing);
  // The later one of a name is read: a program's file has more notes.
  const all = [...stored, ...node.attachments, ...attempt('jitdumps', takeDumps, [])];
  return {
    startedPids: node.startedPids,
    remove: node.remove,
    attachments: withinRoom(all, notify),
  };
}

/** Attachments that have room together, in their order. */
function withinRoom(
  attachments: readonly WrittenAttachment[],
  notify: (notice: string) => void,
): readonly WrittenAttachment[] {
  let room = MOST_BYTES;
  const kept = attachments.filter((attachment) => {
    const size = storedSize(attachment);
    if (size > room) return false;
    room -= size;
    return true;
  });
  const left = attachments.length - kept.length;
  if (left > 0) {
    notify(
      `what names code has more than 320 MiB: ${left} parts of it are left out of the recording`,
    );
  }
  return kept;
}
