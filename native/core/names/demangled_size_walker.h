#ifndef PERF_TS_DEMANGLED_SIZE_WALKER_H_
#define PERF_TS_DEMANGLED_SIZE_WALKER_H_

#include <cstddef>
#include <vector>

namespace perf_ts {

/**
 * Recursive descent over https://itanium-cxx-abi.github.io/cxx-abi/abi.html#mangling. Each method
 * is the production of its name and returns the size of what it prints. What matters is that the
 * substitution candidates are collected in the ABI's order, since references count them.
 */
class DemangledSizeWalker {
 public:
  DemangledSizeWalker(const char* begin, const char* end) : begin_(begin), at_(begin), end_(end) {}

  double Estimate();

 private:
  /** Nested productions; compilers stay far below. */
  static constexpr int kMaxDepth = 500;

  /** Counts one level of nesting for as long as it lives. */
  class Level {
   public:
    explicit Level(DemangledSizeWalker* walker) : walker_(walker) {
      if (++walker_->depth_ > kMaxDepth) {
        walker_->too_deep_ = true;
        walker_->Fail();
      }
    }
    ~Level() { walker_->depth_--; }

   private:
    DemangledSizeWalker* walker_;
  };

  static bool IsDigit(char c) { return c >= '0' && c <= '9'; }
  static bool IsLower(char c) { return c >= 'a' && c <= 'z'; }

  char Peek(int ahead = 0) const { return end_ - at_ > ahead ? at_[ahead] : '\0'; }

  bool Take(char c) {
    if (Peek() != c) return false;
    at_++;
    return true;
  }

  bool Take(const char* two) {
    if (Peek() != two[0] || Peek(1) != two[1]) return false;
    at_ += 2;
    return true;
  }

  /** From here on every method returns at once. */
  double Fail() {
    ok_ = false;
    at_ = end_;
    return 0;
  }

  double Candidate(double size) {
    candidates_.push_back(size);
    return size;
  }

  // demangled_size.cc
  double Walk();
  double EstimateUnknown() const;
  double Encoding();
  double SpecialName();
  void CallOffset();
  double Name();
  double NestedName();
  double LocalName();
  double UnqualifiedName();
  double SourceName();
  double OperatorName();
  double NameInExpression();
  double Qualifiers();
  double Number();
  double SequenceId();

  // demangled_size_types.cc
  double Type();
  double DType();
  double PackExpansion();
  double FunctionType();
  double ArrayType();
  double TemplateArguments();
  double TemplateArgument();
  double TemplateParameter();
  double Substitution();
  double Primary();
  double Expressions();
  double Expression();

  const char* const begin_;
  const char* at_;
  const char* const end_;
  bool ok_ = true;
  bool too_deep_ = false;
  int depth_ = 0;
  /** Sizes of the substitution candidates, in the order of their numbers. */
  std::vector<double> candidates_;
  double largest_argument_ = 0;
  double largest_pack_ = 0;
  /** What a constructor or destructor repeats. */
  double last_source_name_ = 0;
};

}  // namespace perf_ts

#endif  // PERF_TS_DEMANGLED_SIZE_WALKER_H_
