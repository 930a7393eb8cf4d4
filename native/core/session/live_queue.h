#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "../options.h"
#include "../ring/chunk.h"
#include "../ring/record_sink.h"

namespace perf_ts {

/**
 * Hands whole records to JavaScript in chunks; the byte stream is the one that a file gets, round
 * markers included.
 *
 *     rings ──TakeRound (drain thread)──▶ [chunk][chunk][chunk, still filling] ──Take (JS
 * thread)──▶
 *
 * At most `max_chunks` wait. When all are full the rest stays in the rings, and what then does not
 * fit there is lost in the kernel's own accounting, not in ours.
 */
class LiveQueue : public RecordSink {
 public:
  explicit LiveQueue(const LiveSinkOptions& options);

  Taken TakeRound(const std::vector<RecordRun>& runs) override;
  void LiftBound() override;
  bool has_reader() const override { return true; }

  /** Any thread: the oldest chunk, also one that is still filling; null when there is none. */
  std::unique_ptr<Chunk> Take();
  /**
   * Any thread: gives a chunk back that Take returned. True when the drain thread was out of room
   * and should be woken.
   */
  bool Recycle(std::unique_ptr<Chunk> chunk);

 private:
  /** Appends what fits of the run; returns bytes. */
  uint64_t Append(const RecordRun& run);

  std::mutex mutex_;
  ChunkPool pool_;
  std::deque<std::unique_ptr<Chunk>> waiting_;
  size_t max_chunks_;
  bool bounded_ = true;
  bool out_of_room_ = false;
};

}  // namespace perf_ts
