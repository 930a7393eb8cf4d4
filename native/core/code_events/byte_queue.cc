#include "byte_queue.h"

#include <cstdlib>

namespace perf_ts {
namespace {

constexpr size_t kBlockBytes = 256u << 10;

}  // namespace

ByteQueue::~ByteQueue() {
  Free(first_);
}

char* ByteQueue::Append(size_t size) {
  if (last_ == nullptr || last_->capacity - last_->used < size) {
    const size_t capacity = size > kBlockBytes ? size : kBlockBytes;
    if (bytes_ + capacity > kMostBytes) return nullptr;
    auto* block = static_cast<Block*>(malloc(sizeof(Block) + capacity));
    if (block == nullptr) return nullptr;
    *block = {nullptr, capacity, 0};
    (last_ == nullptr ? first_ : last_->next) = block;
    last_ = block;
    bytes_ += capacity;
  }
  char* place = last_->bytes() + last_->used;
  last_->used += size;
  return place;
}

ByteQueue::Block* ByteQueue::TakeAll() {
  Block* list = first_;
  first_ = last_ = nullptr;
  bytes_ = 0;
  return list;
}

void ByteQueue::Free(Block* list) {
  while (list != nullptr) {
    Block* next = list->next;
    free(list);
    list = next;
  }
}

}  // namespace perf_ts
