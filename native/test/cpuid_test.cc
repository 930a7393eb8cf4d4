// CPUID against what the kernel says of the same CPU, and that pinning leaves no trace.

#include "../core/counter/cpuid.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include <string>

#include "test.h"

using perf_ts::CpuidRegisters;
using perf_ts::CpuPin;
using perf_ts::kHasCpuid;
using perf_ts::ReadCpuid;

namespace {

cpu_set_t Allowed() {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof(set), &set);
  return set;
}

int LastAllowed() {
  const cpu_set_t set = Allowed();
  int last = 0;
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
    if (CPU_ISSET(cpu, &set)) last = cpu;
  }
  return last;
}

TEST("the thread runs on the CPU while pinned and anywhere it could before afterwards") {
  const cpu_set_t before = Allowed();
  const int cpu = LastAllowed();
  {
    const CpuPin pin(cpu);
    CHECK_EQUAL(pin.error(), 0);
    CHECK_EQUAL(sched_getcpu(), cpu);
  }
  const cpu_set_t after = Allowed();
  CHECK(CPU_EQUAL(&before, &after));
}

TEST("a CPU that is not there is refused, and nothing changes") {
  const cpu_set_t before = Allowed();
  CHECK_EQUAL(CpuPin(8000).error(), EINVAL);
  CHECK_EQUAL(CpuPin(1 << 20).error(), EINVAL);
  const cpu_set_t after = Allowed();
  CHECK(CPU_EQUAL(&before, &after));
}

TEST("leaf 0 holds the vendor that /proc/cpuinfo names") {
  if (!kHasCpuid) return;
  const CpuidRegisters leaf = ReadCpuid(0, 0);
  char vendor[13] = {};
  memcpy(vendor, &leaf.ebx, 4);
  memcpy(vendor + 4, &leaf.edx, 4);
  memcpy(vendor + 8, &leaf.ecx, 4);
  FILE* file = fopen("/proc/cpuinfo", "r");
  std::string text;
  char line[4096];
  while (file != nullptr && fgets(line, sizeof(line), file) != nullptr) text += line;
  if (file != nullptr) fclose(file);
  CHECK(text.find(vendor) != std::string::npos);
  CHECK(leaf.eax >= 1);
}

}  // namespace

int main() {
  return perf_ts::test::RunAll();
}
