#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>

#include "harness/adopt/plugin/changed.h"
#include "harness/cli/asking.h"
#include "harness/core/error.h"
#include "harness/core/gpu.h"
#include "harness/report/out.h"
#include "harness/report/table.h"
#include "harness/system/driver_release.h"
#include "harness/system/machine_state.h"
#include "harness/system/rights.h"
#include "harness/system/walls.h"

// doctor: what is here, what is missing, what then goes unchecked, and the command that mends it.
namespace harness {
namespace {

enum class Health { well, missing, wrong };

constexpr std::size_t kDoctorIndent = 28;  // columns before a finding's text

struct Finding {
  std::string what;
  Health health = Health::well;
  std::string found;
  std::string unchecked;  // what cannot be done or known because of it
  std::string mend;       // a command
};

std::string on_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  if (path == nullptr) return "";
  std::string folders = path;
  for (std::size_t begin = 0; begin <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', begin), folders.size());
    const std::string file = folders.substr(begin, end - begin) + "/" + program;
    if (access(file.c_str(), X_OK) == 0) return file;
    begin = end + 1;
  }
  return "";
}

std::string gigabytes(double bytes) {
  return fmt::format("{:.1f} GB", bytes / 1e9);
}

/// By the magic numbers of statfs(2); the store refuses the network's itself.
std::string file_system_name(long magic) {
  switch (magic) {
    case 0xEF53:
      return "ext4";
    case 0x58465342:
      return "xfs";
    case 0x9123683E:
      return "btrfs";
    case 0x01021994:
      return "tmpfs, which a restart empties";
    case 0x794C7630:
      return "overlayfs, which a container's end empties";
    case 0x6969:
      return "NFS";
    case 0x2FC12FC1:
      return "zfs";
    default:
      return fmt::format("of the kind {:#x}", magic);
  }
}

Finding store_finding(const Shell& shell) {
  const std::string path = shell.store_path();
  const std::string folder = std::filesystem::absolute(path).parent_path().string();
  struct statfs system {};
  std::string where;
  if (statfs(folder.c_str(), &system) == 0)
    where = fmt::format("; file system {}, {} free", file_system_name(static_cast<long>(system.f_type)),
                        gigabytes(static_cast<double>(system.f_bavail) * static_cast<double>(system.f_bsize)));
  std::error_code failed;
  if (!std::filesystem::exists(path, failed)) {
    const bool writable = access(folder.c_str(), W_OK) == 0;
    return {"store", writable ? Health::well : Health::wrong,
            fmt::format("{} is not there yet{}{}", path, writable ? "; the first run makes it" : "", where),
            writable ? "" : "nothing can be recorded in that folder",
            writable ? "" : "harness run ... --db FILE (in a folder that you may write)"};
  }
  try {
    const auto archive = shell.rooms.archive(path, ArchiveAccess::read);
    const RecordSize size = archive->history().size();
    const bool writable = access(path.c_str(), W_OK) == 0 && access(folder.c_str(), W_OK) == 0;
    return {"store", writable ? Health::well : Health::missing,
            fmt::format("{}: {} campaigns, {} iterations{}{}", path, size.campaigns, size.iterations, where,
                        writable ? "" : "; read-only"),
            writable ? "" : "it can be read, and nothing can be added", writable ? "" : "chmod u+w " + path};
  } catch (const Error& error) {
    return {"store", Health::wrong, error.what(), "nothing can be read or recorded",
            "harness export, then --db a new FILE"};
  }
}

/// The whole file, page by page.
/// Who keeps it elsewhere can tell that the record was not made anew.
std::string newest_link(Archive& archive) {
  const std::string head = archive.sessions().chain_head();
  return head.empty() ? "" : "; the newest link of its chain is " + head.substr(0, 16);
}

Finding integrity_finding(const Shell& shell) {
  const std::string path = shell.store_path();
  if (std::error_code none; !std::filesystem::exists(path, none))
    return {"integrity", Health::well, "no store yet", "", ""};
  try {
    const auto archive = shell.rooms.archive(path, ArchiveAccess::read);
    const std::vector<std::string> said = archive->history().integrity();
    return {"integrity", said.empty() ? Health::well : Health::wrong,
            said.empty() ? "every page, index, reference and text of the store is whole" + newest_link(*archive)
                         : fmt::format("{}", fmt::join(said, "; ")),
            said.empty() ? "" : "figures may be wrong",
            said.empty() ? "" : "harness export FILE; harness import FILE --db NEW"};
  } catch (const Error& error) {
    return {"integrity", Health::wrong, error.what(), "figures may be wrong", "restore it from a copy"};
  }
}

Finding device_finding(const DeviceInfo& device) {
  if (device.available)
    return {device.device, Health::well,
            fmt::format("{}, {}, {}{}", device.name, device.architecture,
                        device.driver.empty() ? "no driver needed" : device.driver,
                        device.emulation ? "; it predicts a GPU's times by counting (--emulated: its own times)" : ""),
            "", ""};
  return {device.device, Health::missing,
          device.missing.empty() ? "not available" : fmt::format("{}", fmt::join(device.missing, "; ")),
          device.emulation ? "kernels cannot be tried without a GPU, and candidates for a GPU have no pre-flight"
                           : "nothing is timed on a GPU here",
          device.emulation ? "apt-get install g++" : "install NVIDIA's driver, or go on with the cpu device"};
}

Finding driver_finding() {
  const json release = driver_release();
  if (release.is_string()) return {"driver", Health::well, "release " + release.get<std::string>(), "", ""};
  return {"driver", Health::missing, "no NVIDIA kernel module is loaded", "the driver's release is in no campaign",
          "apt-get install nvidia-driver (on a machine with a GPU)"};
}

/// The compiler for GPUs needs no GPU: it is asked for an architecture that is not here.
Finding offline_compiler_finding(Shell& shell) {
  const auto offline = shell.rooms.offline_device(shell.places(), find_gpu("").architecture);
  if (offline && offline->compiler) return {"NVRTC", Health::well, offline->info.compiler, "", ""};
  return {"NVRTC", Health::missing,
          offline && !offline->info.missing.empty() ? fmt::format("{}", fmt::join(offline->info.missing, "; "))
                                                    : std::string("not found"),
          "no kernel can be compiled for a GPU, not even to look at it", "pip install nvidia-cuda-nvrtc"};
}

Finding program_finding(const std::string& program, const std::string& unchecked, const std::string& mend) {
  std::string path = on_path(program);
  if (path.empty() && access(("/usr/local/cuda/bin/" + program).c_str(), X_OK) == 0)
    path = "/usr/local/cuda/bin/" + program;
  if (!path.empty()) return {program, Health::well, path, "", ""};
  return {program, Health::missing, "not in PATH", unchecked, mend};
}

Finding walls_finding() {
  const Walls walls = walls_here();
  const bool whole = walls.around_files() && walls.filter;
  return {"walls", whole ? Health::well : Health::missing, in_words(walls),
          whole ? "" : "compilers of untrusted source are not confined as they could be",
          whole ? "" : "sysctl kernel.unprivileged_userns_clone=1, or a kernel with Landlock (5.13)"};
}

Finding counter_finding() {
  const Cage cage = cage_here();
  if (cage.counter) return {"time counter", Health::well, "nothing tells native candidates the time", "", ""};
  return {"time counter", Health::missing, describe(cage),
          "a native candidate that jumps into the middle of an instruction may learn the time",
          "a machine, or a setting of this virtual one, that lets the kernel take the counter away"};
}

/// Which way to a profile works. The last way needs no counters, and so proves nothing.
Finding counters_finding(const DeviceInfo& device, const std::vector<ProfileWay>& ways) {
  const std::string what = "counters of " + device.device;
  std::string lacks, mend;
  for (const ProfileWay& way : ways) {
    if (way.missing.empty() && way.source != ProfileSource::binary)
      return {what, Health::well, fmt::format("read through {}{}", name(way.source), lacks.empty() ? "" : "; " + lacks),
              "", ""};
    if (!way.missing.empty())
      lacks += fmt::format("{}no {}: {}", lacks.empty() ? "" : "; ", name(way.source), way.missing);
    if (mend.empty()) mend = way.mend;
  }
  return {what, Health::missing, lacks, "a profile says only what the binary, the launches and the time tell", mend};
}

Finding machine_finding() {
  const MachineState state = machine_state();
  const std::string complaint = complaint_of(state, state, 0);
  return {"machine", complaint.empty() ? Health::well : Health::missing,
          complaint.empty() ? fmt::format("load {:.1f} on {} cores{}", state.load, state.cores,
                                          state.hottest_c > 0 ? fmt::format(", {:.0f} degrees", state.hottest_c) : "")
                            : complaint,
          complaint.empty() ? "" : "times that are taken now are noisier than they need be",
          complaint.empty() ? "" : "top (who works here?), and let the machine rest"};
}

/// What `harness adopt` made a kernel of may have gone on since: adopt notes its place and its hash.
Finding adopted_finding(const std::vector<std::string>& changed) {
  if (changed.empty()) return {"adopted files", Health::well, "none has changed since it was adopted", "", ""};
  return {"adopted files", Health::missing, fmt::format("changed since: {}", fmt::join(changed, ", ")),
          "these kernels are of the text that was adopted", "harness guard --file FILE --base REV, or adopt it again"};
}

/// Plugins that cannot be read, and files that changed since they were adopted.
void add_plugins(Shell& shell, std::vector<Finding>& all) {
  std::size_t kernels = 0;
  std::vector<std::string> broken, changed;
  try {
    const auto catalog = shell.rooms.formula_catalog(shell.places());
    for (const std::string& name : catalog->kernel_names()) {
      ++kernels;
      try {
        catalog->kernel(name);
        const std::optional<AdoptedFrom> from = catalog->plugin(name).adopted();
        const auto source = from ? adopt::changed_source(catalog->plugin(name).folder(), *from) : std::nullopt;
        if (source)
          changed.push_back(fmt::format("{} ({}{})", source->path, name, source->missing ? ", not there" : ""));
      } catch (const Error& error) {
        broken.emplace_back(error.what());
      }
    }
  } catch (const Error& error) {
    all.push_back(
        {"plugins", Health::wrong, error.what(), "no kernel can be run", "harness init, or set HARNESS_HOME"});
    return;
  }
  all.push_back({"plugins", broken.empty() ? Health::well : Health::wrong,
                 broken.empty()
                     ? fmt::format("{} kernels can all be read", kernels)
                     : fmt::format("{} of {} kernels cannot be read: {}", broken.size(), kernels, broken.front()),
                 broken.empty() ? "" : "those kernels are left out", broken.empty() ? "" : "harness check KERNEL"});
  all.push_back(adopted_finding(changed));
}

std::vector<Finding> findings(Shell& shell, bool verify) {
  std::vector<Finding> all;
  all.push_back(store_finding(shell));
  if (verify) all.push_back(integrity_finding(shell));
  add_plugins(shell, all);
  for (const DeviceInfo& device : shell.rooms.devices(shell.places())) all.push_back(device_finding(device));
  all.push_back(driver_finding());
  all.push_back(offline_compiler_finding(shell));
  all.push_back(program_finding("compute-sanitizer", "winners' memory errors and races on a GPU",
                                "apt-get install cuda-sanitizer-13-0, or a CUDA toolkit"));
  all.push_back(program_finding("nvdisasm", "the source policy on machine code (source-policy:sass)",
                                "apt-get install cuda-nvdisasm-13-0, or a CUDA toolkit"));
  all.push_back(
      program_finding("addr2line", "the source line of a crash on the cpu device", "apt-get install binutils"));
  all.push_back(walls_finding());
  all.push_back(counter_finding());
  for (const DeviceInfo& device : shell.rooms.devices(shell.places()))
    if (const auto ways = shell.rooms.profile_ways(device); device.available && !ways.empty())
      all.push_back(counters_finding(device, ways));
  all.push_back(machine_finding());
  return all;
}

const char* word_of(Health health) {
  return health == Health::well ? "ok" : health == Health::missing ? "lacks" : "WRONG";
}

/// One line, and below it what goes unchecked and what mends it; wrapped in the column of its text.
void print_finding(const Finding& finding) {
  const auto width = report::terminal_columns();
  const auto print = [&](const std::string& head, const std::string& text) {
    const std::size_t room = width && *width > kDoctorIndent + 20 ? *width - kDoctorIndent : std::string::npos;
    bool first = true;
    for (const std::string& part : report::pieces(report::clean(text), room)) {
      report::out("%-*s%s\n", static_cast<int>(kDoctorIndent), first ? head.c_str() : "", part.c_str());
      first = false;
    }
  };
  print(fmt::format("{:<8} {:<18} ", word_of(finding.health), finding.what), finding.found);
  if (!finding.unchecked.empty()) print("", "goes unchecked: " + finding.unchecked);
  if (!finding.mend.empty()) print("", "to mend it: " + finding.mend);
}

/// What can be done here, and what not: the sum of the list for who does not want to read it.
void print_abilities(const std::vector<Finding>& all, Shell& shell) {
  const auto well = [&](const char* what) {
    return std::ranges::any_of(all,
                               [&](const Finding& each) { return each.what == what && each.health == Health::well; });
  };
  bool times = false, tries = false;
  for (const DeviceInfo& device : shell.rooms.devices(shell.places())) {
    times = times || (device.available && !device.emulation);
    tries = tries || (device.available && device.emulation);
  }
  std::vector<std::string> can, cannot;
  (tries || times ? can : cannot).emplace_back("check and evaluate kernels");
  (tries ? can : cannot).emplace_back("predict a GPU's times and profile by counting");
  (well("NVRTC") ? can : cannot).emplace_back("compile for GPUs and package winners");
  (times ? can : cannot).emplace_back("time on a GPU");
  report::tell("\nhere you can: %s\n", fmt::format("{}", fmt::join(can, "; ")).c_str());
  if (!cannot.empty()) report::tell("here you cannot: %s\n", fmt::format("{}", fmt::join(cannot, "; ")).c_str());
}

int doctor(Shell& shell, bool verify, bool as_json) {
  const std::vector<Finding> all = findings(shell, verify);
  bool wrong = false;
  json rows = json::array();
  for (const Finding& each : all) {
    wrong = wrong || each.health == Health::wrong;
    const auto or_null = [](const std::string& text) { return text.empty() ? json() : json(text); };
    rows.push_back({{"what", each.what},
                    {"state", each.health == Health::well      ? "ok"
                              : each.health == Health::missing ? "missing"
                                                               : "wrong"},
                    {"found", each.found},
                    {"unchecked", or_null(each.unchecked)},
                    {"mend", or_null(each.mend)}});
    if (as_json) continue;
    print_finding(each);
  }
  if (as_json) report::out_json(rows);
  else print_abilities(all, shell);
  return wrong ? 1 : 0;
}

}  // namespace

void define_doctor(CLI::App& app, Shell& shell, std::function<int()>& action) {
  auto verify = std::make_shared<bool>(false);
  auto as_json = std::make_shared<bool>(false);
  app.add_flag("--verify", *verify, "Read the whole store as well: every page, index and reference");
  app.add_flag("--json", *as_json, "One array of objects: what, state, found, unchecked, mend");
  add_db_option(app, shell);
  add_plugin_options(app, shell);
  action = [verify, as_json, &shell] { return doctor(shell, *verify, *as_json); };
}

}  // namespace harness
