#pragma once

#include <string.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>

namespace perf_ts {

constexpr size_t kWord = 8;
/** A pointer to an object ends in these bits; a small integer is the upper half of a word. */
constexpr uint64_t kTagMask = 3;
constexpr uint64_t kTag = 1;
/** The head of arrays and sequential strings has their map and length; the bytes follow. */
constexpr size_t kArrayHead = 16;

/** Takes which process reads: to ask for it each time would be a second system call. */
void NoteOwnPid();

/** Reads up to `size` bytes of this process's memory, by the kernel; −1 where there is none. */
ssize_t ReadSome(uint64_t address, void* to, size_t size);
bool ReadAll(uint64_t address, void* to, size_t size);
/** Reads a pointer to an object, as the object's address. */
bool ReadPointer(uint64_t address, uint64_t* object);

/** Whether an address is in a program or a library; `dladdr` would search all of Node's names. */
bool IsInFile(uint64_t address);

/** The stack of one thread, which asks first. */
class ThreadStack {
 public:
  /** Whether the address is in it; on that thread. */
  bool Holds(uint64_t address);
  uint64_t end() const { return end_; }

 private:
  uint64_t begin_ = 0;
  uint64_t end_ = 0;
};

/** A word of memory that is there. */
inline uint64_t WordAt(uint64_t address) {
  uint64_t word;
  memcpy(&word, reinterpret_cast<const void*>(address), kWord);
  return word;
}

/** The value of a small integer; −1 if the word is none, or negative. */
inline int64_t SmiOf(uint64_t word) {
  return (word & 0xffffffff) == 0 && word >> 63 == 0 ? static_cast<int64_t>(word >> 32) : -1;
}

inline uint64_t AddressOf(const void* pointer) {
  return reinterpret_cast<uintptr_t>(pointer);
}

/** A constant that the program has for debuggers, `v8dbg_…`. */
int ConstantOf(const char* name, int without = 0);

/** Whether objects are made of 64-bit words here: pointers of other builds are half as long. */
bool HasWholePointers();

/**
 * A field of V8's objects that leads to objects of one kind. It is a guess until the kernel has
 * read such an object behind it `kProofs` times in a row; from then on its pointers are followed,
 * since an object that lives has live ones in its fields.
 */
class V8Field {
 public:
  bool is_proven() const { return proofs_ >= kProofs; }
  /** Whether it is proven, and its kind of object is at this address. */
  bool LeadsTo(uint64_t object) const;
  /** Takes the first word of an object that it led to, as the kernel read it. */
  void Learn(uint64_t map);
  /** Reads the word `at` bytes into an object that this field leads to. */
  bool Read(uint64_t object, int at, uint64_t* value);

 private:
  static constexpr int kProofs = 32;
  uint64_t map_ = 0;
  int proofs_ = 0;
};

}  // namespace perf_ts
