#include "v8_memory.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>

namespace perf_ts {
namespace {

std::atomic<pid_t> own_pid;
/** `v8dbg_SmiShiftSize` of builds with whole pointers. */
constexpr int kSmiShiftSize = 31;

}  // namespace

void NoteOwnPid() {
  own_pid.store(getpid(), std::memory_order_relaxed);
}

ssize_t ReadSome(uint64_t address, void* to, size_t size) {
  const iovec here = {to, size};
  const iovec there = {reinterpret_cast<void*>(address), size};
  return syscall(SYS_process_vm_readv, own_pid.load(std::memory_order_relaxed), &here, 1ul, &there,
                 1ul, 0ul);
}

bool ReadAll(uint64_t address, void* to, size_t size) {
  return ReadSome(address, to, size) == static_cast<ssize_t>(size);
}

bool ReadPointer(uint64_t address, uint64_t* object) {
  if (!ReadAll(address, object, kWord) || (*object & kTagMask) != kTag) return false;
  *object -= kTag;
  return true;
}

bool IsInFile(uint64_t address) {
  const auto has = [](dl_phdr_info* object, size_t, void* searched) {
    for (int i = 0; i < object->dlpi_phnum; i++) {
      const auto& part = object->dlpi_phdr[i];
      const uint64_t start = object->dlpi_addr + part.p_vaddr;
      const bool is_here = *static_cast<uint64_t*>(searched) - start < part.p_memsz;
      if (part.p_type == PT_LOAD && is_here) return 1;
    }
    return 0;
  };
  return dl_iterate_phdr(has, &address) != 0;
}

bool ThreadStack::Holds(uint64_t address) {
  pthread_attr_t attributes;
  if (end_ == 0 && pthread_getattr_np(pthread_self(), &attributes) == 0) {
    void* begin = nullptr;
    size_t size = 0;
    pthread_attr_getstack(&attributes, &begin, &size);
    pthread_attr_destroy(&attributes);
    begin_ = AddressOf(begin);
    end_ = begin_ + size;
  }
  return address >= begin_ && address < end_;
}

int ConstantOf(const char* name, int without) {
  const void* symbol = dlsym(RTLD_DEFAULT, name);
  return symbol == nullptr ? without : *static_cast<const int*>(symbol);
}

bool HasWholePointers() {
  return ConstantOf("v8dbg_SmiShiftSize") == kSmiShiftSize;
}

bool V8Field::LeadsTo(uint64_t object) const {
  return is_proven() && WordAt(object) == map_;
}

void V8Field::Learn(uint64_t map) {
  if (is_proven()) return;
  proofs_ = map == map_ ? proofs_ + 1 : 1;
  map_ = map;
}

bool V8Field::Read(uint64_t object, int at, uint64_t* value) {
  const uint64_t place = object + static_cast<uint64_t>(at);
  if (LeadsTo(object)) {
    *value = WordAt(place);
    return true;
  }
  uint64_t map;
  if (!ReadAll(object, &map, kWord) || !ReadAll(place, value, kWord)) return false;
  Learn(map);
  return true;
}

}  // namespace perf_ts
