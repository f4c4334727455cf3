#include "harness/adopt/source/launch_calls.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "harness/adopt/source/launch.h"
#include "harness/adopt/source/tokens.h"

namespace harness::adopt {
namespace {

/// A call of the runtime that launches, in the function that it stands in.
class LaunchCall {
 public:
  LaunchCall(const Source& source, const SourceText& file, std::size_t at)
      : source_(source), file_(file), tokens_(file.tokens), at_(at), chunk_(file.chunk_at(file.tokens[at].begin)) {}

  /// "kernel<<<grid, block, shared>>>(x, y)"; nothing: not all of it can be read.
  std::optional<std::string> written_out(std::size_t close) const {
    if (chunk_ == nullptr) return std::nullopt;
    const std::vector<Tokens> arguments = split_by_commas(part(tokens_, at_ + 2, close), true);
    return tokens_[at_].is("cudaLaunchKernelEx") ? of_config(arguments) : of_list(arguments);
  }

 private:
  /// "kernel<4>" of `(void*)kernel<4>`; "": no kernel of the files is named there.
  std::string kernel_in(const Tokens& tokens) const {
    for (std::size_t i = 0; i < tokens.size(); ++i)
      for (const Declaration& declaration : source_.parsed.declarations)
        if (declaration.kernel && tokens[i].is(declaration.name)) {
          const bool whole = i + 1 == tokens.size() || (tokens[i + 1].is("<") && tokens.back().is(">"));
          return whole ? file_.text_of(part(tokens, i, tokens.size())) : "";
        }
    return "";
  }

  /// The value of `name` or of `name.member`, where the function gives it one before the call; "": it does not, or
  /// more than one.
  std::string value_of(std::string_view name, std::string_view member) const {
    std::string value;
    for (std::size_t i = 0; i + 3 < at_; ++i) {
      if (tokens_[i].begin < chunk_->begin || !tokens_[i].is(name)) continue;
      if (!tokens_[i + 1].is(".") || !tokens_[i + 2].is(member) || !tokens_[i + 3].is("=")) continue;
      if (!value.empty()) return "";
      value = file_.text_of(part(tokens_, i + 4, end_of_value(tokens_, i + 4)));
    }
    return value;
  }

  bool says(std::string_view name, std::string_view member) const {
    for (std::size_t i = 0; i + 2 < at_; ++i)
      if (tokens_[i].begin >= chunk_->begin && tokens_[i].is(name) && tokens_[i + 1].is(".") &&
          tokens_[i + 2].is(member))
        return true;
    return false;
  }

  std::optional<std::string> of_config(const std::vector<Tokens>& arguments) const {
    if (arguments.size() < 2 || arguments[0].size() != 2 || !arguments[0][0].is("&")) return std::nullopt;
    const std::string_view config = arguments[0][1].text;
    const std::string kernel = kernel_in(arguments[1]), grid = value_of(config, "gridDim"),
                      block = value_of(config, "blockDim"), shared = value_of(config, "dynamicSmemBytes");
    const bool unread = shared.empty() && says(config, "dynamicSmemBytes");
    if (kernel.empty() || grid.empty() || block.empty() || unread || says(config, "attrs")) return std::nullopt;
    std::vector<std::string> passed;
    for (std::size_t i = 2; i < arguments.size(); ++i) passed.push_back(file_.text_of(arguments[i]));
    return fmt::format("{}<<<{}, {}, {}>>>({})", kernel, grid, block, shared.empty() ? "0" : shared,
                       fmt::join(passed, ", "));
  }

  /// The variables of `void* args[] = {&x, (void*)&n}`.
  std::vector<std::string> variables_of(const Tokens& list) const {
    std::vector<std::string> variables;
    for (std::size_t i = 0; list.size() == 1 && i + 4 < at_; ++i) {
      const bool begins = tokens_[i].begin >= chunk_->begin && tokens_[i].is(list[0].text) && tokens_[i + 1].is("[");
      const std::size_t equals = begins ? closing(tokens_, i + 1) + 1 : at_;
      if (equals + 1 >= at_ || !tokens_[equals].is("=") || !tokens_[equals + 1].is("{")) continue;
      variables.clear();
      for (const Tokens& item : split_by_commas(part(tokens_, equals + 2, closing(tokens_, equals + 1)))) {
        if (item.size() < 2 || !item[item.size() - 2].is("&")) return {};
        variables.emplace_back(item.back().text);
      }
    }
    return variables;
  }

  std::optional<std::string> of_list(const std::vector<Tokens>& arguments) const {
    if (arguments.size() < 4) return std::nullopt;
    const std::string kernel = kernel_in(arguments[0]);
    const std::vector<std::string> passed = variables_of(arguments[3]);
    if (kernel.empty() || passed.empty()) return std::nullopt;
    return fmt::format("{}<<<{}, {}, {}>>>({})", kernel, file_.text_of(arguments[1]), file_.text_of(arguments[2]),
                       arguments.size() > 4 ? file_.text_of(arguments[4]) : "0", fmt::join(passed, ", "));
  }

  const Source& source_;
  const SourceText& file_;
  const Tokens& tokens_;
  std::size_t at_;
  const Chunk* chunk_;
};

}  // namespace

std::optional<std::string> with_launch_calls_written_out(const Source& source) {
  const SourceText& file = source.main();
  std::vector<TextEdit> edits;
  for (std::size_t i = 0; i + 1 < file.tokens.size(); ++i) {
    const bool calls = file.tokens[i].is("cudaLaunchKernelEx") || file.tokens[i].is("cudaLaunchKernel");
    if (!calls || !file.tokens[i + 1].is("(")) continue;
    const std::size_t close = closing(file.tokens, i + 1);
    if (close >= file.tokens.size()) continue;
    const auto launch = LaunchCall(source, file, i).written_out(close);
    if (!launch) continue;
    const auto lines = [](std::string_view words) { return std::ranges::count(words, '\n'); };
    const std::size_t begin = file.tokens[i].begin, end = file.tokens[close].end;
    const auto fewer = lines(std::string_view(file.text).substr(begin, end - begin)) - lines(*launch);
    const std::string blank_lines(static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, fewer)), '\n');
    edits.push_back({begin, end, *launch + blank_lines});
  }
  if (edits.empty()) return std::nullopt;
  return edited(file.text, std::move(edits));
}

}  // namespace harness::adopt
