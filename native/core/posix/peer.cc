#include "peer.h"

#include <sys/socket.h>

namespace perf_ts {

Peer PeerOf(int fd) {
  // struct ucred, which C libraries hide behind different macros.
  struct {
    int pid;
    uint32_t uid, gid;
  } credentials = {};
  socklen_t size = sizeof credentials;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) return {};
  return {true, credentials.pid, credentials.uid};
}

}  // namespace perf_ts
