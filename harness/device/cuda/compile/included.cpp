#include "harness/device/cuda/compile/included.h"

#include <algorithm>
#include <filesystem>

#include "harness/device/port/included.h"

namespace harness::cuda {
namespace {

namespace fs = std::filesystem;

bool holds(const cpp_text::IncludeClosure& closure, const fs::path& file) {
  return std::ranges::any_of(closure.files, [&](const auto& included) { return included.path == file; });
}

/// The sentence to refuse by if the toolkit's definitions give a computed include another meaning; "" if they do not.
std::string refusal_by_toolkit(const cpp_text::IncludeClosure& own, const cpp_text::IncludeClosure& with_toolkit,
                               const std::string& toolkit) {
  for (const std::string& sentence : own.computed)
    if (std::ranges::find(with_toolkit.refused, sentence) != with_toolkit.refused.end()) return sentence;
  std::error_code failed;
  const fs::path real = fs::weakly_canonical(toolkit, failed);
  for (const cpp_text::IncludedFile& file : with_toolkit.files) {
    const fs::path relative = file.path.lexically_relative(real);
    const bool of_toolkit = !relative.empty() && *relative.begin() != "..";
    if (!of_toolkit && !holds(own, file.path)) return own.computed.front();
  }
  return "";
}

}  // namespace

cpp_text::IncludeClosure included_by(const BuildSpec& spec, const std::string& toolkit_include) {
  cpp_text::IncludeClosure own = harness::included_by(spec);
  if (own.computed.empty() || toolkit_include.empty()) return own;
  const cpp_text::IncludeClosure with_toolkit =
      harness::included_by(spec, {toolkit_include, toolkit_include + "/cccl"});
  if (std::string refusal = refusal_by_toolkit(own, with_toolkit, toolkit_include); !refusal.empty())
    own.refused.push_back(std::move(refusal));
  return own;
}

}  // namespace harness::cuda
