#pragma once

#include <cstdint>
#include <vector>

namespace perf_ts {

/** EAX, EBX, ECX and EDX, as CPUID leaves them. */
struct CpuidRegisters {
  uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};

/** CPUID exists: x86. Elsewhere the functions below must not be called. */
constexpr bool kHasCpuid =
#if defined(__x86_64__) || defined(__i386__)
    true;
#else
    false;
#endif

/** One sub-leaf, on whatever CPU this thread runs. */
CpuidRegisters ReadCpuid(uint32_t leaf, uint32_t subleaf);

/**
 * Keeps the calling thread on one CPU while it lives, then allows what was allowed before. CPUs of
 * one machine may differ in their leaves (hybrid CPUs), and APIC ids always do.
 */
class CpuPin {
 public:
  /** `cpu` −1: nothing is changed. */
  explicit CpuPin(int cpu);
  ~CpuPin();
  CpuPin(const CpuPin&) = delete;
  CpuPin& operator=(const CpuPin&) = delete;

  /** 0, or the errno for which the thread can't run there. */
  int error() const { return error_; }

 private:
  /** Bits of CPUs as sched_getaffinity wrote them; empty when there is nothing to restore. */
  std::vector<uint8_t> allowed_;
  int error_ = 0;
};

}  // namespace perf_ts
