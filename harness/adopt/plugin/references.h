#pragma once
#include <optional>
#include <string>
#include <vector>

#include "harness/adopt/kernel/kernel.h"
#include "harness/adopt/observe/subject.h"
#include "harness/adopt/plugin/plugin_file.h"
#include "harness/adopt/source/slice.h"
#include "harness/core/observation.h"

namespace harness::adopt {

/// Chooses what the judge compares a kernel with: it must compile as device code and agree with the original.
class References {
 public:
  /// All of it must outlive it; the least sizes of `kernel` may be raised.
  References(AdoptedKernel& kernel, const Source& source, const DeviceSource& device, const Subject& subject,
             Observer& observer)
      : kernel_(kernel), source_(source), device_(device), subject_(subject), observer_(observer) {}

  std::string note;  // why it is not a better one, or where it is none

  /// `wanted`: the option --reference; "": the best that the file itself has. Throws Error(bad_input) where what was
  /// wanted does not agree with the kernel.
  ChosenReference choose(const std::string& name);

 private:
  ChosenReference own();
  ChosenReference itself() const;
  ChosenReference from_file(const std::string& path);
  std::optional<ChosenReference> from_host(bool wide_agrees, const std::string& wide);
  std::optional<std::string> host_reference_of(const Source& source, const Declaration& function) const;
  bool has_floating() const;
  std::string inlined(std::string text) const;
  void run_original();
  std::optional<Artifact> built(const std::string& text, bool serial);
  bool agrees(const std::string& text, bool serial);
  bool agrees_at(std::size_t point, const Observation& observed);

  AdoptedKernel& kernel_;
  const Source& source_;
  const DeviceSource& device_;
  const Subject& subject_;
  Observer& observer_;
  std::vector<Values> points_;
  std::vector<Observation> original_;
  std::string why_;  // the last text did not agree
};

}  // namespace harness::adopt
