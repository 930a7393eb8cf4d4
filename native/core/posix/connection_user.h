#pragma once

#include <cstdint>

namespace perf_ts {

/** One end of a TCP connection; `address` as text, of either family. */
struct TcpEnd {
  const char* address;
  uint16_t port;
};

enum class ConnectionUserKind {
  kUser,
  /** The kernel has no such socket that a process holds. */
  kNone,
  /** The kernel answers no such question here. */
  kUnknown,
};

struct ConnectionUser {
  ConnectionUserKind kind;
  uint32_t uid;
};

/**
 * The user whose socket is the `peer` end of a connection to `own`, both in this network namespace:
 * one question to the kernel's sock_diag(7), however many sockets there are.
 */
ConnectionUser FindConnectionUser(TcpEnd peer, TcpEnd own);

}  // namespace perf_ts
