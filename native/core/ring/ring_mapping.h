#pragma once

#include <cstddef>
#include <cstdint>

#include "backward_ring.h"
#include "ring_buffer.h"

namespace perf_ts {

/**
 * The mapping of an event's ring: one control page, then 2^n data pages. Being writable is what
 * makes the kernel honour data_tail instead of overwriting what was not read; a ring that is to be
 * overwritten is mapped read-only.
 */
class RingMapping {
 public:
  RingMapping() = default;
  RingMapping(RingMapping&& other) noexcept;
  RingMapping& operator=(RingMapping&& other) noexcept;
  RingMapping(const RingMapping&) = delete;
  ~RingMapping() { Unmap(); }

  /** Maps the ring of the event `fd`. 0, or the errno of mmap. */
  int Map(int fd, uint32_t data_pages, bool overwritten);
  void Unmap();

  /** Only while mapped. */
  RingBuffer Buffer() const;
  BackwardRing Backward() const;

 private:
  void* base_ = nullptr;
  size_t size_ = 0;
};

}  // namespace perf_ts
