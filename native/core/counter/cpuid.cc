#include "cpuid.h"

#include <errno.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

namespace perf_ts {

namespace {

/** Room for as many CPUs as any kernel is built for (CONFIG_NR_CPUS is at most 8192). */
constexpr long kMaskBytes = 8192 / 8;

}  // namespace

CpuidRegisters ReadCpuid(uint32_t leaf, uint32_t subleaf) {
  CpuidRegisters registers;
#if defined(__x86_64__) || defined(__i386__)
  __cpuid_count(leaf, subleaf, registers.eax, registers.ebx, registers.ecx, registers.edx);
#else
  (void)leaf, (void)subleaf;
#endif
  return registers;
}

// The system calls themselves: glibc's wrappers take sets of 1024 CPUs unless these are allocated
// with its own macros, which musl lacks.
CpuPin::CpuPin(int cpu) {
  if (cpu < 0) return;
  if (cpu >= kMaskBytes * 8) {
    error_ = EINVAL;
    return;
  }
  allowed_.resize(kMaskBytes);
  const long bytes = syscall(SYS_sched_getaffinity, 0, kMaskBytes, allowed_.data());
  uint8_t wanted[kMaskBytes] = {};
  wanted[cpu / 8] = static_cast<uint8_t>(1u << (cpu % 8));
  if (bytes < 0 || syscall(SYS_sched_setaffinity, 0, kMaskBytes, wanted) != 0) {
    error_ = errno;
    allowed_.clear();
    return;
  }
  allowed_.resize(static_cast<size_t>(bytes));
}

CpuPin::~CpuPin() {
  if (!allowed_.empty()) syscall(SYS_sched_setaffinity, 0, allowed_.size(), allowed_.data());
}

}  // namespace perf_ts
