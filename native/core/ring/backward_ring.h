#pragma once

#include <linux/perf_event.h>

#include <cstdint>

#include "record_run.h"

namespace perf_ts {

/**
 * The reader's side of a ring that the kernel writes backwards (`write_backward`) and, because it
 * is mapped read-only, never stops writing: what does not fit any more is the oldest, and is no
 * loss.
 *
 *     data_head falls from 0; the newest record begins at it, the older ones follow
 *
 *       |  older … oldest, cut |  newest  |  older  |  older …        |      positions modulo
 * `size` head
 *
 * So the ring can be read from its newest record on without knowing where the others begin. What is
 * read must not be written meanwhile: the caller pauses the output of the event that owns the ring.
 *
 * The kernel does not wait for who is in the middle of a record then. Such a record begins below
 * data_head, which is where the oldest ones end, and moves it only when it is complete: of a ring
 * that went round, as much as two of its largest records is left out.
 */
class BackwardRing {
 public:
  /** `size`: bytes at `data`, a power of two. The memory must outlive this. */
  BackwardRing(const perf_event_mmap_page* control, const uint8_t* data, uint64_t size)
      : control_(control), data_(data), size_(size), read_to_(LoadHead()) {}

  /**
   * The whole records that were written since the last Take, the newest first, as many as the ring
   * surely still holds. Valid until the output is resumed.
   */
  RecordRun Take();

  /** Whether the last Take left out records that had been written since the one before. */
  bool has_lost() const { return has_lost_; }

 private:
  uint64_t LoadHead() const { return __atomic_load_n(&control_->data_head, __ATOMIC_ACQUIRE); }

  const perf_event_mmap_page* control_;
  const uint8_t* data_;
  uint64_t size_;
  /** The head at the last Take: everything from there on was taken. */
  uint64_t read_to_;
  bool has_lost_ = false;
};

}  // namespace perf_ts
