#include "ring_mapping.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace perf_ts {

RingMapping::RingMapping(RingMapping&& other) noexcept
    : base_(std::exchange(other.base_, nullptr)), size_(std::exchange(other.size_, 0)) {}

RingMapping& RingMapping::operator=(RingMapping&& other) noexcept {
  if (this != &other) {
    Unmap();
    base_ = std::exchange(other.base_, nullptr);
    size_ = std::exchange(other.size_, 0);
  }
  return *this;
}

int RingMapping::Map(int fd, uint32_t data_pages, bool overwritten) {
  Unmap();
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t size = page * (size_t{1} + data_pages);
  const int protection = overwritten ? PROT_READ : PROT_READ | PROT_WRITE;
  void* base = mmap(nullptr, size, protection, MAP_SHARED, fd, 0);
  if (base == MAP_FAILED) return errno;
  base_ = base;
  size_ = size;
  return 0;
}

void RingMapping::Unmap() {
  if (base_ != nullptr) munmap(base_, size_);
  base_ = nullptr;
  size_ = 0;
}

RingBuffer RingMapping::Buffer() const {
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return RingBuffer(static_cast<perf_event_mmap_page*>(base_),
                    static_cast<const uint8_t*>(base_) + page, size_ - page);
}

BackwardRing RingMapping::Backward() const {
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return BackwardRing(static_cast<const perf_event_mmap_page*>(base_),
                      static_cast<const uint8_t*>(base_) + page, size_ - page);
}

}  // namespace perf_ts
