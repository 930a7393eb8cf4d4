// Names as compilers make them, and as nobody should.

#include "../core/names/demangle.h"

#include <stdio.h>
#include <string.h>

#include <string>
#include <vector>

#include "../core/names/demangled_size.h"
#include "test.h"

using perf_ts::Demangle;
using perf_ts::EstimateDemangledBytes;

namespace {

struct Pair {
  const char* mangled;
  const char* name;
};

/** One name at least for each production that compilers use. */
const Pair kNames[] = {
    {"_Z4mainv", "main()"},
    {"__Z4mainv", "main()"},
    {"_ZN4node6Buffer3NewEPN2v87IsolateEm", "node::Buffer::New(v8::Isolate*, unsigned long)"},
    {"_ZNK3foo3bar4sizeEv", "foo::bar::size() const"},
    {"_ZN3fooC1ERKS_", "foo::foo(foo const&)"},
    {"_ZN3fooD0Ev", "foo::~foo()"},
    {"_ZNSt6vectorIiSaIiEE9push_backEOi",
     "std::vector<int, std::allocator<int> >::push_back(int&&)"},
    {"_ZNSt3mapIiSsSt4lessIiESaISt4pairIKiSsEEEixERS3_",
     "std::map<int, std::string, std::less<int>, std::allocator<std::pair<int const, std::string> "
     "> "
     ">::operator[](int const&)"},
    {"_Z3addIiEDTplfp_fp0_ET_S1_", "decltype ({parm#1}+{parm#2}) add<int>(int, int)"},
    {"_Z5applyIJidEEvDpT_", "void apply<int, double>(int, double)"},
    {"_ZZ4mainENKUliE_clEi", "main::{lambda(int)#1}::operator()(int) const"},
    {"_ZN12_GLOBAL__N_14workEPFivEM1AFvvE",
     "(anonymous namespace)::work(int (*)(), void (A::*)())"},
    {"_ZTV7Sampler", "vtable for Sampler"},
    {"_ZThn16_N1A1fEv", "non-virtual thunk to A::f()"},
    {"_ZGVZ4mainE5table", "guard variable for main::table"},
    {"_ZN1AcvT_IiEEv", "A::operator int<int>()"},
    {"_Z1fB5cxx11v", "f[abi:cxx11]()"},
    // A pack as GCC wrote it before 4.6.
    {"_Z5applyIIidEEvDpT_", "void apply<int, double>(int, double)"},
    {"_GLOBAL__I__Z4mainv", "global constructors keyed to main()"},
    {"_GLOBAL_.D__Z4mainv", "global destructors keyed to main()"},
    {"_Z4leafm.constprop.0", "leaf(unsigned long) [clone .constprop.0]"},
};

TEST("names of compilers come out as written") {
  for (const auto& [mangled, name] : kNames) {
    std::string out;
    if (!Demangle(mangled, &out) || out != name) {
      perf_ts::test::Failures()++;
      printf("  %s: expected \"%s\"\n  got \"%s\"\n", mangled, name, out.c_str());
    }
  }
}

TEST("the size of packs as GCC once wrote them is estimated like that of others") {
  const std::string arguments = "IiiNS_1AIIidEEEE";
  const std::string before = "_ZN1N1f" + arguments + "EvDpT_";
  std::string now = before;
  for (size_t at = 7; (at = now.find("II", at)) != std::string::npos; at++) now[at + 1] = 'J';
  CHECK(EstimateDemangledBytes(before.data(), before.size()) ==
        EstimateDemangledBytes(now.data(), now.size()));
}

TEST("a text that is no mangled name stays as it is") {
  for (const char* text : {"",
                           "i",
                           "main",
                           "_",
                           "_Z",
                           "__Z",
                           "Z1fv",
                           "_Y1fv",
                           "___Z1fv",
                           "_Z1",
                           "_ZN",
                           "_Z99f",
                           "_GLOBAL__I_x",
                           "_GLOBAL_OFFSET_TABLE_",
                           "_GLOBAL_",
                           "_ZNSt",
                           "_Z1fS9_",
                           "_Z1fRA10_KcILi3EE",
                           "_RNvC1a1b",
                           "_Z1f\xff",
                           "_ZN1aE1"}) {
    std::string out = "untouched";
    CHECK(!Demangle(text, &out));
    CHECK(out == "untouched");
  }
}

/** S_, S0_ … S9_, SA_ … SZ_: the reference to candidate `index`, below 37. */
std::string Reference(int index) {
  if (index == 0) return "S_";
  const char digit = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[index - 1];
  return std::string("S") + digit + "_";
}

/**
 * f(A<int, int>, A<S, S>, A<S', S'> …): each parameter has the one before it twice, so that 10
 * bytes more double the demangled name.
 */
std::string DoublingName(int doublings) {
  std::string name = "_Z1f1AIiiE";
  for (int i = 1; i <= doublings; i++) name += "S_I" + Reference(i) + Reference(i) + "E";
  return name;
}

TEST("the estimate follows the real size") {
  for (const auto& [mangled, name] : kNames) {
    if (strncmp(mangled, "__Z", 3) == 0) continue;
    const double estimate = EstimateDemangledBytes(mangled, strlen(mangled));
    CHECK(estimate >= strlen(name) / 2.0);
    CHECK(estimate <= strlen(name) * 20.0);
  }
  for (int doublings = 1; doublings <= 10; doublings++) {
    const std::string mangled = DoublingName(doublings);
    std::string name;
    CHECK(Demangle(mangled.c_str(), &name));
    const double estimate = EstimateDemangledBytes(mangled.data(), mangled.size());
    CHECK(estimate >= name.size() / 2.0 && estimate <= name.size() * 10.0);
  }
}

std::string Repeated(const char* text, int times) {
  std::string result;
  for (int i = 0; i < times; i++) result += text;
  return result;
}

TEST("names that stand for gigabytes are given up") {
  const std::vector<std::string> bombs = {
      DoublingName(35),
      // Before a conversion operator's T_ its argument is not known yet.
      "_ZN1AcvT_I" + DoublingName(35).substr(4) + "EEv",
      // Behind an unknown construct.
      "_Z1fIXzzEEv" + DoublingName(35).substr(4),
      // An element of a pack that contains the whole pack again, and so on.
      "_Z1fIXzzEJ" + Repeated("i", 30) + "EEv" + Repeated("Dp1AIT0_", 20) + "Dp" +
          Repeated("E", 20),
  };
  // Were one of them printed in full, this test would never end.
  for (const std::string& bomb : bombs) {
    CHECK(EstimateDemangledBytes(bomb.data(), bomb.size()) > 1e10);
    std::string out = "untouched";
    CHECK(!Demangle(bomb.c_str(), &out));
    CHECK(out == "untouched");
  }
}

TEST("a name that fits, but is of no use for its length, stays mangled") {
  const std::string mangled = DoublingName(12);
  CHECK(EstimateDemangledBytes(mangled.data(), mangled.size()) < 1 << 20);
  std::string out = "untouched";
  CHECK(!Demangle(mangled.c_str(), &out));
  CHECK(out == "untouched");
}

TEST("deep and long names do not exhaust the stack") {
  const std::vector<std::string> names = {
      "_Z1f" + Repeated("P", 10 * 1000) + "i",
      "_Z1f" + Repeated("1AI", 10 * 1000) + "i" + Repeated("E", 10 * 1000),
      "_Z1f" + Repeated("F", 10 * 1000),
      "_Z" + Repeated("Z", 10 * 1000),
      "_Z1fIX" + Repeated("ng", 10 * 1000),
      "_Z1f" + Repeated("DT", 10 * 1000),
      "_Z" + Repeated("N", 60 * 1000),
      "_Z" + Repeated("L_Z", 1000 * 1000),
      "_Z1000000" + std::string(1000 * 1000, 'a') + "v",
  };
  for (const std::string& name : names) {
    std::string out = "untouched";
    CHECK(!Demangle(name.c_str(), &out));
    CHECK(out == "untouched");
  }
}

/** Cut everywhere and with every byte changed: some are names, none does harm. */
TEST("damaged names are harmless") {
  long names = 0, others = 0;
  for (const Pair& pair : kNames) {
    const std::string whole = pair.mangled;
    for (size_t at = 2; at < whole.size(); at++) {
      for (const char byte :
           {'\0', 'S', '_', 'T', 'I', 'E', 'N', 'X', 'L', 'J', 'D', '9', 'Z', '\xff'}) {
        std::string damaged = whole;
        damaged[at] = byte;
        std::string out;
        if (Demangle(damaged.c_str(), &out)) {
          names++;
          CHECK(!out.empty());
        } else {
          others++;
        }
      }
    }
  }
  CHECK(names > 0 && others > 0);
}

}  // namespace

int main() {
  return perf_ts::test::RunAll();
}
