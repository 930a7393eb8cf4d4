#pragma once

#include <cstdint>

namespace perf_ts {

/** The process at the other end of a Unix socket, as it was when it connected or listened. */
struct Peer {
  bool known = false;
  /** 0: in no process namespace of ours. */
  int pid = 0;
  uint32_t uid = 0;
};

Peer PeerOf(int fd);

}  // namespace perf_ts
