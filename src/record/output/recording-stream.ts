import { fstatSync } from 'node:fs';
import { failedBy } from '../../base/errors.ts';
import { systemErrorReason } from '../../base/system-error.ts';
import type { WrittenAttachment } from '../../formats/perf-data/appendix.ts';
import { encodePipeAppendix } from '../../formats/perf-data/pipe-appendix.ts';
import { encodePipeHead } from '../../formats/perf-data/pipe-writer.ts';
import type { FileSinkOptions, SamplerEvent, SamplerOpened } from '../../native/types.ts';
import { provenanceAttachment } from '../../read/facts/provenance.ts';
import { writeErrorReason, writeFully } from '../../system/files/output-file.ts';
import type { StreamPlace } from '../../system/files/stream-place.ts';
import type { RecordingPlan } from '../plan/recording-plan.ts';
import { announceCompression } from './compression.ts';
import {
  collectHostFeatures,
  describeRecording,
  type FeatureContext,
  recorderVersion,
} from './feature-data.ts';
import { collectAllKernelSymbols } from './kernel-symbols.ts';
import { attrsWithIds } from './recording-file.ts';

/**
 * A recording to standard output, a FIFO or a device in perf's pipe mode: what a file has in its header comes as
 * records in front, since nothing can be written twice; what is known at the end only, as the names of
 * JIT code, comes behind. `perf report -i -` reads it.
 */
export class RecordingStream {
  readonly #place: StreamPlace;
  readonly #plan: RecordingPlan;
  readonly #compressionLevel: number;
  #written = 0;

  private constructor(place: StreamPlace, plan: RecordingPlan, compressionLevel: number) {
    this.#place = place;
    this.#plan = plan;
    this.#compressionLevel = compressionLevel;
  }

  /** Takes `place` over. `compressionLevel`: 0 for none. */
  static create(
    place: StreamPlace,
    plan: RecordingPlan,
    opened: SamplerOpened,
    context: FeatureContext,
    compressionLevel: number,
  ): RecordingStream {
    const stream = new RecordingStream(place, plan, compressionLevel);
    const sections = collectHostFeatures(plan, context);
    for (const part of encodePipeHead(attrsWithIds(plan, opened), sections)) stream.append(part);
    if (compressionLevel > 0) stream.append(announceCompression(compressionLevel));
    return stream;
  }

  /** A stream replaces nothing, and belongs to who opened it. */
  keep(): void {}

  append(records: Uint8Array): void {
    try {
      writeFully(this.#place.fd, records, null);
    } catch (error) {
      throw failedBy(error, `cannot write ${this.#place.name}: ${writeErrorReason(error)}`);
    }
    this.#written += records.length;
  }

  /** Same contract as that of `RecordingFile`. */
  appendSamples(records: Uint8Array): void {
    this.append(records);
  }

  sink(): Omit<FileSinkOptions, 'maxBytes' | 'marksRounds'> {
    return {
      fd: this.#place.fd,
      dataOffset: 0,
      dataSize: this.#written,
      stream: true,
      compressionLevel: this.#compressionLevel,
    };
  }

  /** Writes nothing: the features of a stream are in front of it, the rest comes with its names. */
  finish(): void {}

  /**
   * Adds the appendix, with what a file has in its header about the recording as a whole. Returns the
   * bytes written, where it is a file; else 0.
   */
  addNames(
    event: Extract<SamplerEvent, { kind: 'recording-ended' }>,
    context: FeatureContext,
    attachments: readonly WrittenAttachment[],
  ): number {
    if (event.reason !== 'write-error') {
      const seesKernel = this.#plan.events.some(({ attr }) => !attr.flags.excludeKernel);
      const kernelSymbols = seesKernel ? collectAllKernelSymbols(context.notify) : null;
      const provenance = describeRecording(this.#plan, event, context, kernelSymbols);
      const all = [provenanceAttachment(provenance), ...attachments];
      try {
        for (const part of encodePipeAppendix(all, recorderVersion())) this.append(part);
      } catch (error) {
        throw failedBy(
          error,
          `the recording is complete, but what names its code could not be written: ${systemErrorReason(error)}`,
        );
      }
    }
    const stat = fstatSync(this.#place.fd);
    return stat.isFile() ? stat.size : 0;
  }

  close(): void {
    this.#place.close();
  }

  discard(): void {
    this.#place.close();
  }
}
