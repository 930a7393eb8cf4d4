import type { Slices } from '../../base/slices.ts';
import { openFileSource } from '../../read/files/file-source.ts';
import { type OnShareRead, watchReads } from '../../read/files/watched-source.ts';
import { openOwnRecording } from '../../read/open-recording.ts';
import { rewriteInto } from '../../rewrite/output.ts';
import { rewriteInSlices } from '../../rewrite/rewrite-recording.ts';
import type { OutputFile } from '../../system/files/output-file.ts';

/**
 * Unwinds the copied stacks of the finished recording in `file`, and puts a recording without them in its
 * place. Returns its bytes. Where that throws the recording is as it was: whoever reads it unwinds then. `onShare`
 * hears of the share that was read. A process that ends meanwhile leaves the recording as it was, too.
 *
 * The program that was recorded may still run, in the folder of the file: both files are what was opened,
 * whatever has become of their names, and the new one belongs to the owner of the old one from the start.
 */
export async function unwindCopies(file: OutputFile, onShare: OnShareRead): Promise<number> {
  let unwound: OutputFile | null = null;
  const removeUnfinished = (): void => unwound?.discard();
  process.once('exit', removeUnfinished);
  const source = openFileSource(file.readablePath());
  try {
    // Another recording to the same path may end at the same time.
    unwound = file.createBeside(`.unwound-${process.pid}`);
    const output = { ...rewriteInto(unwound), close: () => 0, discard: () => {} };
    const options = { dropStacks: true };
    const data = openOwnRecording(watchReads(source, onShare));
    await runInTurns(rewriteInSlices(data, file.readablePath(), () => output, options));
    const unwoundBytes = unwound.size();
    unwound.replace(file);
    unwound.close();
    return unwoundBytes;
  } catch (error) {
    unwound?.discard();
    throw error;
  } finally {
    source.close();
    process.off('exit', removeUnfinished);
  }
}

/** Longest time that signals and timers wait, save for a slice that takes longer by itself. */
const TURN_MS = 20;

/** Runs `work` to its end, and lets signals, timers and input through in between. */
async function runInTurns<Result>(work: Slices<Result>): Promise<Result> {
  let turnEndMs = performance.now() + TURN_MS;
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    if (performance.now() < turnEndMs) continue;
    await new Promise((resume) => setImmediate(resume));
    turnEndMs = performance.now() + TURN_MS;
  }
}
