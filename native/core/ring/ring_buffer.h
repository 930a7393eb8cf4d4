#pragma once

#include <linux/perf_event.h>

#include <cstdint>

#include "record_run.h"

// The orders of the two accesses that are shared with the writer. Macros only so that the thread
// sanitizer's test can weaken them and see that this is reported.
#ifndef PERF_TS_HEAD_ORDER
#define PERF_TS_HEAD_ORDER __ATOMIC_ACQUIRE
#define PERF_TS_TAIL_ORDER __ATOMIC_RELEASE
#endif

namespace perf_ts {

/**
 * The reader's side of one perf ring buffer. It is given the control page and the data span, mapped
 * by the kernel or made in ordinary memory by a test.
 *
 *       0            tail               head        size
 *       |  written    | records to read  |  free     |      positions run freely, modulo `size`
 *
 * Records are 8-byte aligned and `size` is a power of two of at least 8, so a header never wraps; a
 * body may. One thread at a time may call.
 */
class RingBuffer {
 public:
  /** `size`: bytes at `data`, a power of two. The memory must outlive this. */
  RingBuffer(perf_event_mmap_page* control, const uint8_t* data, uint64_t size)
      : control_(control), data_(data), size_(size), tail_(control->data_tail) {}

  /** The writer's position: everything before it is readable. */
  uint64_t LoadHead() const { return __atomic_load_n(&control_->data_head, PERF_TS_HEAD_ORDER); }

  uint64_t tail() const { return tail_; }

  /**
   * The whole records between the tail and `limit`, which LoadHead returned, counted on the way.
   * A header that makes no sense (smaller than itself, unaligned, or reaching beyond `limit`) gives
   * the ring up: the records before it are the last that it yields.
   */
  RecordRun Records(uint64_t limit);

  /** Hands `bytes` at the tail back to the writer. They must not be read after this. */
  void Consume(uint64_t bytes);

  /** Bytes that a ring given up holds and will never yield; 0 otherwise. */
  uint64_t SkippedBytes() const { return given_up_ ? LoadHead() - bad_header_ : 0; }

 private:
  RecordRun RunTo(uint64_t end) const;

  perf_event_mmap_page* control_;
  const uint8_t* data_;
  uint64_t size_;
  /** Our copy of data_tail: only we write it. */
  uint64_t tail_;
  bool given_up_ = false;
  /** Position of the header that makes no sense, if given_up_. */
  uint64_t bad_header_ = 0;
};

}  // namespace perf_ts
