#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "record_run.h"

namespace perf_ts {

/** The target of the drain thread's records. All methods are called on that thread unless noted. */
class RecordSink {
 public:
  struct Taken {
    /** Bytes of the runs that were taken, in their order; always whole records. */
    uint64_t bytes = 0;
    /** The round marker behind the runs was taken too: the round is over. */
    bool closed = false;
  };

  virtual ~RecordSink() = default;

  /**
   * Takes the runs, then the marker that closes the round. What is not taken now stays in the rings
   * and is offered again, unless `failure` states that there is no use.
   */
  virtual Taken TakeRound(const std::vector<RecordRun>& runs) = 0;
  /** Takes runs that are in no ring, so that nobody offers them again. May wait. */
  virtual Taken TakeAll(const std::vector<RecordRun>& runs) { return TakeRound(runs); }

  /** errno of the write that ended it, 0 while all is well. */
  virtual int failure() const { return 0; }
  /** The limit that the user set is reached. */
  virtual bool full() const { return false; }
  /** Takes everything from here on: the recording ends, the rest is bounded by the rings. */
  virtual void LiftBound() {}
  /** Someone waits to be told that there is something to take out. */
  virtual bool has_reader() const { return false; }
  /** Whether a marker ends each round. */
  virtual bool marks_rounds() const { return true; }
  /** File: where the data ends. */
  virtual uint64_t data_end() const { return 0; }
  /** File: bytes of the data that this sink has written. */
  virtual uint64_t written_bytes() const { return 0; }

  /** `notify` is called, on any thread, when there is room again for what was not taken. */
  virtual void OnRoom([[maybe_unused]] std::function<void()> notify) {}
  /** Everything that was taken has been written, or never will be; any thread. */
  virtual bool is_settled() const { return true; }
  /** Waits until then. */
  virtual void Settle() {}
  /** Samples that were taken and could not be written. */
  virtual uint64_t unwritten_samples() const { return 0; }
};

}  // namespace perf_ts
