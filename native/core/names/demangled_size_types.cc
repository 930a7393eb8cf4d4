// The grammar's types, templates, substitutions and expressions.

#include <algorithm>
#include <cstddef>

#include "demangled_size_walker.h"

namespace perf_ts {

double DemangledSizeWalker::Type() {
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

double DemangledSizeWalker::DType() {
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

/** The pattern once for each element of the pack, of which there may be as many as in any pack. */
double DemangledSizeWalker::PackExpansion() {
  return Type() * std::max(1.0, largest_pack_);
}

double DemangledSizeWalker::FunctionType() {
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
double DemangledSizeWalker::ArrayType() {
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

double DemangledSizeWalker::TemplateArguments() {
  const Level level(this);
  at_++;
  double size = 2;
  while (ok_ && !Take('E')) size += 2 + TemplateArgument();
  return size;
}

double DemangledSizeWalker::TemplateArgument() {
  double size;
  if (Peek() == 'L') {
    size = Primary();
  } else if (Take('X')) {
    size = Expression();
    if (!Take('E')) return Fail();
  } else if (Take('J') || Take('I')) {  // a pack; GCC before 4.6 wrote I
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
double DemangledSizeWalker::TemplateParameter() {
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
double DemangledSizeWalker::Substitution() {
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

/** L <type> <value> E | L _Z <encoding> E */
double DemangledSizeWalker::Primary() {
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

double DemangledSizeWalker::Expressions() {
  double size = 0;
  while (ok_ && !Take('E')) size += 2 + Expression();
  return size;
}

double DemangledSizeWalker::Expression() {
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
  for (const char* unary :
       {"ps", "ng", "ad", "de", "co", "nt", "pp", "mm", "sz", "az", "te", "nx", "tw", "dl", "da"}) {
    if (!Take(unary)) continue;
    if (unary[0] == unary[1]) Take('_');
    return kWord + Expression();
  }
  for (const char* binary : {"pl", "mi", "ml", "dv", "rm", "an", "or", "eo", "aS", "pL", "mI", "mL",
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

}  // namespace perf_ts
