#include "tasks.h"

#include <dirent.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string>

namespace perf_ts {

std::vector<int> ListThreads(int pid) {
  std::vector<int> tids;
  DIR* directory = opendir(("/proc/" + std::to_string(pid) + "/task").c_str());
  if (directory == nullptr) {
    if (errno == ENOENT) errno = ESRCH;
    return tids;
  }
  while (const dirent* entry = readdir(directory)) {
    const int tid = atoi(entry->d_name);
    if (tid > 0) tids.push_back(tid);
  }
  closedir(directory);
  if (tids.empty()) errno = ESRCH;
  std::sort(tids.begin(), tids.end());
  return tids;
}

}  // namespace perf_ts
