import { takeJitAttachments, watchJitFiles } from '../../record/jit-maps/jit-attachments.ts';
import type { PreparedRecording } from '../../record/prepare-recording.ts';

/**
 * Makes a function that removes what JITs wrote because of flags that we gave them. Call this before
 * anything runs, and the function when sampling is over: each call removes the files of processes that
 * have ended by then.
 */
export function nodeCleanUp(
  session: PreparedRecording,
  readClock: Parameters<typeof watchJitFiles>[1],
): () => void {
  if (!session.causesMaps && session.dumpsIn === null) return () => {};
  const { maps, dumps, notes } = watchJitFiles(session, readClock, Date.now());
  // It only has to know what was there before; the maps themselves are read by `LiveJit`.
  maps.start();
  maps.stop();
  dumps.start();
  let left: ReturnType<typeof takeJitAttachments> | null = null;
  return () => {
    if (left === null) {
      dumps.stop();
      left = takeJitAttachments(
        maps,
        () => [],
        dumps,
        true,
        () => {},
        notes,
      );
    }
    dumps.remove();
    maps.removeMaps(left.startedPids);
    left.remove();
  };
}
