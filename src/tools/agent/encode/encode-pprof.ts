import { gzipSync } from 'node:zlib';
import { writePprof } from '../../../formats/export/pprof.ts';
import { serviceKey } from '../service/service.ts';
import { halveProfile, type ServiceProfile } from '../window/service-profiles.ts';
import { type EncodedProfile, uuidOf } from './encoded-window.ts';

/** Size up to which Pyroscope takes a profile, uncompressed. */
const MOST_BYTES = 4 << 20;
/** Speed: a window is made on the machine that is profiled. */
const GZIP_LEVEL = 4;

/** When a window was, and what it is known by. */
export type WindowFacts = {
  /** Unique among all windows that all agents make. */
  readonly id: string;
  readonly startNs: bigint;
  readonly endNs: bigint;
  /** When the times of samples are 0: nanoseconds since 1970. */
  readonly zeroNs: bigint;
};

/** One pprof file a service, and more where one would be larger than sinks take. */
export function encodePprof(
  services: readonly ServiceProfile[],
  window: WindowFacts,
  mostBytes = MOST_BYTES,
): EncodedProfile[] {
  return services.flatMap((part) =>
    piecesOf(part, window, mostBytes).map((bytes, piece) => ({
      id: uuidOf(window.id, serviceKey(part.service), String(piece)),
      service: part.service,
      bytes: packed(bytes),
    })),
  );
}

/** Packs with as much memory as the bytes need: a packer for long ones would be cleared for every small profile. */
function packed(bytes: Uint8Array): Uint8Array {
  const windowBits = Math.min(15, Math.max(9, Math.ceil(Math.log2(bytes.length + 1))));
  return gzipSync(bytes, { level: GZIP_LEVEL, windowBits, memLevel: windowBits - 7 });
}

function piecesOf(part: ServiceProfile, window: WindowFacts, mostBytes: number): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  writePprof(
    part.profile,
    part.weights,
    { startWallNs: window.startNs, durationNs: Number(window.endNs - window.startNs) },
    (bytes) => pieces.push(bytes),
  );
  const bytes = Buffer.concat(pieces);
  if (bytes.length <= mostBytes || part.profile.samples.length < 2) return [bytes];
  return halveProfile(part).flatMap((half) => piecesOf(half, window, mostBytes));
}
