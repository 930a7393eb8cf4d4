#include "fork_watch.h"

#include <linux/perf_event.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <utility>

#include "../ring/record.h"
#include "perf_event.h"

namespace perf_ts {

namespace {

/** A FORK record has 32 bytes: 2 000 of them before any is read. */
constexpr uint32_t kPages = 16;

EventAttr ForkAttr() {
  perf_event_attr attr = {};
  attr.type = PERF_TYPE_SOFTWARE;
  attr.size = PERF_ATTR_SIZE_VER5;
  attr.config = PERF_COUNT_SW_DUMMY;
  attr.sample_period = 1;
  attr.task = 1;
  attr.inherit = 1;
  attr.exclude_kernel = 1;
  attr.exclude_hv = 1;
  attr.use_clockid = 1;
  attr.clockid = CLOCK_MONOTONIC;
  const uint8_t* bytes = reinterpret_cast<const uint8_t*>(&attr);
  return EventAttr(std::vector<uint8_t>(bytes, bytes + PERF_ATTR_SIZE_VER5));
}

}  // namespace

bool ForkWatch::Add(int tid) {
  EventAttr attr = ForkAttr();
  for (const int cpu : cpus_) {
    Fd event = OpenEvent(&attr, tid, cpu, -1);
    if (!event.valid()) return false;
    const auto ring = rings_.find(cpu);
    if (ring == rings_.end()) {
      if (!Map(cpu, std::move(event))) return false;
    } else {
      if (!RedirectOutput(event.get(), ring->second.owner.get())) return false;
      events_.push_back(std::move(event));
    }
  }
  return true;
}

bool ForkWatch::Map(int cpu, Fd event) {
  RingMapping mapping;
  for (uint32_t pages = kPages; pages > 0; pages /= 2) {
    errno = mapping.Map(event.get(), pages, false);
    if (errno != 0) continue;
    const RingBuffer buffer = mapping.Buffer();
    rings_.emplace(cpu, CpuRing{std::move(event), std::move(mapping), buffer});
    return true;
  }
  return false;
}

std::vector<Fork> ForkWatch::Collect() {
  std::vector<Fork> forks;
  for (auto& [cpu, ring] : rings_) {
    const RecordRun run = ring.buffer.Records(ring.buffer.LoadHead());
    Read(run, &forks);
    ring.buffer.Consume(run.size());
  }
  std::sort(forks.begin(), forks.end(),
            [](const Fork& a, const Fork& b) { return a.time_ns < b.time_ns; });
  return forks;
}

void ForkWatch::Read(const RecordRun& run, std::vector<Fork>* forks) {
  // struct { struct perf_event_header header; u32 pid, ppid; u32 tid, ptid; u64 time; };
  struct Record {
    RecordHeader header;
    uint32_t pid, parent_pid, tid, parent_tid;
    uint64_t time_ns;
  };
  has_lost_ = has_lost_ || run.counts.lost_records > 0;
  uint64_t at = 0;
  while (at < run.size()) {
    Record record = {};
    CopyOut(run, at, sizeof record.header, reinterpret_cast<uint8_t*>(&record));
    if (record.header.type == kRecordFork && record.header.size >= sizeof record) {
      CopyOut(run, at, sizeof record, reinterpret_cast<uint8_t*>(&record));
      forks->push_back(
          {static_cast<int>(record.tid), static_cast<int>(record.parent_tid), record.time_ns});
    }
    at += record.header.size;
  }
}

}  // namespace perf_ts
