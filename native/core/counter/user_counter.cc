#include "user_counter.h"

#include <sys/mman.h>
#include <unistd.h>

namespace perf_ts {

UserPage UserPage::Map(int fd) {
  void* page =
      mmap(nullptr, static_cast<size_t>(sysconf(_SC_PAGESIZE)), PROT_READ, MAP_SHARED, fd, 0);
  return page == MAP_FAILED ? UserPage() : UserPage(static_cast<perf_event_mmap_page*>(page));
}

UserPage::~UserPage() {
  if (valid()) munmap(page_, static_cast<size_t>(sysconf(_SC_PAGESIZE)));
}

}  // namespace perf_ts
