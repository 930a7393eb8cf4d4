#pragma once

#include <cstddef>
#include <cstdlib>
#include <type_traits>

namespace perf_ts {

/**
 * An array that grows, of plain values, and is used again. No operator new: the library is linked
 * against no C++ runtime.
 */
template <typename Value>
class Growable {
 public:
  static_assert(std::is_trivially_copyable_v<Value>);

  Growable() = default;
  Growable(const Growable&) = delete;
  Growable& operator=(const Growable&) = delete;
  ~Growable() { free(values_); }

  size_t size() const { return size_; }
  Value* data() { return values_; }
  const Value* data() const { return values_; }
  Value& operator[](size_t i) { return values_[i]; }
  const Value& operator[](size_t i) const { return values_[i]; }

  void Clear() { size_ = 0; }

  /** False without memory: the array is as it was. */
  bool Push(Value value) {
    if (size_ == capacity_ && !Reserve(capacity_ == 0 ? 64 : capacity_ * 2)) return false;
    values_[size_++] = value;
    return true;
  }

  /** Makes it `size` values, of which the new ones have any value. False without memory. */
  bool Resize(size_t size) {
    if (size > capacity_ && !Reserve(size)) return false;
    size_ = size;
    return true;
  }

 private:
  bool Reserve(size_t capacity) {
    auto* grown = static_cast<Value*>(realloc(values_, capacity * sizeof(Value)));
    if (grown == nullptr) return false;
    values_ = grown;
    capacity_ = capacity;
    return true;
  }

  Value* values_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

}  // namespace perf_ts
