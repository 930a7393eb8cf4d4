import { describeError } from '../base/system-error.ts';
import { words } from '../base/words.ts';
import { CLOCK_IDS } from '../kernel/perf-event/clock-ids.ts';
import type { NativeBinding, SamplerTarget } from '../native/types.ts';
import { RECORD, type RecordSettings } from '../options/record.ts';
import { uidOfProcess } from '../system/processes/processes-of-user.ts';
import { CodeEventSink, type CodeEventSinkOptions } from './code-events/code-event-sink.ts';
import { HeldMaps } from './code-events/held-maps.ts';
import type { FeatureContext } from './output/feature-data.ts';
import type { OpenedRecording } from './recording-parts.ts';

/**
 * Opens the socket that recorded Node processes send V8's code to; null if they write maps. Call it while a
 * command is held, so that its first Node finds it. Without it the recording lacks names, which is said.
 */
export async function openCodeSink(
  { session, features }: OpenedRecording,
  { peerOf }: NativeBinding,
  { requests, asyncStacks }: Pick<RecordSettings, 'requests' | 'asyncStacks'>,
): Promise<CodeEventSink | null> {
  const { codeSocket, target } = session;
  const asked = asyncStacks ? RECORD.asyncStacks : RECORD.requests;
  if ((requests || asyncStacks) && (codeSocket === null || target.kind === 'system')) {
    features.notify(
      words`${asked}: the recording has no requests of samples: they are of a Node that is started or attached to, in a file`,
    );
  }
  if (codeSocket === null) return null;
  let isReported = false;
  const signalSamples = (tid: number, isOn: boolean): void => {
    if (session.sampler.signalSamples(tid, isOn) || !isOn || isReported) return;
    isReported = true;
    features.notify(
      words`${asked}: several threads answer requests, and the samples of the first one alone have theirs: attach to the process (-p PID) for all`,
    );
  };
  try {
    return await CodeEventSink.open({
      name: codeSocket,
      peerOf,
      offsetNs: () => clockOffsetNs(features),
      ...peersOf(target),
      notify: features.notify,
      heldMaps: heldMapsOf(target),
      signalSamples,
    });
  } catch (error) {
    features.notify(`functions of JavaScript may have no names: ${describeError(error)}`);
    return null;
  }
}

/** The processes and users whose connections are taken. */
function peersOf(target: SamplerTarget): Pick<CodeEventSinkOptions, 'isRecorded' | 'uids'> {
  if (target.kind === 'processes') {
    const uids = target.pids.map((pid) => uidOfProcess(pid)).filter((uid) => uid !== null);
    return { isRecorded: (pid) => target.pids.includes(pid), uids };
  }
  const uid = 'command' in target ? target.command?.user?.uid : undefined;
  // The path is known to what the command has started alone.
  return { isRecorded: () => true, uids: uid === undefined ? [] : [uid] };
}

/** The maps of what a command runs, read with the rights of its user. */
function heldMapsOf(target: SamplerTarget): HeldMaps | null {
  if (target.kind !== 'command') return null;
  const { user } = target.command;
  return new HeldMaps(user === undefined ? [] : [{ uid: user.uid, gid: user.gid }]);
}

/** The recording's clock at 0 of CLOCK_MONOTONIC. */
function clockOffsetNs({ clock, readClockPair }: FeatureContext): bigint {
  if (clock === 'monotonic') return 0n;
  const monotonic = readClockPair(CLOCK_IDS.monotonic);
  const recording = readClockPair(CLOCK_IDS[clock]);
  return recording.clockNs - recording.wallNs - (monotonic.clockNs - monotonic.wallNs);
}
