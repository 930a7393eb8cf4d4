import type { Attachment } from '../../formats/perf-data/appendix.ts';
import type { MapWatch } from './map-watch.ts';
import { type NodeFiles, type NodeFilesOptions, takeNodeFiles } from './node-files.ts';

/** What a recording keeps of the files that JITs write, as far as it could be read. */
export type JitAttachments = Omit<NodeFiles, 'notices'>;

/**
 * The maps and the notes of the recorded processes, with `finish` for the last time. They only give
 * names, and others than us write them, so that no failure here keeps a recording from its end: it is
 * said, and what could be read is kept.
 */
export function takeJitAttachments(
  maps: MapWatch,
  finish: boolean,
  say: (notice: string) => void,
  options: NodeFilesOptions,
): JitAttachments {
  let stored: readonly Attachment[] = [];
  try {
    if (finish) {
      const finished = maps.finish();
      stored = finished.attachments;
      for (const notice of finished.notices) say(notice);
    } else {
      stored = maps.soFar();
    }
    const node = takeNodeFiles(stored, options);
    if (finish) for (const notice of node.notices) say(notice);
    return { ...node, attachments: [...stored, ...node.attachments] };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    say(
      `maps and notes of JIT code could not be read to the end, so names may be missing: ${reason}`,
    );
    return { attachments: stored, startedPids: [], remove: () => {} };
  }
}
