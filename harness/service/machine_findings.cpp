#include "harness/service/machine_findings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "harness/adopt/plugin/changed.h"
#include "harness/core/error.h"
#include "harness/core/gpu.h"
#include "harness/system/distribution.h"
#include "harness/system/driver_release.h"
#include "harness/system/machine_state.h"
#include "harness/system/processor.h"
#include "harness/system/rights.h"
#include "harness/system/walls.h"

namespace harness {
namespace {

MachineFinding well(std::string what, std::string found) {
  return {std::move(what), Health::well, std::move(found)};
}
MachineFinding lacks(std::string what, std::string found, std::string unchecked, std::string mend) {
  return {std::move(what), Health::missing, std::move(found), std::move(unchecked), std::move(mend)};
}
MachineFinding wrong(std::string what, std::string found, std::string unchecked, std::string mend) {
  return {std::move(what), Health::wrong, std::move(found), std::move(unchecked), std::move(mend)};
}

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

/// Sentences as one line, whether each ends with a full stop or not.
std::string in_one_line(const std::vector<std::string>& sentences) {
  std::string line;
  for (std::string_view sentence : sentences) {
    if (sentence.ends_with('.')) sentence.remove_suffix(1);
    line += fmt::format("{}{}", line.empty() ? "" : "; ", sentence);
  }
  return line;
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

MachineFinding store_finding(const Shell& shell) {
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
    if (writable) return well("store", fmt::format("{} is not there yet; the first run makes it{}", path, where));
    return wrong("store", fmt::format("{} is not there yet{}", path, where), "nothing can be recorded in that folder",
                 "harness run ... --db FILE (in a folder that you may write)");
  }
  try {
    const auto archive = shell.rooms.archive(path, ArchiveAccess::read);
    const RecordSize size = archive->history().size();
    const bool writable = access(path.c_str(), W_OK) == 0 && access(folder.c_str(), W_OK) == 0;
    const std::string holds =
        fmt::format("{}: {} campaigns, {} iterations{}", path, size.campaigns, size.iterations, where);
    return writable
               ? well("store", holds)
               : lacks("store", holds + "; read-only", "it can be read, and nothing can be added", "chmod u+w " + path);
  } catch (const Error& error) {
    return wrong("store", error.what(), "nothing can be read or recorded", "harness export, then --db a new FILE");
  }
}

/// Who keeps it elsewhere can tell that the record was not made anew.
std::string newest_link(Archive& archive) {
  const std::string head = archive.sessions().chain_head();
  return head.empty() ? "" : "; the newest link of its chain is " + head.substr(0, 16);
}

MachineFinding integrity_finding(const Shell& shell) {
  const std::string path = shell.store_path();
  if (std::error_code none; !std::filesystem::exists(path, none)) return well("integrity", "no store yet");
  try {
    const auto archive = shell.rooms.archive(path, ArchiveAccess::read);
    const std::vector<std::string> faults = archive->history().integrity();
    if (faults.empty())
      return well("integrity", "every page, index, reference and text of the store is whole" + newest_link(*archive));
    return wrong("integrity", fmt::format("{}", fmt::join(faults, "; ")), "figures may be wrong",
                 "harness export FILE; harness import FILE --db NEW");
  } catch (const Error& error) {
    return wrong("integrity", error.what(), "figures may be wrong", "restore it from a copy");
  }
}

MachineFinding device_finding(const DeviceInfo& device) {
  if (device.available)
    return well(
        device.device,
        fmt::format("{}, {}, {}{}", device.name, device.architecture,
                    device.driver.empty() ? "no driver needed" : device.driver,
                    device.emulation ? "; it predicts a GPU's times by counting (--emulated: its own times)" : ""));
  return lacks(device.device, device.missing.empty() ? "not available" : in_one_line(device.missing),
               device.emulation ? "kernels cannot be tried without a GPU, and candidates for a GPU have no pre-flight"
                                : "nothing is timed on a GPU here",
               device.emulation ? gxx_install_command() : "install NVIDIA's driver, or go on with the cpu device");
}

MachineFinding driver_finding() {
  const json release = driver_release();
  if (release.is_string()) return well("driver", "release " + release.get<std::string>());
  return lacks("driver", "no NVIDIA kernel module is loaded", "the driver's release is in no campaign",
               "apt-get install nvidia-driver (on a machine with a GPU)");
}

/// The compiler for GPUs needs no GPU: it is asked for an architecture that is not here.
MachineFinding offline_compiler_finding(Shell& shell) {
  const auto offline = shell.rooms.offline_device(shell.places(), find_gpu("").architecture);
  if (offline && offline->compiler) {
    std::string version = offline->info.compiler;  // a device that is listed says which
    for (const DeviceInfo& device : shell.rooms.devices(shell.places()))
      if (device.compiler.starts_with(version)) version = device.compiler;
    return well("NVRTC", version);
  }
  return lacks("NVRTC", offline && !offline->info.missing.empty() ? in_one_line(offline->info.missing) : "not found",
               "no kernel can be compiled for a GPU, not even to look at it", "pip install nvidia-cuda-nvrtc");
}

MachineFinding program_finding(const std::string& program, const std::string& unchecked, const std::string& mend) {
  const std::string of_toolkit = "/usr/local/cuda/bin/" + program;
  if (const std::string path = on_path(program); !path.empty()) return well(program, path);
  if (access(of_toolkit.c_str(), X_OK) == 0) return well(program, of_toolkit);
  return lacks(program, "not in PATH", unchecked, mend);
}

MachineFinding walls_finding() {
  const Walls walls = walls_here();
  if (walls.around_files() && walls.filter) return well("walls", in_words(walls));
  return lacks("walls", in_words(walls), "compilers of untrusted source are not confined as they could be",
               "sysctl kernel.unprivileged_userns_clone=1, or a kernel with Landlock (5.13)");
}

MachineFinding counter_finding() {
  const Cage cage = cage_here();
  if (cage.counter) return well("time counter", "nothing tells native candidates the time");
  if (kInstructionsCannotOverlap)
    return lacks("time counter", describe(cage), "only the look into its machine code keeps a candidate from the time",
                 "Linux 6.12 or later");
  return lacks("time counter", describe(cage),
               "a native candidate that jumps into the middle of an instruction may learn the time",
               "a machine, or a setting of this virtual one, that lets the kernel take the counter away");
}

/// Which way to a profile works. The last way needs no counters, and so proves nothing.
MachineFinding counters_finding(const DeviceInfo& device, const std::vector<ProfileWay>& ways) {
  const std::string what = "counters of " + device.device;
  std::string missing, mend;
  for (const ProfileWay& way : ways) {
    if (way.missing.empty() && way.source != ProfileSource::binary)
      return well(what, fmt::format("read through {}{}", name(way.source), missing.empty() ? "" : "; " + missing));
    if (!way.missing.empty())
      missing += fmt::format("{}no {}: {}", missing.empty() ? "" : "; ", name(way.source), way.missing);
    if (mend.empty()) mend = way.mend;
  }
  return lacks(what, missing, "a profile says only what the binary, the launches and the time tell", mend);
}

MachineFinding machine_finding() {
  const MachineState state = machine_state();
  if (const std::string complaint = complaint_of(state, state, 0); !complaint.empty())
    return lacks("machine", complaint, "times that are taken now are noisier than they need be",
                 "top (who works here?), and let the machine rest");
  return well("machine", fmt::format("load {:.1f} on {} cores{}", state.load, state.cores,
                                     state.hottest_c > 0 ? fmt::format(", {:.0f} degrees", state.hottest_c) : ""));
}

/// What `harness adopt` made a kernel of may have gone on since: adopt notes its place and its hash.
MachineFinding adopted_finding(const std::vector<std::string>& changed) {
  if (changed.empty()) return well("adopted files", "none has changed since it was adopted");
  return lacks("adopted files", fmt::format("changed since: {}", fmt::join(changed, ", ")),
               "these kernels are of the text that was adopted",
               "harness guard --file FILE --base REV, or adopt it again");
}

/// Plugins that cannot be read, and files that changed since they were adopted.
void add_plugins(Shell& shell, std::vector<MachineFinding>& all) {
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
    all.push_back(wrong("plugins", error.what(), "no kernel can be run", "harness init, or set HARNESS_HOME"));
    return;
  }
  all.push_back(broken.empty()
                    ? well("plugins", fmt::format("{} kernels can all be read", kernels))
                    : wrong("plugins",
                            fmt::format("{} of {} kernels cannot be read: {}", broken.size(), kernels, broken.front()),
                            "those kernels are left out", "harness check KERNEL"));
  all.push_back(adopted_finding(changed));
}

}  // namespace

std::vector<MachineFinding> machine_findings(Shell& shell, bool verify) {
  std::vector<MachineFinding> all;
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

}  // namespace harness
