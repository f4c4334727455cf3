#include "harness/package/resolved.h"

#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/package/inlined.h"
#include "harness/package/launch_list.h"

namespace harness::package {
namespace {

std::string resolved_head(const Realized& realized, const Origin& origin) {
  const BuildSpec& build = realized.build;
  std::string text;
  const auto line = [&text](const std::string& words) { text += comment(words) + '\n'; };
  line(fmt::format("{} {} on {}", realized.problem.kernel, candidate_text(realized.candidate),
                   realized.problem.workload.name));
  line(fmt::format("{}, written by {}", origin.evaluation, origin.program));
  line(fmt::format("contract {}, source {}", origin.contract_hash, realized.source_hash));
  line(fmt::format("compile: {} -cubin FILE.cu", nvcc_command(build.options, origin.architecture)));
  text += "//\n";
  for (const std::string& comment_line : plan_comments(realized)) text += comment_line + '\n';
  return text + '\n';
}

/// Nobody calls a template here, so it is asked for.
std::string instantiations(const BuildSpec& build) {
  std::string text;
  for (const std::string& entry : build.entries)
    if (entry.find('<') != std::string::npos) text += fmt::format("template __global__ decltype({0}) {0};\n", entry);
  return text.empty() ? "" : "\n// What is launched.\n" + text;
}

}  // namespace

std::string candidate_text(const Candidate& candidate) {
  const std::string config = to_text(candidate.config);
  return candidate.variant + (config.empty() ? "" : " " + config);
}

std::string define_lines(const BuildSpec& build) {
  std::string text;
  for (const auto& [name, value] : build.defines)
    text += fmt::format("#ifndef {0}\n#define {0} {1}\n#endif\n", name, value);
  return text;
}

std::string resolved_source(const Realized& realized, const Origin& origin) {
  if (realized.build.entries.empty())
    throw bad_input(
        fmt::format("variant '{}' launches no kernel of its own, only a library's: it has no source to show",
                    realized.candidate.variant));
  std::string text = resolved_head(realized, origin);
  if (const std::string defines = define_lines(realized.build); !defines.empty()) text += defines + '\n';
  return text + inline_headers(realized.build, Outside::stay).text + instantiations(realized.build);
}

}  // namespace harness::package
