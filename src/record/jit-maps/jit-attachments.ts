import type { Attachment } from '../../formats/perf-data/appendix.ts';
import type { JitDumps } from './jit-dumps.ts';
import type { MapWatch } from './map-watch.ts';
import { type NodeFiles, type NodeFilesOptions, takeNodeFiles } from './node-files.ts';

/** What a recording keeps of the files that JITs write, as far as it could be read. */
export type JitAttachments = Omit<NodeFiles, 'notices' | 'directories'>;

/**
 * Takes what the recorded processes announced, their maps, notes and jitdumps, with `finish` for the last time. They
 * only give names, and others than us write them, so that no failure here keeps a recording from its end: it is said,
 * and what could be read is kept.
 */
export function takeJitAttachments(
  maps: MapWatch,
  announced: readonly Attachment[],
  dumps: Pick<JitDumps, 'take'>,
  finish: boolean,
  say: (notice: string) => void,
  options: NodeFilesOptions,
): JitAttachments {
  let stored = announced;
  try {
    if (finish) {
      const finished = maps.finish();
      stored = [...announced, ...finished.attachments];
      for (const notice of finished.notices) say(notice);
    } else {
      stored = [...announced, ...maps.soFar()];
    }
    const node = takeNodeFiles(stored, options);
    if (finish) for (const notice of node.notices) say(notice);
    // The later one of a name is read: a program's file has more notes.
    stored = [...stored, ...node.attachments];
    stored = [...stored, ...dumps.take(node.directories, finish ? say : undefined)];
    return { startedPids: node.startedPids, remove: node.remove, attachments: stored };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    say(
      `maps and notes of JIT code could not be read to the end, so names may be missing: ${reason}`,
    );
    return { attachments: stored, startedPids: [], remove: () => {} };
  }
}
