#pragma once

#include <string.h>

#include <cstddef>
#include <cstdint>

#include "sender.h"
#include "stream.h"

namespace perf_ts {

/** Records begin at multiples of 8 bytes. */
inline size_t RoundUpToWord(size_t size) {
  return (size + 7) & ~size_t{7};
}

/** Fills a record in: its head, a body and bytes behind that, filled up with zeros; false without
 * memory. */
template <typename Body>
bool PutRecord(Sender* sender, code_stream::Type type, uint16_t code_type, uint64_t time_ns,
               const Body& body, const void* tail, size_t tail_size) {
  const size_t size = RoundUpToWord(sizeof(code_stream::Record) + sizeof body + tail_size);
  char* place = sender->Begin(size);
  if (place == nullptr) return false;
  const code_stream::Record head = {static_cast<uint32_t>(size), type, code_type, time_ns};
  memset(place + size - 8, 0, 8);
  memcpy(place, &head, sizeof head);
  memcpy(place + sizeof head, &body, sizeof body);
  if (tail_size > 0) memcpy(place + sizeof head + sizeof body, tail, tail_size);
  return true;
}

/** Queues a record. */
template <typename Body>
void WriteRecord(Sender* sender, code_stream::Type type, uint16_t code_type, uint64_t time_ns,
                 const Body& body, const void* tail = nullptr, size_t tail_size = 0) {
  if (PutRecord(sender, type, code_type, time_ns, body, tail, tail_size)) sender->Commit();
}

/**
 * Queues a record that nobody waits for, without a system call: there may be a hundred thousand a
 * second, and behind such a call the kernel may give the CPU to others.
 */
template <typename Body>
void WriteLazily(Sender* sender, code_stream::Type type, uint64_t time_ns, const Body& body,
                 const void* tail = nullptr, size_t tail_size = 0) {
  if (PutRecord(sender, type, 0, time_ns, body, tail, tail_size)) sender->CommitLazily();
}

}  // namespace perf_ts
