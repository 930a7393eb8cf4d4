#include "ring_buffer.h"

#include <algorithm>

namespace perf_ts {

// The contract, from the kernel's include/uapi/linux/perf_event.h and kernel/events/ring_buffer.c:
//
//   "User-space reading the @data_head value should issue an smp_rmb(), after reading this value.
//    When the mapping is PROT_WRITE the @data_tail value should be written by userspace to reflect
//    the last read data, after issueing an smp_mb() to separate the data read from the ->data_tail
//    store. In this case the kernel will not over-write unread data."
//
//     kernel                              user
//
//     if (LOAD ->data_tail) {             LOAD ->data_head
//                           (A)           smp_rmb()          (C)
//        STORE $data                      LOAD $data
//        smp_wmb()          (B)           smp_mb()           (D)
//        STORE ->data_head                STORE ->data_tail
//     }
//
// The acquire load of data_head pairs with (B). The release store of data_tail pairs with the
// control dependency (A): our reads of the data are done before the kernel may write there.

RecordRun RingBuffer::Records(uint64_t limit) {
  if (given_up_) limit = bad_header_;
  // More than the ring holds can't be unread: the positions themselves are wrong.
  const bool possible = limit - tail_ <= size_;
  RecordRun run = RunTo(possible ? limit : tail_);
  const RecordWalk walk = WalkRecords(run, 0, run.size());
  if (tail_ + walk.bytes != limit) {
    given_up_ = true;
    bad_header_ = tail_ + walk.bytes;
    run = RunTo(bad_header_);
  }
  run.counts = walk.counts;
  return run;
}

void RingBuffer::Consume(uint64_t bytes) {
  tail_ += bytes;
  __atomic_store_n(&control_->data_tail, tail_, PERF_TS_TAIL_ORDER);
}

RecordRun RingBuffer::RunTo(uint64_t end) const {
  const uint64_t start = tail_ & (size_ - 1);
  const uint64_t bytes = end - tail_;
  const uint64_t first = std::min(bytes, size_ - start);
  RecordRun run;
  run.parts[0] = {data_ + start, first};
  run.parts[1] = {data_, bytes - first};
  return run;
}

}  // namespace perf_ts
