import { ByteWriter } from '../base/byte-writer.ts';
import { FailedError } from '../base/errors.ts';
import type { FeatureSection } from '../formats/perf-data/feature-encoders.ts';
import { FEATURE } from '../formats/perf-data/features.ts';
import { DATA_SIZE_OFFSET, FEATURE_FLAGS_OFFSET } from '../formats/perf-data/header.ts';
import {
  encodeHeaderBuildIds,
  encodePipeHead,
  type PipeEvent,
} from '../formats/perf-data/pipe-writer.ts';
import { encodeFeatures, encodePrefix } from '../formats/perf-data/writer.ts';
import { chooseUser } from '../system/accounts/run-as.ts';
import { OutputFile, writeFully } from '../system/files/output-file.ts';
import { isStream, openStream, type StreamPlace } from '../system/files/stream-place.ts';

/** The output of a rewritten recording: `head`, `write` …, `tail`, `close`. */
export type RewriteOutput = {
  readonly isPipe: boolean;
  /** `sections` are those of a pipe, which come first. */
  head(
    events: readonly PipeEvent[],
    sections: readonly FeatureSection[],
    littleEndian: boolean,
  ): void;
  write(records: Uint8Array): void;
  /** The sections as they are when all records were seen. */
  tail(sections: readonly FeatureSection[], littleEndian: boolean): void;
  /** Returns the bytes written. */
  close(): number;
  discard(): void;
};

export function openRewriteOutput(path: string): RewriteOutput {
  if (isStream(path)) return pipeOutput(openStream(path));
  return rewriteInto(OutputFile.create(path, chooseUser({}).owner));
}

/** Writes into a new file. `close` closes it, and throws where it has no name any more; `discard` removes it. */
export function rewriteInto(file: OutputFile): RewriteOutput {
  let dataOffset = 0;
  let length = 0;
  const write = (bytes: Uint8Array): void => {
    file.write(bytes, length);
    length += bytes.length;
  };
  return {
    isPipe: false,
    head(events, _sections, littleEndian) {
      write(encodePrefix({ attrs: events }, littleEndian).bytes);
      dataOffset = length;
    },
    write,
    tail(sections, littleEndian) {
      const dataSize = length - dataOffset;
      const { bytes, flags } = encodeFeatures(length, sections, littleEndian);
      write(bytes);
      file.write(new ByteWriter(littleEndian).u64(dataSize).finish(), DATA_SIZE_OFFSET);
      file.write(flags, FEATURE_FLAGS_OFFSET);
    },
    close() {
      const isThere = file.place() !== null;
      file.close();
      if (isThere) return length;
      throw new FailedError(
        `${file.path} is lost: it was removed or replaced while it was written`,
        ['name a place that nobody clears with -o'],
      );
    },
    discard: () => file.discard(),
  };
}

function pipeOutput(place: StreamPlace): RewriteOutput {
  let length = 0;
  const writtenFirst = new Map<number, Uint8Array>();
  const write = (bytes: Uint8Array): void => {
    writeFully(place.fd, bytes, null);
    length += bytes.length;
  };
  return {
    isPipe: true,
    head(events, sections, littleEndian) {
      for (const part of encodePipeHead(events, sections, littleEndian)) write(part);
      for (const { feature, bytes } of sections) writtenFirst.set(feature, bytes);
    },
    write,
    tail(sections, littleEndian) {
      // Files that were read for their build IDs are known only now.
      const buildIds = sections.find(({ feature }) => feature === FEATURE.BUILD_ID);
      const first = writtenFirst.get(FEATURE.BUILD_ID)?.length ?? 0;
      if (buildIds === undefined || buildIds.bytes.length === first) return;
      const bytes = buildIds.bytes.subarray(first);
      write(encodeHeaderBuildIds({ bytes }, littleEndian));
    },
    close() {
      place.close();
      return length;
    },
    discard: () => place.close(),
  };
}
