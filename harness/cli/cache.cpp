#include <fmt/format.h>

#include <memory>

#include "harness/cli/command.h"
#include "harness/report/out.h"
#include "harness/report/wrap.h"
#include "harness/system/cache_limit.h"

// cache: how large the build cache is, and the same with less of it.
namespace harness {
namespace {

struct CacheArguments {
  std::string size;
  bool prune = false, json = false;
};

std::string megabytes(std::uintmax_t bytes) {
  constexpr double kMega = 1024.0 * 1024;
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / kMega);
}

int cache(const CacheArguments& arguments, Shell& shell) {
  const std::string folder = shell.places().cache_folder;
  const std::uintmax_t limit = arguments.size.empty() ? cache_limit() : parse_bytes(arguments.size);
  const CacheUse gone = arguments.prune ? prune_cache(folder, limit) : CacheUse{};
  const CacheUse left = cache_use(folder);
  if (arguments.json) {
    report::out_json({{"folder", folder},
                      {"bytes", left.bytes},
                      {"builds", left.builds},
                      {"limit_bytes", limit},
                      {"removed_bytes", gone.bytes},
                      {"removed_builds", gone.builds}});
    return 0;
  }
  if (arguments.prune) report::tell("removed {} builds, {}\n", gone.builds, megabytes(gone.bytes));
  report::tell("{}: {} builds, {}; the limit is {}\n", folder, left.builds, megabytes(left.bytes), megabytes(limit));
  if (!arguments.prune && left.bytes > limit)
    report::tell("it is over its limit: harness cache --prune removes what was not used for longest\n");
  return 0;
}

}  // namespace

void define_cache(CLI::App& app, Shell& shell, std::function<int()>& action) {
  auto arguments = std::make_shared<CacheArguments>();
  app.add_flag("--prune", arguments->prune,
               "Remove the least recently used builds above the limit; what was used within an hour stays");
  app.add_option("--size", arguments->size, "The limit: 500M, 5G (default: $HARNESS_CACHE_SIZE, else 5G)")
      ->type_name("SIZE");
  app.add_flag("--json", arguments->json, "One JSON object");
  action = [arguments, &shell] { return cache(*arguments, shell); };
}

}  // namespace harness
