import { JitDumps } from '../../record/jit-maps/jit-dumps.ts';
import { MapWatch } from '../../record/jit-maps/map-watch.ts';
import { takeNodeFiles } from '../../record/jit-maps/node-files.ts';
import type { PreparedRecording } from '../../record/prepare-recording.ts';

/**
 * Makes a function that removes what JITs wrote because of flags that we gave them. Call this before
 * anything runs, and the function when sampling is over: each call removes the files of processes that
 * have ended by then.
 */
export function nodeCleanUp(session: PreparedRecording, readClock: () => ClockPair): () => void {
  const { target, sampler, causesMaps, recordingId, dumpsIn } = session;
  if (!causesMaps && dumpsIn === null) return () => {};
  const startedMs = Date.now();
  const commandUid = 'command' in target ? target.command?.user?.uid : undefined;
  const maps = new MapWatch({
    target,
    childPid: sampler.opened.childPid,
    readClock,
    ...(commandUid !== undefined && { commandUid }),
  });
  // It only has to know what was there before; the maps themselves are read by `LiveJit`.
  maps.start();
  maps.stop();
  const dumps = new JitDumps({
    dumpsIn,
    target,
    childPid: sampler.opened.childPid,
    commandUid: commandUid ?? null,
    startedMs,
  });
  dumps.start();
  let removeLeft: (() => void) | null = null;
  const find = (): (() => void) => {
    const { attachments } = maps.finish();
    const node = takeNodeFiles(attachments, {
      recordingId,
      commandUid: commandUid ?? null,
      startedMs,
    });
    dumps.stop();
    dumps.take(node.directories);
    return () => {
      dumps.remove();
      maps.removeMaps(node.startedPids);
      node.remove();
    };
  };
  return () => {
    removeLeft ??= find();
    removeLeft();
  };
}

type ClockPair = ReturnType<ConstructorParameters<typeof MapWatch>[0]['readClock']>;
