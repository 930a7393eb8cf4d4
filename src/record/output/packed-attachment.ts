import { lateModules } from '../../base/late-modules.ts';
import type { Attachment } from '../../formats/perf-data/appendix.ts';

const FASTEST = 1;

/** An attachment with its bytes deflated. */
export function packedAttachment(name: string, bytes: Uint8Array): Attachment {
  return {
    name,
    packing: 'deflate',
    unpackedSize: bytes.length,
    bytes: lateModules.zlib.deflateSync(bytes, { level: FASTEST }),
  };
}
