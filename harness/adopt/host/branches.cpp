#include "harness/adopt/host/branches.h"

#include <algorithm>

namespace harness::adopt {
namespace {

Token sign(std::string_view text) {
  Token token;
  token.text = text;
  return token;
}

void append(Tokens& to, const Tokens& more) {
  to.insert(to.end(), more.begin(), more.end());
}

/// `(value) == (label)`, one behind the other with `||`.
Tokens any_label(const Tokens& value, const std::vector<Tokens>& labels) {
  Tokens condition;
  for (const Tokens& label : labels) {
    if (!condition.empty()) condition.push_back(sign("||"));
    condition.push_back(sign("("));
    append(condition, value);
    append(condition, {sign(")"), sign("=="), sign("(")});
    append(condition, label);
    condition.push_back(sign(")"));
  }
  return condition;
}

/// Goes from the begin of a function's body to a token, and notes what must hold on the way.
class WayTo {
 public:
  WayTo(const HostFunction& function, std::size_t target) : tokens_(function.tokens()), target_(target) {}

  /// False: the token is reached in a way that no conditions say.
  bool through(std::size_t i, std::size_t end) {
    while (i < end) {
      const std::size_t behind = end_of(i, end);
      if (target_ < behind) return into(i, behind);
      if (tokens_[i].is("if")) note_return(i, behind);
      i = behind;
    }
    return true;
  }

  std::vector<Branch> branches;

 private:
  struct If {
    std::size_t open = 0, close = 0, yes_end = 0;  // yes: (close, yes_end)
  };

  If if_at(std::size_t i, std::size_t end) const {
    If parts;
    parts.open = i + 1;
    if (parts.open < end && tokens_[parts.open].is("constexpr")) ++parts.open;
    parts.close = std::min(closing(tokens_, parts.open), end);
    parts.yes_end = end_of(parts.close + 1, end);
    return parts;
  }

  Tokens condition_of(const If& parts) const { return part(tokens_, parts.open + 1, parts.close); }

  /// Behind the statement, the block or the label that begins at `i`.
  std::size_t end_of(std::size_t i, std::size_t end) const {
    if (i >= end) return end;
    if (tokens_[i].kind == Token::Kind::directive) return i + 1;
    if (tokens_[i].is("{")) return std::min(closing(tokens_, i) + 1, end);
    if (tokens_[i].is("if")) {
      const std::size_t yes_end = if_at(i, end).yes_end;
      return yes_end < end && tokens_[yes_end].is("else") ? end_of(yes_end + 1, end) : yes_end;
    }
    const bool controls = tokens_[i].is("for") || tokens_[i].is("while") || tokens_[i].is("switch");
    if (controls && i + 1 < end) return end_of(std::min(closing(tokens_, i + 1), end) + 1, end);
    if (tokens_[i].is("do") || tokens_[i].is("else")) return end_of(i + 1, end);
    const bool label = is_label(i);
    while (i < end && !tokens_[i].is(label ? ":" : ";"))
      i = tokens_[i].is("(") || tokens_[i].is("{") || tokens_[i].is("[") ? closing(tokens_, i) + 1 : i + 1;
    return std::min(i + 1, end);
  }

  bool is_label(std::size_t i) const { return tokens_[i].is("case") || tokens_[i].is("default"); }

  /// Does the statement end the function, or the switch that it stands in?
  bool leaves(std::size_t i, std::size_t end) const {
    if (i >= end) return false;
    if (tokens_[i].is("{")) {
      std::size_t last = i + 1;
      for (std::size_t next = last; next + 1 < end; next = end_of(next, end - 1)) last = next;
      return last + 1 < end && leaves(last, end - 1);
    }
    return tokens_[i].is("return") || tokens_[i].is("throw") || tokens_[i].is("exit") || tokens_[i].is("break");
  }

  /// `if (n == 0) return;` in front of the token.
  void note_return(std::size_t i, std::size_t end) {
    const If parts = if_at(i, end);
    const bool yes = leaves(parts.close + 1, parts.yes_end), no = parts.yes_end < end && leaves(parts.yes_end + 1, end);
    if (yes != no) branches.push_back({condition_of(parts), no, true});
  }

  bool into(std::size_t i, std::size_t end) {
    if (tokens_[i].is("{")) return through(i + 1, end - 1);
    if (tokens_[i].is("for") || tokens_[i].is("while") || tokens_[i].is("do")) return false;
    if (tokens_[i].is("switch")) return into_switch(i, end);
    if (tokens_[i].is("if")) {
      const If parts = if_at(i, end);
      if (target_ <= parts.close) return true;
      const bool yes = target_ < parts.yes_end;
      branches.push_back({condition_of(parts), yes});
      return yes ? into(parts.close + 1, parts.yes_end) : into(parts.yes_end + 1, end);
    }
    for (std::size_t k = i; k < target_; ++k)  // a lambda of a dispatch
      if (tokens_[k].is("{") && closing(tokens_, k) > target_) return through(k + 1, closing(tokens_, k));
    return true;
  }

  bool into_switch(std::size_t i, std::size_t end) {
    const std::size_t close = closing(tokens_, i + 1);
    const Tokens value = part(tokens_, i + 2, close);
    std::vector<Tokens> own, all;  // labels over the statement that is looked at; of the whole switch
    bool is_default = false, behind_label = false, left = true, of_target = false;
    std::size_t target_begin = 0, target_end = 0;
    for (std::size_t at = close + 2; at + 1 < end;) {
      const std::size_t behind = end_of(at, end - 1);
      if (is_label(at)) {
        if (!behind_label && !of_target) {
          if (!left && target_ >= at) return false;
          own.clear();
          is_default = false;
        }
        if (tokens_[at].is("case")) all.push_back(part(tokens_, at + 1, behind - 1));
        if (tokens_[at].is("case") && !of_target) own.push_back(all.back());
        if (tokens_[at].is("default") && !of_target) is_default = true;
        behind_label = true;
      } else {
        if (target_ >= at && target_ < behind) {
          if (!left && !behind_label && own.empty() && !is_default) return false;
          of_target = true;
          target_begin = at;
          target_end = behind;
        }
        left = leaves(at, behind);
        behind_label = false;
      }
      at = behind;
    }
    if (!of_target) return false;
    if (!is_default) branches.push_back({any_label(value, own), true});
    else
      for (const Tokens& label : all)
        if (!is_one_of(label, own)) branches.push_back({any_label(value, {label}), false});
    return into(target_begin, target_end);
  }

  static bool is_one_of(const Tokens& label, const std::vector<Tokens>& labels) {
    return std::ranges::any_of(labels, [&](const Tokens& own) { return own.front().begin == label.front().begin; });
  }

  const Tokens& tokens_;
  std::size_t target_;
};

bool is_comparison(const Formula& formula) {
  return formula.kind == Op::eq || formula.kind == Op::ne || formula.kind == Op::lt || formula.kind == Op::le;
}

/// Numbers that are conditions in C++ become comparisons.
FormulaPtr truth(const FormulaPtr& value) {
  const bool joins = value->kind == Op::all_of || value->kind == Op::any_of;
  if (joins) return formula(value->kind, {truth(value->operands[0]), truth(value->operands[1])});
  if (value->kind == Op::number) return number(value->number != 0);
  const bool is_denied =
      value->kind == Op::eq && value->operands[1]->kind == Op::number && value->operands[1]->number == 0;
  const Op inner = is_denied ? value->operands[0]->kind : Op::symbol;
  if (is_denied && (is_comparison(*value->operands[0]) || inner == Op::all_of || inner == Op::any_of))
    return opposite(value->operands[0]);
  return is_comparison(*value) ? value : formula(Op::ne, {value, number(0)});
}

/// What the kernel is told, what the host's function is, and what its tensors say.
bool is_of_sizes(const Formula& formula, const KernelLaunch& at, const Resolver& resolver) {
  return std::ranges::all_of(symbols_of(formula), [&](const std::string& name) {
    if (name.starts_with("p.") || name.starts_with("sizeof ")) return true;
    if (name.find(".size(") != std::string::npos || name.ends_with(".numel()")) return true;
    const auto own = std::ranges::find(at.kernel.parameters, name, &Parameter::name);
    if (own != at.kernel.parameters.end()) return own->pointee.empty() && (own->whole || own->resolved == "bool");
    const HostFunction::Parameter* const given =
        resolver.function() == nullptr ? nullptr : resolver.function()->parameter(name);
    return given != nullptr && !given->array && given->whole;
  });
}

}  // namespace

std::optional<std::vector<Branch>> branches_over(const HostFunction& function, std::size_t token) {
  WayTo way(function, token);
  if (!way.through(function.body().begin, function.body().end)) return std::nullopt;
  return std::move(way.branches);
}

std::vector<FormulaPtr> parts_of_all(const FormulaPtr& formula) {
  if (formula->kind != Op::all_of) return {formula};
  std::vector<FormulaPtr> parts;
  for (const FormulaPtr& operand : formula->operands)
    for (const FormulaPtr& part : parts_of_all(operand)) parts.push_back(part);
  return parts;
}

FormulaPtr opposite(const FormulaPtr& condition) {
  const FormulaPtr value = truth(condition);
  if (value->kind == Op::number) return number(value->number == 0);
  const FormulaPtr &left = value->operands[0], &right = value->operands[1];
  switch (value->kind) {
    case Op::all_of:
      return formula(Op::any_of, {opposite(left), opposite(right)});
    case Op::any_of:
      return formula(Op::all_of, {opposite(left), opposite(right)});
    case Op::lt:
      return formula(Op::le, {right, left});
    case Op::le:
      return formula(Op::lt, {right, left});
    default:
      return formula(value->kind == Op::eq ? Op::ne : Op::eq, {left, right});
  }
}

FormulaPtr reached(const KernelLaunch& at, const Resolver& resolver) {
  const HostFunction* const function = resolver.function();
  if (function == nullptr) return number(1);
  const auto branches = branches_over(*function, at.launch->token);
  if (!branches) return nullptr;
  FormulaPtr all = number(1);
  for (const Branch& branch : *branches) {
    const FormulaPtr read = resolver.read(branch.condition);
    const bool of_sizes = read && is_whole(*read) && is_of_sizes(*read, at, resolver);
    if (!of_sizes && branch.returns) continue;
    if (!of_sizes) return nullptr;
    const FormulaPtr one = branch.holds ? truth(read) : opposite(read);
    if (one->kind == Op::number && one->number == 0) return one;
    if (one->kind == Op::number) continue;
    all = all->kind == Op::number && all->number != 0 ? one : formula(Op::all_of, {all, one});
  }
  return all;
}

}  // namespace harness::adopt
