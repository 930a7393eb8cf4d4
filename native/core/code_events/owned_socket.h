#pragma once

#include <sys/types.h>

#include "../posix/fd.h"

namespace perf_ts {

/**
 * A socket of ours in a program of others, which may close any descriptor and open its own under
 * the number. Its number is high, so that the program's descriptors have those that they have
 * without us.
 */
class OwnedSocket {
 public:
  OwnedSocket() = default;
  /** Takes a socket over. */
  explicit OwnedSocket(Fd socket);
  OwnedSocket(OwnedSocket&&) = default;
  OwnedSocket& operator=(OwnedSocket&&) = default;
  ~OwnedSocket();

  /** The descriptor; −1 where the program has closed it. */
  int get() const;
  bool valid() const { return fd_.valid(); }

 private:
  Fd fd_;
  /** Tells it from whatever else has its number. */
  ino_t inode_ = 0;
  dev_t device_ = 0;
};

}  // namespace perf_ts
