#pragma once

#include <sys/types.h>

#include "../posix/fd.h"

namespace perf_ts {

/**
 * A table of descriptors has 64 at first. One that threads share is grown behind an RCU grace
 * period (`expand_fdtable` in the kernel's fs/file.c): whoever asks for a number beyond waits 5 to
 * 25 ms. 16 of them are left for sockets of workers.
 */
inline constexpr int kLeastOwnedFd = 48;

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
