import type { Socket } from 'node:net';
import type { NativeBinding } from '../../native/types.ts';

type Peer = ReturnType<NativeBinding['peerOf']>;

/** The process at the other end of a connected Unix socket, by the kernel; null if it is not known. */
export function peerOfSocket(socket: Socket, peerOf: NativeBinding['peerOf']): Peer {
  const { _handle } = socket as Socket & { readonly _handle?: { readonly fd?: number } };
  const fd = _handle?.fd ?? -1;
  return fd < 0 ? null : peerOf(fd);
}
