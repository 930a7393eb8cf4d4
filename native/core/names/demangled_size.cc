#include "demangled_size.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace perf_ts {
namespace {

constexpr double kTooBig = std::numeric_limits<double>::infinity();

/**
 * Recursive descent over https://itanium-cxx-abi.github.io/cxx-abi/abi.html#mangling. Each method
 * is the production of its name and returns the size of what it prints. The substitution candidates
 * have to be collected in the ABI's order, since references count them.
 */
class Walker {
 public:
  Walker(const char* begin, const char* end) : begin_(begin), at_(begin), end_(end) {}

  /**
   * Walks twice, because a template parameter may stand before the arguments that it refers to (in
   * the type of a conversion operator): the second time its size is known.
   */
  double Estimate() {
    Walk();
    if (ok_) {
      at_ = begin_;
      candidates_.clear();
      return Walk();
    }
    return too_deep_ ? kTooBig : EstimateUnknown();
  }

 private:
  /** Nested productions; compilers stay far below. */
  static constexpr int kMaxDepth = 500;
  /** A keyword or the name of an operator. */
  static constexpr double kWord = 16;
  /** "construction vtable for " and the like. */
  static constexpr double kSpecialWords = 32;

  /** Counts one level of nesting for as long as it lives. */
  class Level {
   public:
    explicit Level(Walker* walker) : walker_(walker) {
      if (++walker_->depth_ > kMaxDepth) {
        walker_->too_deep_ = true;
        walker_->Fail();
      }
    }
    ~Level() { walker_->depth_--; }

   private:
    Walker* walker_;
  };

  static bool IsDigit(char c) { return c >= '0' && c <= '9'; }
  static bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
  static bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }

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

  /** Ends the walk: every method returns at once from here on. */
  double Fail() {
    ok_ = false;
    at_ = end_;
    return 0;
  }

  double Candidate(double size) {
    candidates_.push_back(size);
    return size;
  }

  /** The whole name; behind it may stand a clone suffix, `.isra.0`. */
  double Walk() {
    at_ += 2;  // _Z
    const double size = Encoding();
    return at_ == end_ || *at_ == '.' ? size + (end_ - at_) : Fail();
  }

  /**
   * The most that a name can print whose grammar is not known: a reference is everything that stood
   * before it, and a pack that is expanded has an element for each byte before it.
   */
  double EstimateUnknown() const {
    double size = kSpecialWords;
    for (const char* at = begin_; at < end_; at++) {
      const char next = at + 1 < end_ ? at[1] : '\0';
      const bool refers =
          (*at == 'S' || *at == 'T') &&
          (next == '_' || next == 'L' || IsDigit(next) || (*at == 'S' && IsUpper(next)));
      const bool expands = (*at == 'D' || *at == 's') && next == 'p';
      size = refers ? 2 * size : expands ? size * (at - begin_) : size + 1;
    }
    return size;
  }

  /** <encoding> ::= <name> [<bare-function-type>] | <special-name> */
  double Encoding() {
    const Level level(this);
    if (Peek() == 'T' || (Peek() == 'G' && Peek(1) != '\0')) return SpecialName();
    double size = Name();
    while (ok_ && at_ < end_ && Peek() != 'E' && Peek() != '.') size += 2 + Type();
    return size;
  }

  double SpecialName() {
    if (Take("TV") || Take("TT") || Take("TI") || Take("TS")) return kSpecialWords + Type();
    if (Take("TH") || Take("TW") || Take("GV")) return kSpecialWords + Name();
    if (!Take("Th") && !Take("Tv")) return Fail();
    // h <number> _ | v <number> _ <number> _
    const bool is_virtual = at_[-1] == 'v';
    Number();
    Take('_');
    if (is_virtual) {
      Number();
      Take('_');
    }
    return kSpecialWords + Encoding();
  }

  double Name() {
    const Level level(this);
    if (Peek() == 'N') return NestedName();
    if (Peek() == 'Z') return LocalName();
    if (Peek() == 'S' && Peek(1) != 't') return WithArguments(Substitution());
    const double size = Take("St") ? 5 + UnqualifiedName() : UnqualifiedName();
    return Peek() == 'I' ? WithArguments(Candidate(size)) : size;
  }

  /** N [<CV-qualifiers>] [<ref-qualifier>] <prefix> E */
  double NestedName() {
    at_++;
    double size = Qualifiers();
    if (Take('R') || Take('O')) size += 3;
    for (bool first = true; ok_ && !Take('E'); first = false) {
      const char c = Peek();
      if (c == 'S') {
        size += Substitution();
        continue;
      }
      if (c == 'I' && !first) {
        size += TemplateArguments();
      } else if (c == 'T') {
        size += TemplateParameter();
      } else {
        size += 2 + UnqualifiedName();
      }
      if (Peek() != 'E') Candidate(size);
    }
    return size;
  }

  /** Z <encoding> E (s | [d [<number>] _] <name>) [<discriminator>] */
  double LocalName() {
    at_++;
    double size = Encoding();
    if (!Take('E')) return Fail();
    if (Take('s')) {
      size += kWord;
    } else {
      if (Take('d')) {
        Number();
        Take('_');
      }
      size += 2 + Name();
    }
    if (Take('_')) {
      const bool is_long = Take('_');
      Number();
      if (is_long) Take('_');
    }
    return size;
  }

  double UnqualifiedName() {
    Take('L');
    double size;
    const char c = Peek();
    if (IsDigit(c)) {
      size = SourceName();
    } else if (IsLower(c)) {
      size = OperatorName();
    } else if ((c == 'C' || c == 'D') && IsDigit(Peek(1))) {
      at_ += 2;
      size = 1 + last_source_name_;
    } else if (Take("Ut")) {
      size = kWord;
      Number();
      if (!Take('_')) return Fail();
      Candidate(size);
    } else if (Take("Ul")) {
      size = kWord;
      while (ok_ && !Take('E')) size += 2 + Type();
      Number();
      if (!Take('_')) return Fail();
    } else {
      return Fail();
    }
    while (Take('B')) size += 8 + SourceName();
    return size;
  }

  double SourceName() {
    const double length = Number();
    if (length < 1 || length > end_ - at_) return Fail();
    at_ += static_cast<size_t>(length);
    return last_source_name_ = length;
  }

  double OperatorName() {
    if (Take("cv")) return kWord + Type();
    if (Take("li")) return kWord + SourceName();
    if (end_ - at_ < 2) return Fail();
    at_ += 2;
    return kWord;
  }

  double Qualifiers() {
    double size = 0;
    while (Take('r') || Take('V') || Take('K')) size += 10;
    return size;
  }

  /** An optional `n` for minus, digits; 0 where there are none. */
  double Number() {
    Take('n');
    double value = 0;
    while (IsDigit(Peek())) value = value * 10 + (*at_++ - '0');
    return value;
  }

  double WithArguments(double size) { return Peek() == 'I' ? size + TemplateArguments() : size; }

  double Type() {
    const Level level(this);
    const char c = Peek();
    if (c == 'r' || c == 'V' || c == 'K') {
      const double qualifiers = Qualifiers();
      return Candidate(qualifiers + Type());
    }
    if (Take('u')) return Candidate(WithArguments(SourceName()));
    if (IsLower(c)) {
      at_++;
      return kWord;
    }
    if (IsDigit(c) || c == 'N' || c == 'Z') return Candidate(Name());
    switch (c) {
      case 'O':
      case 'P':
      case 'R':
        at_++;
        return Candidate(3 + Type());
      case 'F':
        return Candidate(FunctionType());
      case 'A':
        return Candidate(ArrayType());
      case 'M': {
        at_++;
        const double of_class = Type();
        return Candidate(5 + of_class + Type());
      }
      case 'T': {
        const double parameter = Candidate(TemplateParameter());
        return Peek() == 'I' ? Candidate(WithArguments(parameter)) : parameter;
      }
      case 'S': {
        if (Peek(1) == 't') return Candidate(Name());
        const double referred = Substitution();
        return Peek() == 'I' ? Candidate(WithArguments(referred)) : referred;
      }
      case 'D':
        return DType();
      default:
        return Fail();
    }
  }

  double DType() {
    // The pattern once for each element of the pack, of which there may be as many as in any pack.
    if (Take("Dp")) return Candidate(Type() * std::max(1.0, largest_pack_));
    if (Take("Dv")) {
      Number();
      return Take('_') ? Candidate(kWord + Type()) : Fail();
    }
    if (Take("DF")) {
      Number();
      at_ += at_ < end_;
      return kWord;
    }
    if (Take("Do")) return kWord + Type();
    if (Peek(1) != 'n' && Peek(1) != 'a' && Peek(1) != 'i' && Peek(1) != 's' && Peek(1) != 'u')
      return Fail();
    at_ += 2;
    return kWord;
  }

  double FunctionType() {
    at_++;
    Take('Y');
    double size = 4;
    while (ok_ && !Take('E')) {
      if (Peek(1) == 'E' && (Take('R') || Take('O'))) continue;
      size += 2 + Type();
    }
    return size;
  }

  /** A [<number>] _ <type> */
  double ArrayType() {
    at_++;
    Number();
    return Take('_') ? 8 + Type() : Fail();
  }

  double TemplateArguments() {
    const Level level(this);
    at_++;
    double size = 2;
    while (ok_ && !Take('E')) size += 2 + TemplateArgument();
    return size;
  }

  double TemplateArgument() {
    double size = 0;
    if (Peek() == 'L') {
      size = Primary();
    } else if (Take('X')) {
      size = Expression();
      if (!Take('E')) return Fail();
    } else if (Take('J') || Take('I')) {  // a pack; GCC before 4.6 wrote I
      double elements = 0;
      while (ok_ && !Take('E')) {
        size += 2 + TemplateArgument();
        elements++;
      }
      largest_pack_ = std::max(largest_pack_, elements);
    } else {
      size = Type();
    }
    largest_argument_ = std::max(largest_argument_, size);
    return size;
  }

  /** T [<number>] _: as large as any argument so far. */
  double TemplateParameter() {
    at_++;
    Number();
    return Take('_') ? std::max(8.0, largest_argument_) : Fail();
  }

  /** S [<seq-id>] _ | Sa, Sb, Ss, Si, So, Sd, St */
  double Substitution() {
    at_++;
    if (IsLower(Peek())) {
      at_++;
      return 48;  // std::basic_iostream<char, std::char_traits<char> >
    }
    const double index = SequenceId();
    // A neighbour may be meant where demanglers disagree on what is a candidate.
    double size = 0;
    for (double i = std::max(0.0, index - 2); i <= index + 2 && i < candidates_.size(); i++) {
      size = std::max(size, candidates_[static_cast<size_t>(i)]);
    }
    return index < candidates_.size() ? size : Fail();
  }

  /** _ is 0, 0_ is 1 … Z_ is 36, 10_ is 37. */
  double SequenceId() {
    double value = -1;
    while (IsDigit(Peek()) || IsUpper(Peek())) {
      const char c = *at_++;
      value = std::max(value, 0.0) * 36 + (IsDigit(c) ? c - '0' : c - 'A' + 10);
    }
    return Take('_') ? value + 1 : Fail();
  }

  /** L <type> <value> E | L _Z <encoding> E */
  double Primary() {
    at_++;
    double size;
    if (Take("_Z")) {
      size = Encoding();
    } else {
      size = 2 + Type();
      for (; ok_ && at_ < end_ && Peek() != 'E'; at_++) size++;
    }
    return Take('E') ? size : Fail();
  }

  /** The two expressions in arguments of long names: the address of a function, and T{values}. */
  double Expression() {
    const Level level(this);
    if (Peek() == 'L') return Primary();
    if (Take("ad")) return kWord + Expression();
    if (!Take("tl")) return Fail();
    double size = 4 + Type();
    while (ok_ && !Take('E')) size += 2 + Expression();
    return size;
  }

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
  /** The name that a constructor or destructor repeats. */
  double last_source_name_ = 0;
};

}  // namespace

double EstimateDemangledBytes(const char* mangled, size_t length) {
  return length < 2 ? 0 : Walker(mangled, mangled + length).Estimate();
}

}  // namespace perf_ts
