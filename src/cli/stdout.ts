import { writeSync } from 'node:fs';
import { FailedError } from '../base/errors.ts';
import { writeErrorReason } from '../session/record/output-file.ts';

/**
 * Writes to standard output at once, so that memory stays bounded whatever the reader's speed. A
 * closed pipe (`| head`) ends the process quietly, as it ends every other tool.
 */
export function writeOut(text: string): void {
  writeTo(1, Buffer.from(text), 'standard output');
}

/** `name` is what an error calls it. */
export function writeTo(fd: number, bytes: Uint8Array, name: string): void {
  let done = 0;
  while (done < bytes.length) {
    try {
      done += writeSync(fd, bytes, done);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EPIPE') process.exit(0);
      if (code !== 'EAGAIN')
        throw new FailedError(`cannot write ${name}: ${writeErrorReason(error)}`);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

/** One JSON document, as every `--json` prints it. */
export function printJson(document: unknown): void {
  writeOut(`${JSON.stringify(document, null, 2)}\n`);
}
