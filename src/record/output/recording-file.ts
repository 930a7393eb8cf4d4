import { fstatSync, ftruncateSync } from 'node:fs';
import { failedBy } from '../../base/errors.ts';
import { formatCount } from '../../base/numbers.ts';
import { systemErrorReason } from '../../base/system-error.ts';
import {
  type Attachment,
  encodeAppendix,
  type WrittenAttachment,
} from '../../formats/perf-data/appendix.ts';
import { DATA_SIZE_OFFSET, FEATURE_FLAGS_OFFSET } from '../../formats/perf-data/header.ts';
import { encodeFeatures, encodePrefix } from '../../formats/perf-data/writer.ts';
import { encodeAttr } from '../../kernel/perf-event/attr.ts';
import type {
  CodeMapped,
  FileSinkOptions,
  RecordingScan,
  SamplerEvent,
  SamplerOpened,
} from '../../native/types.ts';
import { copiesStacks } from '../../read/unwind/unwind-stacks.ts';
import { actAs } from '../../system/accounts/file-identity.ts';
import { type FileOwner, OutputFile } from '../../system/files/output-file.ts';
import type { RecordingPlan } from '../plan/recording-plan.ts';
import { announceCompression, describeCompression } from './compression.ts';
import { collectFeatures, type FeatureContext } from './feature-data.ts';
import { type CodeRange, findPrograms, HeldPrograms, pathsOfProgram } from './held-programs.ts';
import { collectKernelSymbols } from './kernel-symbols.ts';
import { collectPrograms, type FindMet } from './met-programs.ts';
import { countSamples, lastRoundUpTo } from './round-ends.ts';

/** A notice more takes that much of the sections at most. */
const NOTICE_BYTES = 256;

/**
 * The perf.data file around the data section that the drain thread writes:
 *
 *   header │ ids, attrs │ synthesized records │ rounds … (drain thread) │ feature sections │ appendix
 *
 * The header's data size is right after every round and the feature bits are set last, so the file
 * can be read at any moment, by perf as well.
 */
export class RecordingFile {
  readonly #plan: RecordingPlan;
  readonly file: OutputFile;
  readonly #dataOffset: number;
  readonly #compressionLevel: number;
  #dataSize = 0;
  /** The part of it that has no samples. */
  #describedSize = 0;
  /** End of the feature sections. */
  #sectionsEnd = 0;
  #scanned: RecordingScan | null = null;
  #mappedPrograms: readonly CodeRange[] | null = null;
  readonly #held = new HeldPrograms();
  /** Samples that were written, and made room for what names the others. */
  samplesGivenUp = 0;

  private constructor(
    plan: RecordingPlan,
    file: OutputFile,
    dataOffset: number,
    compressionLevel: number,
  ) {
    this.#plan = plan;
    this.file = file;
    this.#dataOffset = dataOffset;
    this.#compressionLevel = compressionLevel;
  }

  /** `compressionLevel`: 0 for none. */
  static create(
    path: string,
    plan: RecordingPlan,
    opened: SamplerOpened,
    owner: FileOwner | null,
    compressionLevel: number,
  ): RecordingFile {
    const file = OutputFile.create(path, owner);
    try {
      const { bytes, dataOffset } = encodePrefix({ attrs: attrsWithIds(plan, opened) });
      file.write(bytes, 0);
      const recording = new RecordingFile(plan, file, dataOffset, compressionLevel);
      if (compressionLevel > 0) recording.append(announceCompression(compressionLevel));
      return recording;
    } catch (error) {
      file.discard();
      throw error;
    }
  }

  /** The file belongs to who called sudo; not every file system has owners. */
  reportOwner(notify: (notice: string) => void): void {
    const { ownerProblem, path } = this.file;
    if (ownerProblem === null) return;
    notify(`${path} stays root's: it can't be given to another user (${ownerProblem})`);
  }

  /** The recording has begun: what stood at its path before it is replaced for good. */
  keep(notify: (notice: string) => void): void {
    this.file.keep(notify);
  }

  /** Adds records that describe what is there before the first round. */
  append(records: Uint8Array): void {
    this.appendSamples(records);
    this.#describedSize = this.#dataSize;
  }

  /** Adds samples behind these, before the first round. */
  appendSamples(records: Uint8Array): void {
    this.file.write(records, this.#dataOffset + this.#dataSize);
    this.#dataSize += records.length;
    this.#writeDataSize(this.#dataSize);
  }

  #writeDataSize(bytes: number): void {
    const size = new Uint8Array(8);
    new DataView(size.buffer).setBigUint64(0, BigInt(bytes), true);
    this.file.write(size, DATA_SIZE_OFFSET);
  }

  sink(): Omit<FileSinkOptions, 'maxBytes' | 'marksRounds'> {
    return {
      fd: this.file.fd,
      dataOffset: this.#dataOffset,
      dataSize: this.#dataSize,
      stream: false,
      compressionLevel: this.#compressionLevel,
    };
  }

  get compressionLevel(): number {
    return this.#compressionLevel;
  }

  get #isCompressed(): boolean {
    return this.#compressionLevel > 0;
  }

  get size(): number {
    return this.file.size();
  }

  /** The MMAP2 records of executable mappings of before the first round. No recording ends for it. */
  describedMappings({ scanner }: FeatureContext): CodeMapped {
    const from = this.#dataOffset;
    const end = from + this.#describedSize;
    const first = { leftOut: 0, sinceNs: 0n };
    try {
      const { fd } = this.file;
      const found = scanner.scanRecording(fd, from, end, this.#isCompressed, end);
      return { records: found.codeMappings, ...first };
    } catch {
      return { records: new Uint8Array(), ...first };
    }
  }

  /**
   * Opens the programs of these MMAP2 records, while the files are there. True: some are on file systems that have not
   * answered yet, so that it is to be called again. No recording ends for it.
   */
  holdPrograms(codeMappings: Uint8Array, { keepsPrograms }: FeatureContext): boolean {
    if (!keepsPrograms) return false;
    try {
      const { uid, gid } = fstatSync(this.file.fd);
      actAs({ uid, gid }, () => this.#held.hold(codeMappings));
    } catch {
      // The end of the recording looks for all of them, and reports what can't be read.
    }
    return this.#held.isWaiting;
  }

  /** Adds the feature sections behind the data: the file is complete then, and lacks names alone. */
  finish(event: Extract<SamplerEvent, { kind: 'recording-ended' }>, context: FeatureContext): void {
    if (event.reason === 'write-error') return;
    try {
      const { bytes, flags } = this.#encodeSections(event, context, event.dataEnd);
      this.file.write(bytes, event.dataEnd);
      this.#sectionsEnd = event.dataEnd + bytes.length;
      this.file.write(flags, FEATURE_FLAGS_OFFSET);
    } catch (error) {
      throw failedBy(
        error,
        `the recording is complete, but its header sections could not be written: ${systemErrorReason(error)}`,
      );
    }
  }

  #encodeSections(
    event: Extract<SamplerEvent, { kind: 'recording-ended' }>,
    context: FeatureContext,
    dataEnd: number,
    kernelSymbols = this.#kernelSymbols(event.dataEnd, context),
  ): ReturnType<typeof encodeFeatures> {
    const sections = collectFeatures(this.#plan, event, context, kernelSymbols);
    if (this.#compressionLevel > 0) {
      sections.push(describeCompression(this.#compressionLevel, event.totals));
    }
    return encodeFeatures(dataEnd, sections);
  }

  #kernelSymbols(dataEnd: number, context: FeatureContext): string | null {
    const { kernelAddresses } = this.#scan(dataEnd, context);
    const { scanner, notify } = context;
    return collectKernelSymbols(kernelAddresses, scanner.readKernelLines, notify);
  }

  /**
   * A disk without room for more samples has none for sections and names either, without which the samples mean
   * little: the last rounds make room for them, half of all at most.
   */
  #nameInPlaceOfTail(
    event: Extract<SamplerEvent, { kind: 'recording-ended' }>,
    context: FeatureContext,
    attachments: readonly WrittenAttachment[],
  ): void {
    const { notify, sampled } = context;
    // Final values of the events are of samples that are not in this file, too.
    const ended = { ...event, finals: [] };
    const kernelSymbols = this.#kernelSymbols(event.dataEnd, context);
    const encode = (dataEnd: number) =>
      this.#encodeSections(ended, context, dataEnd, kernelSymbols);
    const sectionBytes = encode(0).bytes.length + NOTICE_BYTES;
    const appendix = attachments.length > 0 ? encodeAppendix(attachments) : [];
    const nameBytes = appendix.reduce((sum, { length }) => sum + length, 0);
    const least = this.#dataOffset + (event.dataEnd - this.#dataOffset) / 2;
    const endFor = (bytes: number) =>
      this.#isCompressed ? null : lastRoundUpTo(event.roundEnds, event.dataEnd - bytes, least);
    const withNames = endFor(sectionBytes + nameBytes);
    const kept = withNames ?? endFor(sectionBytes);
    if (kept === null) {
      notify('there was no room for what describes the recording, and names its code');
      return;
    }
    this.samplesGivenUp = countSamples(this.file.fd, kept.end, event.dataEnd);
    const others = withNames === null ? 'a description; names of JIT code have none' : 'names';
    notify(`the last ${formatCount(this.samplesGivenUp)} samples have made room for ${others}`);
    sampled.cutAt(kept.atNs);
    const { bytes, flags } = encode(kept.end);
    this.#writeDataSize(kept.end - this.#dataOffset);
    ftruncateSync(this.file.fd, kept.end);
    this.#writeAll([bytes, ...(withNames === null ? [] : appendix)], kept.end);
    this.file.write(flags, FEATURE_FLAGS_OFFSET);
  }

  #writeAll(pieces: readonly Uint8Array[], position: number): void {
    for (const piece of pieces) {
      this.file.write(piece, position);
      position += piece.length;
    }
  }

  /** Adds the appendix behind the sections that `finish` has written; returns the size of the file. */
  addNames(
    event: Extract<SamplerEvent, { kind: 'recording-ended' }>,
    context: FeatureContext,
    attachments: readonly WrittenAttachment[],
  ): number {
    if (event.reason === 'write-error') {
      try {
        this.#nameInPlaceOfTail(event, context, attachments);
      } catch (error) {
        context.notify(`what names the samples could not be written: ${systemErrorReason(error)}`);
      }
    } else {
      const all = [...attachments, ...this.#programs(event.dataEnd, context)];
      try {
        this.#writeAll(all.length > 0 ? encodeAppendix(all) : [], this.#sectionsEnd);
      } catch (error) {
        throw failedBy(
          error,
          `the recording is complete, but what names its code could not be written: ${systemErrorReason(error)}`,
        );
      }
    }
    return this.file.size();
  }

  /** The folders and files that are looked at for `addNames`. */
  placesOfNames(dataEnd: number, context: FeatureContext): readonly string[] {
    const programs = new Set(this.#ranges(dataEnd, context).map(({ program }) => program));
    return [...new Set([...programs].flatMap(pathsOfProgram))];
  }

  /** The places at which programs were mapped that may be kept. */
  #ranges(dataEnd: number, context: FeatureContext): readonly CodeRange[] {
    this.#mappedPrograms ??= findPrograms(this.codeMappings(dataEnd, context));
    return this.#mappedPrograms;
  }

  /** Records of the executable mappings of processes, up to `dataEnd`, where the data ends. */
  codeMappings(dataEnd: number, context: FeatureContext): Uint8Array {
    return this.#scan(dataEnd, context).codeMappings;
  }

  /**
   * One pass over the complete data: kernel addresses, behind what described the machine before the
   * recording began, and the mappings of programs. No recording ends for it.
   */
  #scan(dataEnd: number, { scanner, notify }: FeatureContext): RecordingScan {
    if (this.#scanned !== null) return this.#scanned;
    const seesKernel = this.#plan.events.some(({ attr }) => !attr.flags.excludeKernel);
    const from = this.#dataOffset;
    const kernelFrom = seesKernel ? from + this.#describedSize : dataEnd;
    try {
      this.#scanned = scanner.scanRecording(
        this.file.fd,
        from,
        dataEnd,
        this.#isCompressed,
        kernelFrom,
      );
      const { mappingsLeftOut } = this.#scanned;
      if (mappingsLeftOut > 0) {
        notify(
          `mappings of code have more than 64 MiB: programs of the last ${mappingsLeftOut} are not kept in the recording`,
        );
      }
    } catch (error) {
      notify(`names of what was met are not in the recording: ${systemErrorReason(error)}`);
      this.#scanned = {
        kernelAddresses: new Float64Array(),
        codeMappings: new Uint8Array(),
        mappingsLeftOut: 0,
      };
    }
    return this.#scanned;
  }

  #programs(dataEnd: number, context: FeatureContext): Attachment[] {
    const { scanner, keepsPrograms, notify } = context;
    if (!keepsPrograms) return [];
    const { fd } = this.file;
    const keepsCode = this.#plan.events.some(({ attr }) => copiesStacks(attr));
    const findMet: FindMet = (...ranges) =>
      scanner.findMetOwners(fd, this.#dataOffset, dataEnd, this.#isCompressed, ...ranges);
    try {
      const ranges = this.#ranges(dataEnd, context);
      return collectPrograms(ranges, findMet, this.#held, fstatSync(fd), keepsCode, notify);
    } catch (error) {
      notify(`programs are not kept in the recording: ${systemErrorReason(error)}`);
      return [];
    }
  }

  /**
   * Finds the file that was to be at `path`. Another recording to the same path that began
   * meanwhile may have moved it, which is reported; null where it was removed or replaced.
   */
  findPlace(path: string, notify: (notice: string) => void): string | null {
    const place = this.file.place();
    if (place !== null && place !== path) {
      notify(`another recording has taken ${path} since: this one is ${place}`);
    }
    return place;
  }

  close(): void {
    this.#held.close();
    this.file.close();
  }

  discard(): void {
    this.#held.close();
    this.file.discard();
  }
}

/** The attrs in file order, the side-band event last, each with the ids of its instances. */
export function attrsWithIds(
  plan: RecordingPlan,
  opened: SamplerOpened,
): { attrBytes: Uint8Array; ids: BigUint64Array; name: string | null }[] {
  return [
    ...plan.events.map(({ attr, name }, index) => ({
      attrBytes: encodeAttr(attr),
      ids: opened.ids[index],
      name,
    })),
    { attrBytes: encodeAttr(plan.sideband), ids: opened.sidebandIds, name: null },
  ];
}
