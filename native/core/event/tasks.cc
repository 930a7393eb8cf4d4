#include "tasks.h"

#include <dirent.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
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

int ProcessOfThread(int tid) {
  FILE* status = fopen(("/proc/" + std::to_string(tid) + "/status").c_str(), "re");
  if (status == nullptr) return 0;
  int process = 0;
  char line[256];
  while (fgets(line, sizeof line, status) != nullptr) {
    if (sscanf(line, "Tgid: %d", &process) == 1) break;
  }
  fclose(status);
  return process;
}

}  // namespace perf_ts
