#include "harness/service/adopt_capture.h"

#include <fmt/format.h>

#include <filesystem>

#include "harness/adopt/plugin/captured.h"
#include "harness/adopt/source/element_type.h"
#include "harness/core/error.h"

namespace harness {

CapturedSource::CapturedSource(const std::string& folder, const std::string& named)
    : launch_(capture::read_launch(folder, {std::filesystem::current_path().string()})) {
  entry = launch_.kernel.entry;
  file = named.empty() ? launch_.kernel.source : named;
  if (file.empty())
    throw bad_input(fmt::format(
        "the source of {} ({}) is nowhere below this folder; name it: harness adopt --from-capture {} FILE.cu",
        launch_.kernel.name, capture::origin_text(launch_.kernel.origin), folder));
  const std::string& name = launch_.kernel.name;
  if (const std::size_t open = name.find('<'); open != std::string::npos) {
    const std::string first = name.substr(open + 1, name.find_first_of(",>", open) - open - 1);
    if (const auto dtype = adopt::dtype_of_type(first)) dtypes.push_back(*dtype);
  }
}

std::string CapturedSource::take(adopt::AdoptedKernel& kernel) {
  std::vector<adopt::CapturedValue> values;
  for (std::size_t i = 0; i < launch_.launch.values.size(); ++i)
    values.push_back({launch_.launch.values[i].bytes, launch_.before[i], launch_.after[i]});
  const std::string folder = arrays_.path("captured_launch");
  std::filesystem::create_directory(folder);
  const adopt::TakenLaunch taken = adopt::take_launch(kernel, values, folder);
  note = taken.note;
  return taken.recorded ? folder : "";
}

}  // namespace harness
