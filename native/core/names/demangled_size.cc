// The estimate, and the grammar's encodings and names.

#include "demangled_size.h"

#include <algorithm>
#include <limits>

#include "demangled_size_walker.h"

namespace perf_ts {
namespace {

constexpr double kTooBig = std::numeric_limits<double>::infinity();

}  // namespace

double EstimateDemangledBytes(const char* mangled, size_t length) {
  if (length < 2) return 0;
  return DemangledSizeWalker(mangled, mangled + length).Estimate();
}

/**
 * Twice, because a template parameter may stand before the arguments that it refers to (in the
 * type of a conversion operator): the second time its size is known.
 */
double DemangledSizeWalker::Estimate() {
  Walk();
  if (ok_) {
    at_ = begin_;
    candidates_.clear();
    return Walk();
  }
  return too_deep_ ? kTooBig : EstimateUnknown();
}

/** The whole name; behind it may stand a clone suffix, `.isra.0`. */
double DemangledSizeWalker::Walk() {
  at_ += 2;  // _Z
  const double size = Encoding();
  return at_ == end_ || *at_ == '.' ? size + (end_ - at_) : Fail();
}

/**
 * Without knowing the grammar: each reference is worth everything that stood before it. The text
 * of every candidate so far is a part of that.
 */
double DemangledSizeWalker::EstimateUnknown() const {
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

/** <encoding> ::= <name> [<bare-function-type>] | <special-name> */
double DemangledSizeWalker::Encoding() {
  const Level level(this);
  if (Peek() == 'T' || (Peek() == 'G' && Peek(1) != '\0')) return SpecialName();
  double size = Name();
  while (ok_ && at_ < end_ && Peek() != 'E' && Peek() != '.') size += 2 + Type();
  return size;
}

double DemangledSizeWalker::SpecialName() {
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
void DemangledSizeWalker::CallOffset() {
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

double DemangledSizeWalker::Name() {
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
double DemangledSizeWalker::NestedName() {
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
double DemangledSizeWalker::LocalName() {
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

double DemangledSizeWalker::UnqualifiedName() {
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

double DemangledSizeWalker::SourceName() {
  const double length = Number();
  if (length < 1 || length > end_ - at_) return Fail();
  at_ += static_cast<size_t>(length);
  return last_source_name_ = length;
}

double DemangledSizeWalker::OperatorName() {
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

double DemangledSizeWalker::NameInExpression() {
  double size = UnqualifiedName();
  if (Peek() == 'I') size += TemplateArguments();
  return size;
}

double DemangledSizeWalker::Qualifiers() {
  double size = 0;
  while (Take('r') || Take('V') || Take('K')) size += 10;
  return size;
}

/** An optional `n` for minus, digits; 0 where there are none. */
double DemangledSizeWalker::Number() {
  Take('n');
  double value = 0;
  while (IsDigit(Peek())) value = value * 10 + (*at_++ - '0');
  return value;
}

/** _ is 0, 0_ is 1 … Z_ is 36, 10_ is 37. */
double DemangledSizeWalker::SequenceId() {
  double value = -1;
  while (IsDigit(Peek()) || (Peek() >= 'A' && Peek() <= 'Z')) {
    const char c = *at_++;
    value = std::max(value, 0.0) * 36 + (IsDigit(c) ? c - '0' : c - 'A' + 10);
  }
  if (!Take('_')) return Fail();
  return value + 1;
}

}  // namespace perf_ts
