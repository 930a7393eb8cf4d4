#include "record_window.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "../ring/record.h"

namespace perf_ts {

RecordWindow::RecordWindow(const RecordedBytes& records)
    : records_(records), bytes_(kBytes), start_(records.from), file_at_(records.from) {}

bool RecordWindow::MoveTo(uint64_t at, Error* error) {
  if (!records_.compressed) {
    // Whatever lies between is not read.
    const uint64_t kept = at - start_ < size_ ? size_ - (at - start_) : 0;
    memmove(bytes_.data(), bytes_.data() + (size_ - kept), kept);
    size_ = kept;
    start_ = at;
    file_at_ = at + kept;
    return Fill(error);
  }
  for (;;) {
    const uint64_t gone = std::min<uint64_t>(at - start_, size_);
    memmove(bytes_.data(), bytes_.data() + gone, size_ - gone);
    size_ -= gone;
    start_ += gone;
    if (!Fill(error)) return false;
    if (start_ == at || size_ == 0) return true;
  }
}

bool RecordWindow::Fill(Error* error) {
  while (size_ < kBytes) {
    size_t count = 0;
    if (!Read(bytes_.data() + size_, kBytes - size_, &count, error)) return false;
    if (count == 0) break;
    size_ += count;
  }
  return true;
}

bool RecordWindow::Read(uint8_t* to, size_t room, size_t* count, Error* error) {
  return records_.compressed ? ReadInflated(to, room, count, error)
                             : ReadFile(to, room, count, error);
}

bool RecordWindow::ReadFile(uint8_t* to, size_t room, size_t* count, Error* error) {
  *count = 0;
  const size_t wanted = file_at_ >= records_.to
                            ? 0
                            : static_cast<size_t>(std::min<uint64_t>(room, records_.to - file_at_));
  while (*count < wanted) {
    const ssize_t got =
        pread(records_.fd, to + *count, wanted - *count, static_cast<off_t>(file_at_));
    if (got == 0) break;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      *error = {errno, "pread"};
      return false;
    }
    *count += static_cast<size_t>(got);
    file_at_ += static_cast<uint64_t>(got);
  }
  return true;
}

bool RecordWindow::ReadInflated(uint8_t* to, size_t room, size_t* count, Error* error) {
  for (;;) {
    if (packed_at_ < packed_.size() || is_full_) {
      Libzstd::InBuffer in = {packed_.data(), packed_.size(), packed_at_};
      if (!decompressor_->Decompress(&in, to, room, count)) {
        *error = {EBADMSG, "ZSTD_decompressStream"};
        return false;
      }
      packed_at_ = in.pos;
      is_full_ = *count == room;
      if (*count > 0) return true;
    } else if (plain_left_ > 0) {
      if (!ReadFile(to, std::min(room, plain_left_), count, error)) return false;
      plain_left_ = *count == 0 ? 0 : plain_left_ - *count;
      if (*count > 0) return true;
    } else if (packed_left_ > 0) {
      packed_.resize(packed_left_);
      if (!ReadFile(packed_.data(), packed_left_, count, error)) return false;
      packed_.resize(*count);
      packed_at_ = 0;
      packed_left_ = 0;
    } else {
      if (!BeginRecord(error)) return false;
      if (plain_left_ == 0 && packed_left_ == 0) {
        *count = 0;
        return true;
      }
    }
  }
}

/** Leaves both counts at 0 at the end, and where a header makes no sense. */
bool RecordWindow::BeginRecord(Error* error) {
  RecordHeader header;
  size_t count = 0;
  if (!ReadFile(reinterpret_cast<uint8_t*>(&header), sizeof header, &count, error)) return false;
  if (count < sizeof header || header.size < sizeof header) return true;
  if (header.type != kRecordCompressed) {
    file_at_ -= sizeof header;
    plain_left_ = header.size;
    return true;
  }
  packed_left_ = header.size - sizeof header;
  if (decompressor_) return true;
  std::string why;
  const Libzstd* const library = Libzstd::Load(&why);
  if (library != nullptr) decompressor_ = ZstdDecompressor::Open(library);
  if (decompressor_) return true;
  *error = {library == nullptr ? ENOSYS : ENOMEM, "ZSTD_createDCtx"};
  return false;
}

}  // namespace perf_ts
