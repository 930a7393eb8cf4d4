import { describeError } from '../../base/system-error.ts';
import { CLOCK_IDS } from '../../kernel/perf-event/clock-ids.ts';
import type { NativeBinding } from '../../native/types.ts';
import type { FeatureContext } from '../feature-data.ts';
import type { OpenedRecording } from '../recording-parts.ts';
import { CodeEventSink } from './code-event-sink.ts';

/**
 * What the command's Node processes will send V8's code to; null if they write maps. Call it while the
 * command is held, so that its first Node finds it. Without it the recording lacks names, which is said.
 */
export async function openCodeSink(
  { session, features }: OpenedRecording,
  { peerOf }: NativeBinding,
): Promise<CodeEventSink | null> {
  const { codeSocket, target } = session;
  if (codeSocket === null) return null;
  const commandUid = 'command' in target ? target.command?.user?.uid : undefined;
  try {
    return await CodeEventSink.open({
      path: codeSocket,
      peerOf,
      offsetNs: () => clockOffsetNs(features),
      // The path is known to what the command has started alone.
      isRecorded: () => true,
      uids: commandUid === undefined ? [] : [commandUid],
      say: features.say,
    });
  } catch (error) {
    features.say(`functions of JavaScript may have no names: ${describeError(error)}`);
    return null;
  }
}

/** The recording's clock at 0 of CLOCK_MONOTONIC. */
function clockOffsetNs({ clock, readClockPair }: FeatureContext): bigint {
  if (clock === 'monotonic') return 0n;
  const monotonic = readClockPair(CLOCK_IDS.monotonic);
  const recording = readClockPair(CLOCK_IDS[clock]);
  return recording.clockNs - recording.wallNs - (monotonic.clockNs - monotonic.wallNs);
}
