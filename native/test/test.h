#pragma once

#include <cstdio>
#include <vector>

/** A minimal test runner: every TEST is a sentence, every CHECK that fails names its line. */
namespace perf_ts::test {

struct Case {
  const char* sentence;
  void (*run)();
};

inline std::vector<Case>& Cases() {
  static std::vector<Case> cases;
  return cases;
}

inline int& Failures() {
  static int failures = 0;
  return failures;
}

struct Registration {
  Registration(const char* sentence, void (*run)()) { Cases().push_back({sentence, run}); }
};

inline int RunAll() {
  int failed_cases = 0;
  for (const Case& test : Cases()) {
    const int before = Failures();
    test.run();
    const bool passed = Failures() == before;
    failed_cases += passed ? 0 : 1;
    printf("%s %s\n", passed ? "PASS" : "FAIL", test.sentence);
  }
  return failed_cases == 0 ? 0 : 1;
}

}  // namespace perf_ts::test

#define PERF_TS_JOIN_(a, b) a##b
#define PERF_TS_JOIN(a, b) PERF_TS_JOIN_(a, b)

#define TEST(sentence)                                                  \
  static void PERF_TS_JOIN(Test, __LINE__)();                           \
  static const perf_ts::test::Registration PERF_TS_JOIN(reg, __LINE__)( \
      sentence, PERF_TS_JOIN(Test, __LINE__));                          \
  static void PERF_TS_JOIN(Test, __LINE__)()

#define CHECK(condition)                                                 \
  do {                                                                   \
    if (!(condition)) {                                                  \
      perf_ts::test::Failures()++;                                       \
      printf("  %s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
    }                                                                    \
  } while (0)

/** Check of numbers: both sides are shown. */
#define CHECK_EQUAL(actual, expected)                                                      \
  do {                                                                                     \
    const long long a = static_cast<long long>(actual);                                    \
    const long long e = static_cast<long long>(expected);                                  \
    if (a != e) {                                                                          \
      perf_ts::test::Failures()++;                                                         \
      printf("  %s:%d: %s: expected %lld, got %lld\n", __FILE__, __LINE__, #actual, e, a); \
    }                                                                                      \
  } while (0)
