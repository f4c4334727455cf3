#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/archive.h"
#include "harness/core/catalog.h"
#include "harness/core/diagnoser.h"
#include "harness/core/evaluator.h"
#include "harness/core/fleet.h"
#include "harness/core/formula_catalog.h"
#include "harness/core/model.h"
#include "harness/core/page_record.h"
#include "harness/core/playbook.h"
#include "harness/core/profiler.h"
#include "harness/core/proposal.h"
#include "harness/core/strategy.h"
#include "harness/service/places.h"

namespace harness {

/// Which program this is.
struct ProgramVersion {
  std::string number;    // "0.1.0"
  std::string revision;  // of git, with "-dirty" after edits; "unknown" where it was built outside git
};

/// A device that is not here: what is known of its architecture, and what compiles for it, nullptr where that is
/// missing too.
struct OfflineDevice {
  DeviceInfo info;
  std::unique_ptr<Compiler> compiler;
  /// Entry -> the name by which a loader finds it in the artifact.
  std::function<std::map<std::string, std::string>(const Artifact&)> linked_names;
  /// Equal for images that a loader cannot tell apart. Throws Error for bytes that are no image.
  std::function<std::string(std::string_view image)> image_hash;
  /// How a kernel's reference is built. Throws Error(bad_input): its file cannot be read.
  std::function<BuildSpec(const Realized&)> reference_build;
};

class Observer;  // core/observation.h

/// What the commands are made of. composition.cpp fills it with the real classes; a command asks for what it needs, so
/// that `harness --help` opens nothing.
struct Rooms {
  std::function<std::unique_ptr<Catalog>(const Places&)> catalog;
  std::function<std::unique_ptr<FormulaCatalog>(const Places&)> formula_catalog;
  std::function<std::unique_ptr<ScriptLibrary>(const Places&)> scripts;
  /// The published models that are known here, by name.
  std::function<std::vector<Model>(const Places&)> models;
  std::function<std::vector<DeviceInfo>(const Places&)> devices;
  std::string device_words;  // what --device takes
  std::function<std::unique_ptr<Evaluator>(const Places&, const DeviceInfo&, std::optional<double> usd_per_hour,
                                           std::function<bool()> stop)>
      evaluator;
  /// How compilers of untrusted source are confined on this machine, a sentence.
  std::function<std::string()> confinement;
  /// The store at a path; ":memory:" is one that vanishes with the archive.
  std::function<std::unique_ptr<Archive>(const std::string& path, ArchiveAccess access)> archive;
  /// The store at a path for a live page, which only reads.
  std::function<std::unique_ptr<PageRecord>(const std::string& path, SqlReach reach)> page_record;
  /// Nothing: no kind of device has such an architecture.
  std::function<std::optional<OfflineDevice>(const Places&, const std::string& architecture)> offline_device;
  /// A device that sees what a kernel does to memory of unknown size.
  std::function<std::unique_ptr<Observer>(const Places&, std::function<bool()> stop)> observer;
  /// What profiles candidates on a device.
  std::function<std::unique_ptr<Profiler>(const Places&, const DeviceInfo&, std::function<bool()> stop)> profiler;
  std::function<std::unique_ptr<Playbook>(const Places&)> playbook;
  std::function<std::unique_ptr<Diagnoser>(const Places&)> diagnoser;
  /// How a device's counters can be read here, the best way first; empty: it has none.
  std::function<std::vector<ProfileWay>(const DeviceInfo& device)> profile_ways;
  /// Of a SPEC; `variables`: names of environment variables that it gets besides the usual ones.
  std::function<std::unique_ptr<Proposer>(const Places&, const std::string& spec,
                                          const std::vector<std::string>& variables)>
      proposer;
  /// What a million tokens of a SPEC's model cost by the lists of prices; nothing: it is listed nowhere.
  std::function<std::optional<TokenPrice>(const Places&, const std::string& spec)> token_price;
  /// The nodes that a fleet file names (docs/fleet.md). Throws Error(bad_input) with file and line.
  std::function<std::vector<NodeSpec>(const std::string& file)> fleet_file;
  ProgramVersion program;
};

}  // namespace harness
