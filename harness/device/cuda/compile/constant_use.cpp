#include "harness/device/cuda/compile/constant_use.h"

#include <map>
#include <vector>

#include "harness/core/ptx_lexer.h"

namespace harness::cuda {
namespace {

/// What stands between two semicolons, braces or labels.
struct Statement {
  std::vector<PtxToken> tokens;
  int function = 0;  // registers are named anew in each

  bool is_directive() const { return !tokens.empty() && tokens.front().text == "."; }
};

/// A colon ends a label; within an instruction two of them join a modifier's halves.
bool ends_statement(const PtxToken& token, const Statement& so_far) {
  if (token.kind != PtxToken::Kind::mark) return false;
  if (token.text == ":") return so_far.tokens.size() == 1;
  return token.text == ";" || token.text == "{" || token.text == "}";
}

/// Also of text that is no PTX. An initialiser in braces belongs to its directive.
std::vector<Statement> statements_of(std::string_view ptx) {
  std::vector<Statement> statements;
  Statement current;
  int function = 0;
  bool initialising = false;
  int braces = 0;  // of a vector operand: ld.v2.f32 {%f1, %f2}, [%rd1];
  PtxLexer lexer(ptx);
  for (PtxToken token; lexer.next(token);) {
    const bool mark = token.kind == PtxToken::Kind::mark;
    if (mark && token.text == "=") initialising = true;
    if (mark && token.text == "{" && !current.tokens.empty() && !current.is_directive()) ++braces;
    if (braces > 0) {
      braces -= mark && token.text == "}";
      current.tokens.push_back(token);
      continue;
    }
    if (ends_statement(token, current) && !(initialising && token.text != ";")) {
      if (current.is_directive())
        for (const PtxToken& part : current.tokens) function += part.text == "entry" || part.text == "func";
      current.function = function;
      if (!current.tokens.empty()) statements.push_back(std::move(current));
      current = {};
      initialising = false;
      continue;
    }
    current.tokens.push_back(token);
  }
  if (!current.tokens.empty()) statements.push_back(std::move(current));
  return statements;
}

/// An instruction with its operands, each a list of the words in it.
struct Instruction {
  std::string_view opcode;
  std::vector<std::string_view> modifiers;
  std::vector<std::vector<std::string_view>> operands;

  bool has(std::string_view modifier) const {
    for (const std::string_view other : modifiers)
      if (other == modifier) return true;
    return false;
  }
};

Instruction instruction_of(const Statement& statement) {
  Instruction instruction;
  std::size_t at = 0;
  const auto& tokens = statement.tokens;
  if (at < tokens.size() && tokens[at].text == "@") {  // a guard: @p or @!p
    ++at;
    if (at < tokens.size() && tokens[at].text == "!") ++at;
    ++at;
  }
  if (at >= tokens.size() || tokens[at].kind != PtxToken::Kind::word) return instruction;
  instruction.opcode = tokens[at++].text;
  while (at < tokens.size() && (tokens[at].text == "." || tokens[at].text == ":")) {
    if (++at < tokens.size()) instruction.modifiers.push_back(tokens[at++].text);
  }
  int depth = 0;
  instruction.operands.emplace_back();
  for (; at < tokens.size(); ++at) {
    const std::string_view text = tokens[at].text;
    if (tokens[at].kind == PtxToken::Kind::mark) {
      if (text == "(" || text == "[" || text == "{") ++depth;
      if (text == ")" || text == "]" || text == "}") --depth;
      if (text == "," && depth == 0) instruction.operands.emplace_back();
      continue;
    }
    if (tokens[at].kind == PtxToken::Kind::word) instruction.operands.back().push_back(text);
  }
  return instruction;
}

/// Opcodes whose result is an address if one of their sources is.
bool passes_on(std::string_view opcode) {
  for (const std::string_view move : {"mov", "cvta", "add", "sub", "mad", "cvt", "selp"})
    if (opcode == move) return true;
  return false;
}

class Flow {
 public:
  Flow(const std::set<std::string>& variables, std::string_view ptx) : statements_(statements_of(ptx)) {
    for (const std::string& name : variables) left_.insert(name);
    for (const Statement& statement : statements_)
      instructions_.push_back(statement.is_directive() ? Instruction{} : instruction_of(statement));
  }

  std::set<std::string> run() {
    for (const Statement& statement : statements_)
      if (statement.is_directive()) read_directive(statement);
    // Registers may be used above where they are set, in loops.
    do {
      changed_ = false;
      for (std::size_t i = 0; i < instructions_.size(); ++i) read(i);
    } while (changed_);
    return std::move(left_);
  }

 private:
  using Register = std::pair<int, std::string_view>;

  /// Its address in an initialiser is an address that anybody may load.
  void read_directive(const Statement& statement) {
    bool initialiser = false;
    for (const PtxToken& token : statement.tokens) {
      if (token.text == "=") initialiser = true;
      if (initialiser && token.kind == PtxToken::Kind::word) left_.erase(std::string(token.text));
    }
  }

  std::set<std::string> held_by(int function, const std::vector<std::string_view>& operand) const {
    std::set<std::string> held;
    for (const std::string_view word : operand) {
      if (const auto variable = left_.find(std::string(word)); variable != left_.end()) held.insert(*variable);
      if (const auto in_register = holds_.find({function, word}); in_register != holds_.end())
        held.insert(in_register->second.begin(), in_register->second.end());
    }
    return held;
  }

  void escape(const std::set<std::string>& names) {
    for (const std::string& name : names) changed_ = left_.erase(name) > 0 || changed_;
  }

  void hold(int function, const std::vector<std::string_view>& target, const std::set<std::string>& names) {
    for (const std::string_view word : target)
      for (const std::string& name : names)
        if (left_.contains(name)) changed_ = holds_[{function, word}].insert(name).second || changed_;
  }

  /// The arguments of a call are stored before it, in its block.
  bool is_argument_of_print(std::size_t at) const {
    for (std::size_t i = at; i < instructions_.size() && i < at + 32; ++i) {
      if (instructions_[i].opcode != "call") continue;
      for (const auto& operand : instructions_[i].operands)
        for (const std::string_view word : operand)
          if (word == "vprintf" || word == "__assertfail") return true;
      return false;
    }
    return false;
  }

  void read(std::size_t at) {
    const Instruction& instruction = instructions_[at];
    const int function = statements_[at].function;
    const auto& operands = instruction.operands;
    for (std::size_t k = 0; k < operands.size(); ++k) {
      const std::set<std::string> held = held_by(function, operands[k]);
      if (held.empty()) continue;
      const bool source = k > 0;
      if (source && (instruction.opcode == "ld" || instruction.opcode == "ldu")) continue;
      if (source && passes_on(instruction.opcode)) {
        hold(function, operands[0], held);
        continue;
      }
      if (!source && passes_on(instruction.opcode)) continue;  // it is set again
      if (!source && (instruction.opcode == "ld" || instruction.opcode == "ldu")) continue;
      if (source && instruction.opcode == "st" && instruction.has("param") && is_argument_of_print(at)) continue;
      escape(held);
    }
  }

  std::vector<Statement> statements_;
  std::vector<Instruction> instructions_;
  std::set<std::string> left_;
  std::map<Register, std::set<std::string>> holds_;
  bool changed_ = false;
};

}  // namespace

std::set<std::string> only_read(const std::set<std::string>& variables, std::string_view ptx) {
  if (variables.empty()) return {};
  return Flow(variables, ptx).run();
}

}  // namespace harness::cuda
