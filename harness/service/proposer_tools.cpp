#include "harness/service/proposer_tools.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <filesystem>

#include "harness/core/json.h"

namespace harness {
namespace {

// Of the campaign's budget, for each proposer; and where that has none, seconds.
constexpr double kToolsShare = 0.1, kToolsS = 300;

}  // namespace

std::string tools_variable(const AskedProposer& proposer, std::optional<double> budget_s, const std::string& device,
                           const Places& places, const Shell& shell) {
  std::error_code failed;
  const double seconds = budget_s ? std::max(1.0, kToolsShare * *budget_s) : kToolsS;
  std::string name = proposer_name(proposer.spec);
  name = name.substr(0, name.find(' '));
  // The program finds its folders by these: a proposer gets none of the variables that harness itself got.
  std::vector<std::string> words{"env",
                                 "HARNESS_HOME=" + places.home,
                                 "HARNESS_CACHE=" + places.cache_folder,
                                 std::filesystem::read_symlink("/proc/self/exe", failed).string(),
                                 "mcp",
                                 "--session",
                                 fmt::format("proposer {} {}-{}", name, std::time(nullptr), getpid()),
                                 "--budget",
                                 fmt::format("{:.0f}s", seconds),
                                 "--device",
                                 device,
                                 "--db",
                                 std::filesystem::absolute(shell.store_path(), failed).string(),
                                 "--policy",
                                 shell.policy};
  for (const std::string& folder : shell.more_kernels) words.insert(words.end(), {"--kernels", folder});
  for (const std::string& folder : shell.more_strategies) words.insert(words.end(), {"--strategies", folder});
  if (shell.trust_source) words.emplace_back("--trust-source");
  if (shell.no_preflight) words.emplace_back("--no-preflight");
  return "HARNESS_TOOLS=" + json_text(words);
}

}  // namespace harness
