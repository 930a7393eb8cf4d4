#include "period_probe.h"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

#include "../posix/clock.h"
#include "../posix/fd.h"
#include "../ring/ring_mapping.h"
#include "perf_event.h"

namespace perf_ts {

namespace {

/** struct { header; u64 time, period, value; }: in the order of the sample format. */
struct ProbedRecord {
  RecordHeader header;
  uint64_t time, period, value;
};
static_assert(sizeof(ProbedRecord) == 32);

constexpr uint32_t kMaxRingPages = 64;
/** Work between two looks at ring and clock. */
constexpr int kRounds = 2000;
constexpr size_t kPages = 8;

/** Pages that are fresh again after `Touch`. */
class FreshPages {
 public:
  FreshPages() : page_(static_cast<size_t>(sysconf(_SC_PAGESIZE))) {
    base_ =
        mmap(nullptr, kPages * page_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  }
  FreshPages(const FreshPages&) = delete;
  FreshPages& operator=(const FreshPages&) = delete;
  ~FreshPages() {
    if (base_ != MAP_FAILED) munmap(base_, kPages * page_);
  }

  void Touch() {
    if (base_ == MAP_FAILED) return;
    for (size_t i = 0; i < kPages; i++) static_cast<volatile uint8_t*>(base_)[i * page_] = 1;
    madvise(base_, kPages * page_, MADV_DONTNEED);
  }

 private:
  size_t page_;
  void* base_;
};

/** Integer steps that depend on each other: nothing to skip, no memory. */
uint32_t Compute(uint32_t state) {
  for (int i = 0; i < kRounds; i++) state = (state ^ state >> 15) * 0x2c1b3c6du;
  return state;
}

uint32_t RingPages(uint32_t samples) {
  const uint64_t page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  uint32_t pages = 1;
  while (pages < kMaxRingPages && pages * page < 2 * samples * sizeof(ProbedRecord)) pages *= 2;
  return pages;
}

/** The samples of a run up to the first record that is none. */
ProbedSamples ReadSamples(const RecordRun& run, uint32_t most) {
  ProbedSamples found;
  ProbedRecord record;
  for (uint64_t at = 0; at + sizeof record <= run.size() && found.size() < 3 * most;
       at += sizeof record) {
    CopyOut(run, at, sizeof record, reinterpret_cast<uint8_t*>(&record));
    if (record.header.type != kRecordSample || record.header.size != sizeof record) break;
    found.insert(found.end(), {record.time, record.period, record.value});
  }
  return found;
}

bool ProbeOnce(EventAttr attr, const PeriodProbeOptions& options, ProbedSamples* found,
               Error* error) {
  const Fd event = OpenEvent(&attr, 0, -1, -1);
  if (!event.valid()) {
    *error = {errno, "perf_event_open"};
    return false;
  }
  RingMapping mapping;
  const int failed = mapping.Map(event.get(), RingPages(options.samples), false);
  if (failed != 0) {
    *error = {failed, "mmap"};
    return false;
  }
  RingBuffer ring = mapping.Buffer();
  FreshPages pages;
  uint64_t begin, now;
  uint32_t state = 1;
  if (!ReadClock(CLOCK_THREAD_CPUTIME_ID, &begin) || !EnableEvent(event.get())) {
    *error = {errno, "ioctl(PERF_EVENT_IOC_ENABLE)"};
    return false;
  }
  do {
    if (options.touches_pages) {
      pages.Touch();
    } else {
      state = Compute(state);
    }
  } while (ring.LoadHead() < options.samples * sizeof(ProbedRecord) &&
           ReadClock(CLOCK_THREAD_CPUTIME_ID, &now) && now - begin < options.max_cpu_ns);
  // The result has to be used, or there is nothing to compute.
  asm volatile("" : : "r"(state));
  DisableEvent(event.get());
  *found = ReadSamples(ring.Records(ring.LoadHead()), options.samples);
  return true;
}

}  // namespace

bool ProbePeriods(const EventAttr& attr, const PeriodProbeOptions& options,
                  std::vector<ProbedSamples>* starts, Error* error) {
  if (attr.sample_type() != kProbedSampleType || attr.read_format() != 0) {
    *error = {EINVAL, "probe: sample type"};
    return false;
  }
  EventAttr held = attr;
  held.set_disabled(true);
  for (uint32_t i = 0; i < options.starts; i++) {
    ProbedSamples found;
    if (!ProbeOnce(held, options, &found, error)) return false;
    starts->push_back(std::move(found));
  }
  return true;
}

}  // namespace perf_ts
