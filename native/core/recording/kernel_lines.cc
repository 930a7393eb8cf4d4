// Hot: once per line, 200 000 of them.
#include "kernel_lines.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "../posix/fd.h"

namespace perf_ts {

namespace {

/** The kernel hands out a page at a time. */
constexpr size_t kBufferBytes = 1 << 16;
/** The start of every kernel address; lower ones are offsets of per-CPU variables. */
constexpr uint64_t kLowestKernel = 0xffff'0000'0000'0000;
/**
 * The range that kernel code lies in: on x86-64 the image, modules and BPF programs. A word outside
 * is none, but looks like it: the end of one word and the beginning of a context marker, say.
 */
#if defined(__x86_64__)
constexpr uint64_t kLowestCode = 0xffff'ffff'8000'0000;
constexpr uint64_t kEndOfCode = 0xffff'ffff'ff00'0000;
#else
constexpr uint64_t kLowestCode = kLowestKernel;
constexpr uint64_t kEndOfCode = UINT64_MAX;
#endif

/** Symbols at the head of two lists that show whether these are of the same boot, and as readable.
 */
constexpr int kComparedLines = 16;

/** 'address type name', single spaces; a tab before the module. */
struct Line {
  const char* start;
  /** The line with its newline, if there is one. */
  size_t size;
  uint64_t address = 0;
  bool is_symbol = false;
  bool is_of_module = false;

  Line(const char* at, size_t bytes) : start(at), size(bytes) {
    size_t i = 0;
    for (; i < bytes; i++) {
      const char c = at[i];
      const char letter = static_cast<char>(c | 0x20);
      if (c >= '0' && c <= '9') {
        address = address << 4 | static_cast<uint64_t>(c - '0');
      } else if (letter >= 'a' && letter <= 'f') {
        address = address << 4 | static_cast<uint64_t>(letter - 'a' + 10);
      } else {
        break;
      }
    }
    is_of_module = memchr(at, '\t', bytes) != nullptr;
    const bool has_type = i > 0 && i + 3 < bytes && at[i] == ' ' && at[i + 2] == ' ';
    if (!has_type || at[i + 3] == '$') return;
    const char type = static_cast<char>(at[i + 1] | 0x20);
    is_symbol = type == 't' || type == 'w' || type == 'd' || type == 'b';
  }
};

/** Lines of one address. */
struct Group {
  uint64_t address = 0;
  std::string lines;
  bool is_taken = false;
};

class KernelLines {
 public:
  KernelLines(std::vector<uint64_t> addresses, std::string* lines)
      : wanted_(std::move(addresses)), lines_(lines) {
    std::sort(wanted_.begin(), wanted_.end());
  }

  /** False when no line that follows can matter. */
  bool Take(const Line& line) {
    if (line.is_of_module && !in_modules_) EndKernel();
    if (in_modules_) {
      lines_->append(line.start, line.size);
      return true;
    }
    if (!line.is_symbol) return true;
    if (line.address == 0) {
      if (hidden_.empty()) hidden_.assign(line.start, line.size);
      return true;
    }
    if (line.address != current_.address) {
      CloseGroup();
      if (IsSettled()) return false;
      std::swap(previous_, current_);
      current_.address = line.address;
      current_.lines.clear();
      current_.is_taken = false;
      if (lowest_ == 0 && line.address >= kLowestKernel) lowest_ = line.address;
    }
    current_.lines.append(line.start, line.size);
    return true;
  }

  /** The lines of the kernel proper are through. */
  void EndKernel() {
    if (in_modules_) return;
    in_modules_ = true;
    CloseGroup();
    if (current_.address == 0) {
      lines_->append(hidden_);
    } else if (next_ < wanted_.size()) {
      TakeGroup(&current_);
    }
  }

 private:
  /** `current_` has all its lines: the symbols of `previous_` end where it begins. */
  void CloseGroup() {
    while (next_ < wanted_.size() && wanted_[next_] < previous_.address) next_++;
    if (next_ == wanted_.size() || wanted_[next_] >= current_.address) return;
    if (previous_.address != 0) {
      TakeGroup(&previous_);
      TakeGroup(&current_);
    }
    while (next_ < wanted_.size() && wanted_[next_] < current_.address) next_++;
  }

  void TakeGroup(Group* group) {
    if (group->is_taken) return;
    group->is_taken = true;
    lines_->append(group->lines);
  }

  /** Every address is in the kernel proper: below it there may be modules. */
  bool IsSettled() const {
    return next_ == wanted_.size() && lowest_ != 0 && !wanted_.empty() && wanted_[0] >= lowest_;
  }

  /** Ascending. */
  std::vector<uint64_t> wanted_;
  /** The first address in `wanted_` that has no line yet. */
  size_t next_ = 0;
  std::string* lines_;
  Group previous_;
  Group current_;
  uint64_t lowest_ = 0;
  std::string hidden_;
  bool in_modules_ = false;
};

/** Calls `visit(line)` for each line of a file until it returns false; false where it can't be
 * read. */
template <typename Visit>
bool VisitLines(const char* path, Error* error, Visit visit) {
  const Fd fd(open(path, O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) {
    error->code_errno = errno;
    error->operation = "open";
    return false;
  }
  std::vector<char> buffer(kBufferBytes);
  size_t held = 0;
  for (;;) {
    const ssize_t count = read(fd.get(), buffer.data() + held, buffer.size() - held);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      error->code_errno = errno;
      error->operation = "read";
      return false;
    }
    held += static_cast<size_t>(count);
    size_t at = 0;
    while (at < held) {
      const void* newline = memchr(buffer.data() + at, '\n', held - at);
      // The last line may lack its end; a line that fills the buffer is none of the kernel's.
      const bool is_cut = newline == nullptr;
      if (is_cut && count > 0 && held - at < buffer.size()) break;
      const size_t size =
          is_cut ? held - at
                 : static_cast<size_t>(static_cast<const char*>(newline) - buffer.data()) + 1 - at;
      if (!visit(Line(buffer.data() + at, size))) return true;
      at += size;
    }
    memmove(buffer.data(), buffer.data() + at, held - at);
    held -= at;
    if (count == 0) break;
  }
  return true;
}

/** Lines in ascending order of their addresses; each is known by the offset that it begins at. */
class ProperLines {
 public:
  explicit ProperLines(std::string_view lines) : lines_(lines) {}

  uint64_t AddressAt(size_t at) const {
    return Line(lines_.data() + at, std::min<size_t>(kAddressBytes, lines_.size() - at)).address;
  }
  /** The line that ends where the one at `at` begins. */
  size_t LineBefore(size_t at) const { return StartOf(at - 1); }
  /** The first line with a higher address; the end where there is none. */
  size_t FirstAbove(uint64_t address) const {
    size_t low = 0;
    size_t high = lines_.size();
    while (low < high) {
      const size_t line = StartOf(low + (high - low) / 2);
      if (AddressAt(line) > address) {
        high = line;
      } else {
        // The last line may lack its end.
        low = std::min(lines_.find('\n', line), lines_.size() - 1) + 1;
      }
    }
    return low;
  }

 private:
  /** Sixteen digits and a blank. */
  static constexpr size_t kAddressBytes = 17;

  /** The line that has the byte at `at`. */
  size_t StartOf(size_t at) const {
    while (at > 0 && lines_[at - 1] != '\n') at--;
    return at;
  }

  std::string_view lines_;
};

}  // namespace

bool ReadKernelLines(const char* path, std::vector<uint64_t> addresses, std::string* lines,
                     Error* error) {
  KernelLines kernel(std::move(addresses), lines);
  if (!VisitLines(path, error, [&](const Line& line) { return kernel.Take(line); })) return false;
  kernel.EndKernel();
  return true;
}

bool ReadKernelProper(const char* path, std::string* proper, Error* error) {
  uint64_t last = 1;
  bool is_ascending = true;
  const bool is_read = VisitLines(path, error, [&](const Line& line) {
    if (line.is_of_module) return false;
    if (!line.is_symbol) return true;
    // A hidden address reads 0.
    is_ascending = line.address >= last;
    last = line.address;
    proper->append(line.start, line.size);
    return is_ascending;
  });
  if (!is_read || !is_ascending) proper->clear();
  return is_read;
}

bool IsStillKernelProper(const char* path, std::string_view proper, bool* is_same, Error* error) {
  size_t at = 0;
  int lines = 0;
  *is_same = false;
  return VisitLines(path, error, [&](const Line& line) {
    if (line.is_of_module) return false;
    if (!line.is_symbol) return true;
    *is_same = proper.substr(at, line.size) == std::string_view(line.start, line.size);
    at += line.size;
    return *is_same && ++lines < kComparedLines;
  });
}

bool FindKernelLines(std::string_view proper, std::vector<uint64_t> addresses, std::string* lines) {
  const ProperLines kernel(proper);
  std::sort(addresses.begin(), addresses.end());
  // Those before it are in `lines`.
  size_t taken = 0;
  for (const uint64_t address : addresses) {
    if (address < kLowestCode || address >= kEndOfCode) continue;
    const size_t behind = kernel.FirstAbove(address);
    if (behind == proper.size() || behind == 0) return false;
    const uint64_t start = kernel.AddressAt(kernel.LineBefore(behind));
    if (start < kLowestKernel) return false;
    const size_t from = std::max(taken, kernel.FirstAbove(start - 1));
    const size_t to = kernel.FirstAbove(kernel.AddressAt(behind));
    if (to > from) lines->append(proper.substr(from, to - from));
    taken = std::max(taken, to);
  }
  return true;
}

}  // namespace perf_ts
