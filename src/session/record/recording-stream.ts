import { fstatSync } from 'node:fs';
import { FailedError } from '../../base/errors.ts';
import type { FileSinkOptions, SamplerOpened } from '../../native/types.ts';
import { FEATURE } from '../../perf-data/features.ts';
import {
  encodeEventName,
  encodeHeaderAttr,
  encodeHeaderBuildIds,
  encodeHeaderFeature,
  encodeHeaderTracingData,
  encodePipeHeader,
} from '../../perf-data/pipe-writer.ts';
import { collectHostFeatures, type FeatureContext } from './feature-data.ts';
import { writeErrorReason, writeFully } from './output-file.ts';
import { attrsWithIds } from './recording-file.ts';
import type { RecordingPlan } from './recording-plan.ts';

/**
 * A recording to standard output in perf's pipe mode: what a file has in its header comes as
 * records in front, since nothing can be written twice. `perf report -i -` reads it.
 */
export class RecordingStream {
  readonly #fd = 1;
  #written = 0;

  static create(
    plan: RecordingPlan,
    opened: SamplerOpened,
    context: FeatureContext,
  ): RecordingStream {
    const stream = new RecordingStream();
    stream.append(encodePipeHeader());
    for (const attr of attrsWithIds(plan, opened)) stream.append(encodeHeaderAttr(attr));
    plan.events.forEach(({ name }, index) => {
      const id = opened.ids[index]?.[0];
      if (id !== undefined) stream.append(encodeEventName(id, name));
    });
    for (const section of collectHostFeatures(plan, context)) {
      if (section.feature === FEATURE.TRACING_DATA) {
        stream.append(encodeHeaderTracingData(section.bytes));
      } else if (section.feature === FEATURE.BUILD_ID) {
        stream.append(encodeHeaderBuildIds(section));
      } else {
        const record = encodeHeaderFeature(section);
        if (record !== null) stream.append(record);
      }
    }
    return stream;
  }

  append(records: Uint8Array): void {
    try {
      writeFully(this.#fd, records, null);
    } catch (error) {
      throw new FailedError(`cannot write standard output: ${writeErrorReason(error)}`);
    }
    this.#written += records.length;
  }

  sink(): Pick<FileSinkOptions, 'fd' | 'dataOffset' | 'dataSize' | 'stream'> {
    return { fd: this.#fd, dataOffset: 0, dataSize: this.#written, stream: true };
  }

  /** Bytes written, where standard output is a file; else 0. */
  finish(): number {
    const stat = fstatSync(this.#fd);
    return stat.isFile() ? stat.size : 0;
  }

  discard(): void {}
}
