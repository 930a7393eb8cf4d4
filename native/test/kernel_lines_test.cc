#include "../core/recording/kernel_lines.h"

#include <stdlib.h>
#include <unistd.h>

#include <cerrno>

#include "../core/posix/fd.h"
#include "test.h"

using namespace perf_ts;

namespace {

std::string Lines(const std::string& list, std::vector<uint64_t> addresses) {
  char path[] = "/tmp/perf-ts-lines-XXXXXX";
  const Fd fd(mkstemp(path));
  if (write(fd.get(), list.data(), list.size()) != static_cast<ssize_t>(list.size())) abort();
  std::string lines;
  Error error;
  CHECK(ReadKernelLines(path, std::move(addresses), &lines, &error));
  unlink(path);
  return lines;
}

const char* const kKernel =
    "ffffffff81000000 T _stext\n"
    "ffffffff81000000 T _text\n"
    "ffffffff81000100 T one\n"
    "ffffffff81000200 r table\n"
    "ffffffff81000300 t two\n"
    "ffffffff81000400 T three\n";
const char* const kModules = "ffffffffc0100000 t late\t[zfs]\nffffffffc0000000 t early\t[hid]\n";
const std::string kList = std::string(kKernel) + kModules;

}  // namespace

TEST("an address takes the lines of its symbol and of the next one") {
  CHECK(Lines(kList, {0xffffffff81000180}) == "ffffffff81000100 T one\nffffffff81000300 t two\n");
}

TEST("an address behind the kernel or before it takes the modules' lines") {
  CHECK(Lines(kList, {0xffffffffc0000010}) == std::string("ffffffff81000400 T three\n") + kModules);
  CHECK(Lines(kList, {0xffffffff80000000}) == kModules);
}

TEST("a list whose addresses are hidden is one line") {
  CHECK(Lines("0000000000000000 T a\n0000000000000000 T b\n", {0xffffffff81000180}) ==
        "0000000000000000 T a\n");
}

TEST("lists with lines of any kind and length are read") {
  const std::string long_name(200'000, 'x');
  const std::string lists[] = {"",
                               "\n\n\n",
                               "f",
                               "ffffffff81000000",
                               "ffffffff81000000 ",
                               "ffffffff81000000 T",
                               "ffffffff81000000 T ",
                               "ffffffff81000000 T $x",
                               "zz T a\n",
                               "\t",
                               "ffffffff81000000 T " + long_name};
  for (const std::string& list : lists) Lines(list, {0xffffffff81000000});
  CHECK(Lines("ffffffff81000000 T a", {0xffffffff81000000}) == "ffffffff81000000 T a");
}

TEST("a list that is read in many pieces loses no line") {
  std::string list;
  for (uint64_t i = 0; i < 20'000; i++) {
    char line[64];
    snprintf(line, sizeof line, "%016llx T f%llu\n",
             static_cast<unsigned long long>(0xffffffff81000000 + i * 16),
             static_cast<unsigned long long>(i));
    list += line;
  }
  std::vector<uint64_t> all;
  for (uint64_t i = 0; i < 20'000; i++) all.push_back(0xffffffff81000000 + i * 16 + 3);
  CHECK(Lines(list, all) == list);
}

TEST("addresses are looked for to the end of a list whose last line has none") {
  const std::string proper = "ffffffff81000000 T a\nffffffff81000100 T b";
  for (const uint64_t address : {0xffffffff81000000, 0xffffffff81000080, 0xffffffff81000100}) {
    std::string lines;
    const bool is_found = FindKernelLines(proper, {address}, &lines);
    CHECK_EQUAL(is_found, address < 0xffffffff81000100);
    CHECK(lines == (is_found ? proper : ""));
  }
}

TEST("a list that is not there is an error") {
  std::string lines;
  Error error;
  CHECK(!ReadKernelLines("/nonexistent/kallsyms", {}, &lines, &error));
  CHECK_EQUAL(error.code_errno, ENOENT);
}

int main() {
  return perf_ts::test::RunAll();
}
