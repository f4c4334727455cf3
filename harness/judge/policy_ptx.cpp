#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <span>

#include "harness/core/ptx_lexer.h"
#include "harness/judge/policy.h"

// The source policy over what the compiler made: PTX by its tokens, machine code by the words of its disassembly.
namespace harness::judge {
namespace {

enum class Match { whole, begins, numbered, opcode };  // numbered: digits follow; opcode: a modifier follows (".L2")

struct RefusedToken {
  std::string_view category, word, what;
  Match match;
};

constexpr RefusedToken kPtxTokens[] = {
    {"timers", "%clock", "reads a clock", Match::begins},
    {"timers", "%globaltimer", "reads the global timer", Match::begins},
    {"timers", "%pm", "reads a performance counter", Match::numbered},
    {"launch_state", "%gridid", "reads the number of its launch", Match::whole},
    {"launch_state", "%envreg", "reads what the driver passes", Match::begins},
    {"launch_state", "%current_graph_exec", "tells a graph from a plain launch", Match::whole},
    {"eviction_hints", "evict_last", "pins lines in the L2", Match::whole},
    {"eviction_hints", "createpolicy", "makes an L2 eviction policy", Match::whole},
    {"eviction_hints", "applypriority", "sets L2 priorities", Match::whole},
    {"eviction_hints", "cache_hint", "gives an L2 eviction policy", Match::whole},
    {"eviction_hints", "discard", "drops lines of the L2", Match::opcode},
};

// In SASS: special registers, and the eviction priorities of loads and stores (.EL, evict last). ptxas writes none of
// them by itself.
constexpr RefusedToken kSassTokens[] = {
    {"timers", "SR_CLOCK", "reads a clock", Match::begins},
    {"timers", "SR_GLOBALTIMER", "reads the global timer", Match::begins},
    {"timers", "SR_PM", "reads a performance counter", Match::numbered},
    {"launch_state", "SR_GRIDID", "reads the number of its launch", Match::begins},
    {"eviction_hints", "EL", "pins lines in the L2", Match::whole},
};

bool matches(const RefusedToken& refused, std::string_view word) {
  if (refused.match == Match::whole || refused.match == Match::opcode) return word == refused.word;
  if (!word.starts_with(refused.word)) return false;
  return refused.match == Match::begins ||
         (word.size() > refused.word.size() && std::isdigit(static_cast<unsigned char>(word[refused.word.size()])));
}

class TokenSearch {
 public:
  TokenSearch(std::span<const RefusedToken> refused, const std::string& file, std::vector<PolicyFlag>& flags)
      : refused_(refused), file_(file), flags_(flags) {}

  /// What a string holds is looked at as if it were code: an assembler that ends it elsewhere would run it.
  PtxReading search(std::string_view text, PtxReading reading, int first_line = 1, bool inner = false) {
    PtxLexer lexer(text, reading, first_line);
    PtxToken token, before, before_that;
    while (lexer.next(token)) {
      if (pending_ != nullptr && token.text == ".") add(*pending_, pending_line_);
      pending_ = nullptr;
      const bool names_a_file = before.kind == PtxToken::Kind::number && before_that.text == "file";
      if (token.kind == PtxToken::Kind::word) look_at(token);
      else if (token.kind == PtxToken::Kind::text && !inner && !names_a_file) search(token.text, {}, token.line, true);
      before_that = before;
      before = token;
    }
    return lexer.doubts();
  }

 private:
  void look_at(const PtxToken& token) {
    for (const RefusedToken& refused : refused_) {
      if (!matches(refused, token.text)) continue;
      if (refused.match == Match::opcode) pending_ = &refused, pending_line_ = token.line;
      else add(refused, token.line);
    }
  }

  void add(const RefusedToken& refused, int line) {
    const std::string what = fmt::format("{} ({})", refused.what, refused.word);
    const bool flagged_before =
        std::ranges::any_of(flags_, [&](const PolicyFlag& f) { return f.line == line && f.what == what; });
    if (!flagged_before && flags_.size() < kMostFlags)
      flags_.push_back({std::string(refused.category), file_, what, line});
  }

  static constexpr std::size_t kMostFlags = 100;  // of a module full of them: the first ones tell enough
  std::span<const RefusedToken> refused_;
  const std::string& file_;
  std::vector<PolicyFlag>& flags_;
  const RefusedToken* pending_ = nullptr;
  int pending_line_ = 0;
};

std::vector<PolicyFlag> search_all(std::span<const RefusedToken> refused, const std::string& file,
                                   std::string_view text) {
  std::vector<PolicyFlag> flags;
  TokenSearch search(refused, file, flags);
  const PtxReading doubts = search.search(text, {});
  if (doubts.escapes) search.search(text, {true, false});
  if (doubts.multiline) search.search(text, {false, true});
  if (doubts.escapes && doubts.multiline) search.search(text, {true, true});
  std::ranges::stable_sort(flags, {}, &PolicyFlag::line);
  return flags;
}

}  // namespace

std::vector<PolicyFlag> scan_ptx(const std::string& file, std::string_view text) {
  return search_all(kPtxTokens, file, text);
}

std::vector<PolicyFlag> scan_sass(const std::string& file, std::string_view text) {
  return search_all(kSassTokens, file, text);
}

}  // namespace harness::judge
