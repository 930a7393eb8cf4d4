#pragma once

#include <linux/perf_event.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace perf_ts {

/** An event's `struct perf_event_mmap_page`, mapped for reading; unmaps itself. */
class UserPage {
 public:
  /** Invalid with errno set, for example of an inherited event without a CPU. */
  static UserPage Map(int fd);

  UserPage() = default;
  UserPage(UserPage&& other) noexcept : page_(std::exchange(other.page_, nullptr)) {}
  UserPage& operator=(UserPage&& other) noexcept {
    std::swap(page_, other.page_);
    return *this;
  }
  UserPage(const UserPage&) = delete;
  UserPage& operator=(const UserPage&) = delete;
  ~UserPage();

  bool valid() const { return page_ != nullptr; }
  const perf_event_mmap_page* get() const { return page_; }

 private:
  explicit UserPage(perf_event_mmap_page* page) : page_(page) {}
  perf_event_mmap_page* page_ = nullptr;
};

/** The control pages of the events of a group, in their order; none once the group is closed. */
using UserPages = std::vector<UserPage>;

/** The counter register `number` of this CPU. Only where the page allows it, else it faults. */
inline uint64_t ReadHardwareCounter([[maybe_unused]] uint32_t number) {
#if defined(__x86_64__)
  uint32_t low, high;
  asm volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(number) : "memory");
  return static_cast<uint64_t>(high) << 32 | low;
#else
  return 0;
#endif
}

/** Whether ReadHardwareCounter knows this processor's instruction. */
constexpr bool kCanReadHardwareCounters =
#if defined(__x86_64__)
    true;
#else
    false;
#endif

/** `cap_user_rdpmc` in the page's capabilities: bit fields are laid out from the lowest bit here.
 */
constexpr uint64_t kCapUserRdpmc = uint64_t{1} << 2;
/** A page that changes on every look is left to read(2). */
constexpr int kMostUserReadTries = 64;

/**
 * The value of the event behind `page`: what the kernel has summed up (`offset`) plus the counter,
 * which is `pmc_width` bits wide and counts up from below zero, hence sign-extended. The kernel
 * changes `lock` before and after it writes the page: a read between two equal ones is whole.
 *
 * False when the event is not on a counter now (`index` 0) or user space may not read it: then only
 * read(2) tells. `read_counter(n)` reads register n.
 */
template <typename ReadCounter>
bool ReadUserCounter(const perf_event_mmap_page* page, ReadCounter read_counter, uint64_t* value) {
  if (!kCanReadHardwareCounters) return false;
  for (int tries = 0; tries < kMostUserReadTries; tries++) {
    const uint32_t lock = __atomic_load_n(&page->lock, __ATOMIC_ACQUIRE);
    const uint32_t index = __atomic_load_n(&page->index, __ATOMIC_ACQUIRE);
    const uint64_t capabilities = __atomic_load_n(&page->capabilities, __ATOMIC_ACQUIRE);
    const uint16_t width = __atomic_load_n(&page->pmc_width, __ATOMIC_ACQUIRE);
    uint64_t count = static_cast<uint64_t>(__atomic_load_n(&page->offset, __ATOMIC_ACQUIRE));
    const bool readable =
        index != 0 && (capabilities & kCapUserRdpmc) != 0 && width >= 1 && width <= 64;
    if (readable) {
      const int unused = 64 - width;
      const uint64_t raw = read_counter(index - 1) << unused;
      count += static_cast<uint64_t>(static_cast<int64_t>(raw) >> unused);
    }
    if (__atomic_load_n(&page->lock, __ATOMIC_RELAXED) != lock || (lock & 1) != 0) continue;
    *value = count;
    return readable;
  }
  return false;
}

/**
 * The values of a group without a system call, one after the other and not at one instant. False
 * where one of its events is on no counter that user space may read now.
 */
inline bool ReadUserCounters(const UserPages& pages, uint64_t* values) {
  for (const UserPage& page : pages) {
    if (!ReadUserCounter(page.get(), ReadHardwareCounter, values++)) return false;
  }
  return !pages.empty();
}

}  // namespace perf_ts
