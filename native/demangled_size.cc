#include "demangled_size.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

namespace perf_ts {
namespace {

/** Nested productions; compilers stay far below. */
constexpr int kMaxDepth = 500;

constexpr double kTooBig = std::numeric_limits<double>::infinity();

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}
bool IsLower(char c) {
  return c >= 'a' && c <= 'z';
}

/**
 * Recursive descent over https://itanium-cxx-abi.github.io/cxx-abi/abi.html#mangling. Each method
 * is the production of its name and returns the size of what it prints. What matters is that the
 * substitution candidates are collected in the ABI's order, since references count them.
 */
class Estimator {
 public:
  Estimator(const char* begin, const char* end) : begin_(begin), at_(begin), end_(end) {}

  /**
   * Twice, because a template parameter may stand before the arguments that it refers to (in the
   * type of a conversion operator): the second time its size is known.
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
  /** Counts one level of nesting for as long as it lives. */
  class Level {
   public:
    explicit Level(Estimator* estimator) : estimator_(estimator) {
      if (++estimator_->depth_ > kMaxDepth) {
        estimator_->too_deep_ = true;
        estimator_->Fail();
      }
    }
    ~Level() { estimator_->depth_--; }

   private:
    Estimator* estimator_;
  };

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

  /** The whole name; behind it may stand a clone suffix, `.isra.0`. */
  double Walk() {
    at_ += 2;  // _Z
    const double size = Encoding();
    return at_ == end_ || *at_ == '.' ? size + (end_ - at_) : Fail();
  }

  double Candidate(double size) {
    candidates_.push_back(size);
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
    constexpr double kWords = 32;  // "construction vtable for " and the like
    if (Take("TV") || Take("TT") || Take("TI") || Take("TS")) return kWords + Type();
    if (Take("Th") || Take("Tv")) {
      at_--;
      CallOffset();
      return kWords + Encoding();
    }
    if (Take("Tc")) {
      CallOffset();
      CallOffset();
      return kWords + Encoding();
    }
    if (Take("TC")) {
      const double derived = Type();
      Number();
      Take('_');
      return kWords + derived + Type();
    }
    if (Take("TH") || Take("TW") || Take("GV")) return kWords + Name();
    if (Take("GR")) {
      const double name = Name();
      SequenceId();
      return kWords + name;
    }
    if (Take("GT")) {
      at_++;
      return kWords + Encoding();
    }
    if (Take("TA")) return kWords + TemplateArgument();
    return Fail();
  }

  /** h <number> _ | v <number> _ <number> _ */
  void CallOffset() {
    const bool is_virtual = Peek() == 'v';
    if (!is_virtual && Peek() != 'h') Fail();
    at_ += at_ < end_;
    Number();
    Take('_');
    if (is_virtual) {
      Number();
      Take('_');
    }
  }

  double Name() {
    const Level level(this);
    double size;
    if (Peek() == 'N') return NestedName();
    if (Peek() == 'Z') return LocalName();
    if (Peek() == 'S' && Peek(1) != 't') {
      size = Substitution();
      return Peek() == 'I' ? size + TemplateArguments() : size;
    }
    size = Take("St") ? 5 + UnqualifiedName() : UnqualifiedName();
    if (Peek() != 'I') return size;
    Candidate(size);
    return size + TemplateArguments();
  }

  /** N [<CV-qualifiers>] [<ref-qualifier>] <prefix> E */
  double NestedName() {
    at_++;
    double size = Qualifiers();
    if (Take('R') || Take('O')) size += 3;
    bool first = true;
    while (ok_ && !Take('E')) {
      const char c = Peek();
      if (c == 'M') {
        at_++;
        continue;
      }
      if (c == 'S') {
        size += Substitution();
      } else if (c == 'I' && !first) {
        size += TemplateArguments();
      } else if (c == 'T') {
        size += TemplateParameter();
      } else if (c == 'D' && (Peek(1) == 't' || Peek(1) == 'T')) {
        size += Type();
      } else {
        size += 2 + UnqualifiedName();
      }
      if (c != 'S' && Peek() != 'E') Candidate(size);
      first = false;
    }
    return size;
  }

  /** Z <encoding> E (s | [d [<number>] _] <name>) [<discriminator>] */
  double LocalName() {
    at_++;
    double size = Encoding();
    if (!Take('E')) return Fail();
    if (Take('s')) {
      size += 16;
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
    } else if (c == 'C') {
      at_++;
      const bool inherits = Take('I');
      if (!IsDigit(Peek())) return Fail();
      at_++;
      size = last_source_name_;
      if (inherits) Type();
    } else if (Take("DC")) {
      size = 4;
      while (ok_ && !Take('E')) size += 2 + SourceName();
    } else if (c == 'D') {
      at_++;
      if (!IsDigit(Peek())) return Fail();
      at_++;
      size = 1 + last_source_name_;
    } else if (Take("Ut")) {
      size = 16;
      Number();
      if (!Take('_')) return Fail();
      Candidate(size);
    } else if (Take("Ul")) {
      size = 16;
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
    constexpr double kWord = 16;
    if (Take("cv")) return kWord + Type();
    if (Take("li")) return kWord + SourceName();
    if (Peek() == 'v' && IsDigit(Peek(1))) {
      at_ += 2;
      return kWord + SourceName();
    }
    if (end_ - at_ < 2) return Fail();
    at_ += 2;
    return kWord;
  }

  double Qualifiers() {
    double size = 0;
    while (Take('r') || Take('V') || Take('K')) size += 10;
    return size;
  }

  double Type() {
    const Level level(this);
    constexpr double kWord = 16;
    const char c = Peek();
    if (c == 'r' || c == 'V' || c == 'K') {
      const double qualifiers = Qualifiers();
      return Candidate(qualifiers + Type());
    }
    if (c == 'u') {
      at_++;
      const double name = SourceName();
      return Candidate(Peek() == 'I' ? name + TemplateArguments() : name);
    }
    if (IsLower(c)) {
      at_++;
      return kWord;
    }
    if (IsDigit(c) || c == 'N' || c == 'Z') return Candidate(Name());
    switch (c) {
      case 'O':
      case 'P':
      case 'R':
      case 'C':
      case 'G':
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
        return Peek() == 'I' ? Candidate(parameter + TemplateArguments()) : parameter;
      }
      case 'S': {
        if (Peek(1) == 't') return Candidate(Name());
        const double referred = Substitution();
        return Peek() == 'I' ? Candidate(referred + TemplateArguments()) : referred;
      }
      case 'U': {
        at_++;
        double qualifier = SourceName();
        if (Peek() == 'I') qualifier += TemplateArguments();
        return Candidate(1 + qualifier + Type());
      }
      case 'D':
        return DType();
      default:
        return Fail();
    }
  }

  double DType() {
    constexpr double kWord = 16;
    if (Take("Dp")) return Candidate(PackExpansion());
    if (Take("Dt") || Take("DT")) {
      const double expression = Expression();
      if (!Take('E')) return Fail();
      return Candidate(kWord + expression);
    }
    if (Take("Dv")) {
      if (Take('_')) {
        Expression();
      } else {
        Number();
      }
      if (!Take('_')) return Fail();
      return Candidate(kWord + Type());
    }
    if (Take("DF")) {
      Number();
      at_ += at_ < end_;
      return kWord;
    }
    if (Take("Do") || Take("Dx")) return kWord + Type();
    if (Take("DO") || Take("Dw")) {
      double size = kWord;
      while (ok_ && !Take('E')) size += 2 + Type();
      return size + Type();
    }
    at_ += std::min<ptrdiff_t>(2, end_ - at_);  // Dn, Da, Di …: a word
    return kWord;
  }

  /** The pattern once for each element of the pack, of which there may be as many as in any pack.
   */
  double PackExpansion() { return Type() * std::max(1.0, largest_pack_); }

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

  /** A [<number>] _ <type> | A <expression> _ <type> */
  double ArrayType() {
    at_++;
    double size = 8;
    if (IsDigit(Peek())) {
      Number();
    } else if (Peek() != '_') {
      size += Expression();
    }
    if (!Take('_')) return Fail();
    return size + Type();
  }

  double TemplateArguments() {
    const Level level(this);
    at_++;
    double size = 2;
    while (ok_ && !Take('E')) size += 2 + TemplateArgument();
    return size;
  }

  double TemplateArgument() {
    double size;
    if (Peek() == 'L') {
      size = Primary();
    } else if (Take('X')) {
      size = Expression();
      if (!Take('E')) return Fail();
    } else if (Take('J')) {
      size = 0;
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

  /** T [L <level>] [<number>] _: as large as any argument so far. */
  double TemplateParameter() {
    at_++;
    if (Take('L')) {
      Number();
      Take('_');
    }
    Number();
    if (!Take('_')) return Fail();
    return std::max(8.0, largest_argument_);
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
    while (IsDigit(Peek()) || (Peek() >= 'A' && Peek() <= 'Z')) {
      const char c = *at_++;
      value = std::max(value, 0.0) * 36 + (IsDigit(c) ? c - '0' : c - 'A' + 10);
    }
    if (!Take('_')) return Fail();
    return value + 1;
  }

  /** L <type> <value> E | L _Z <encoding> E */
  double Primary() {
    at_++;
    double size;
    if (Take("_Z") || Take('Z')) {
      size = Encoding();
    } else {
      size = 2 + Type();
      while (ok_ && at_ < end_ && Peek() != 'E') {
        at_++;
        size++;
      }
    }
    return Take('E') ? size : Fail();
  }

  double Expressions() {
    double size = 0;
    while (ok_ && !Take('E')) size += 2 + Expression();
    return size;
  }

  double Expression() {
    const Level level(this);
    constexpr double kWord = 16;
    if (Take("gs")) return 2 + Expression();
    const char c = Peek();
    if (c == 'L') return Primary();
    if (c == 'T') return TemplateParameter();
    if (IsDigit(c) || Take("on")) return NameInExpression();
    if (Take("fp") || Take("fP")) {
      Qualifiers();
      if (Take('T')) return 4;
      Number();
      return Take('_') ? kWord : Fail();
    }
    if (Take("fL")) {
      Number();
      Take('p');
      Qualifiers();
      Number();
      return Take('_') ? kWord : Fail();
    }
    if (Take("sr")) {
      const double scope = Type();
      Take('E');  // ends a list of qualifying names
      return 2 + scope + NameInExpression();
    }
    if (Take("cv")) {
      const double type = Type();
      return 4 + type + (Take('_') ? Expressions() : Expression());
    }
    if (Take("tl")) {
      const double type = Type();
      return 4 + type + Expressions();
    }
    if (Take("cl") || Take("cp") || Take("il")) return 4 + Expressions();
    if (Take("st") || Take("at") || Take("ti")) return kWord + Type();
    if (Take("sZ")) return kWord + Expression();
    if (Take("sp")) return 3 + Expression() * std::max(1.0, largest_pack_);
    if (Take("dt") || Take("pt")) {
      const double object = Expression();
      return 2 + object + NameInExpression();
    }
    if (Take("sc") || Take("dc") || Take("cc") || Take("rc")) {
      const double type = Type();
      return kWord + type + Expression();
    }
    if (Take("tr")) return kWord;
    for (const char* unary : {"ps", "ng", "ad", "de", "co", "nt", "pp", "mm", "sz", "az", "te",
                              "nx", "tw", "dl", "da"}) {
      if (!Take(unary)) continue;
      if (unary[0] == unary[1]) Take('_');
      return kWord + Expression();
    }
    for (const char* binary :
         {"pl", "mi", "ml", "dv", "rm", "an", "or", "eo", "aS", "pL", "mI", "mL",
          "dV", "rM", "aN", "oR", "eO", "ls", "rs", "lS", "rS", "eq", "ne", "lt",
          "gt", "le", "ge", "ss", "aa", "oo", "cm", "pm", "ix", "ds"}) {
      if (!Take(binary)) continue;
      const double left = Expression();
      return 4 + left + Expression();
    }
    if (Take("qu")) {
      const double condition = Expression();
      const double then = Expression();
      return 6 + condition + then + Expression();
    }
    return Fail();
  }

  double NameInExpression() {
    double size = UnqualifiedName();
    if (Peek() == 'I') size += TemplateArguments();
    return size;
  }

  /** An optional `n` for minus, digits; 0 where there are none. */
  double Number() {
    Take('n');
    double value = 0;
    while (IsDigit(Peek())) value = value * 10 + (*at_++ - '0');
    return value;
  }

  /**
   * Without knowing the grammar: each reference is worth everything that stood before it. The text
   * of every candidate so far is a part of that.
   */
  double EstimateUnknown() const {
    double size = 0;
    for (const double candidate : candidates_) size = std::max(size, candidate);
    const char* rest = begin_;
    for (; rest < end_; rest++) {
      const char next = rest + 1 < end_ ? rest[1] : '\0';
      const bool refers = (*rest == 'S' || *rest == 'T') && (next == '_' || IsDigit(next));
      size = refers ? 2 * size : size + 1;
    }
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
  /** What a constructor or destructor repeats. */
  double last_source_name_ = 0;
};

}  // namespace

double EstimateDemangledBytes(const char* mangled, size_t length) {
  if (length < 2) return 0;
  return Estimator(mangled, mangled + length).Estimate();
}

}  // namespace perf_ts
