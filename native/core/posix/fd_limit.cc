#include "fd_limit.h"

#include <dirent.h>
#include <sys/resource.h>

#include <algorithm>

namespace perf_ts {

FdLimit RaiseFdLimit(uint64_t needed) {
  rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return {};
  if (needed > limit.rlim_cur && limit.rlim_cur < limit.rlim_max) {
    const rlimit raised = {std::min<rlim_t>(needed, limit.rlim_max), limit.rlim_max};
    if (setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
  }
  return {limit.rlim_cur, limit.rlim_max};
}

uint64_t CountOpenFds() {
  DIR* directory = opendir("/proc/self/fd");
  if (directory == nullptr) return 0;
  uint64_t count = 0;
  while (const dirent* entry = readdir(directory)) count += entry->d_name[0] != '.' ? 1 : 0;
  closedir(directory);
  return count;
}

}  // namespace perf_ts
