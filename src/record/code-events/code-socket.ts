import type { Socket } from 'node:net';
import { lateModules } from '../../base/late-modules.ts';
import type { NativeBinding } from '../../native/types.ts';
import type { RecordSettings } from '../../options/record.ts';
import { heapKind } from '../../profile/wait-event.ts';

type Peer = ReturnType<NativeBinding['peerOf']>;

/** The process at the other end of a connected Unix socket, by the kernel; null if it is not known. */
export function peerOfSocket(socket: Socket, peerOf: NativeBinding['peerOf']): Peer {
  const { _handle } = socket as Socket & { readonly _handle?: { readonly fd?: number } };
  const fd = _handle?.fd ?? -1;
  return fd < 0 ? null : peerOf(fd);
}

/**
 * A name for an abstract Unix socket (unix(7)): no file, and gone with whoever listens. /proc/net/unix shows it to
 * all, so both sides ask the kernel who is at the other end. It reaches each program whichever way that is asked, so that it has
 * what else the recorder wants: samples of the heap (`register/heap.cts`), `requests` of a server or its `stacks` as well (`register/contexts.cts`), no
 * marks (`register/take-in.cts`), which cost a server some percent of its time.
 */
export function newCodeSocket({
  memory,
  requests,
  asyncStacks,
  marks = true,
}: Pick<RecordSettings, 'memory' | 'requests' | 'asyncStacks'> & {
  readonly marks?: boolean;
} = {}): string {
  const name = `@perf-ts-${lateModules.crypto.randomBytes(8).toString('hex')}`;
  if (!marks) return `${name}-unmarked`;
  const heap = heapKind(memory);
  const contexts = asyncStacks === true ? '-stacks' : requests === true ? '-requests' : '';
  return `${name}${heap === null ? '' : `-${heap}`}${contexts}`;
}
