#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/admission.h"
#include "harness/core/error.h"
#include "harness/package/folder/reading.h"
#include "harness/service/shell.h"

namespace harness {

/// How two candidates compare on a workload, measured in turns on a device.
struct PairResult {
  std::string workload, candidate, beside;          // texts of the two
  std::string outcome;                              // "passed", "wrong_answer"...; "same code": nothing had to be timed
  std::string detail;                               // what went wrong, a sentence; "" where nothing did
  std::optional<double> ratio, ratio_lo, ratio_hi;  // time of the other over the candidate's: above 1 it is faster
  std::optional<Comparison> verdict;
  bool predicted = false;  // nothing was timed: both were counted, and `ratio` is what a model expects
  std::size_t gates = 0, failed_gates = 0;
  bool right() const { return outcome == "passed" || outcome == "same code"; }
  bool slower() const { return verdict == Comparison::slower; }
};

/// Two things cannot be compared: the contract of one is not that of the other.
class ContractChanged : public Error {
 public:
  explicit ContractChanged(const std::string& sentence) : Error(Kind::bad_input, sentence) {}
};

/// The sources inside of a package, as a catalog.
std::unique_ptr<FormulaCatalog> packaged_catalog(const Shell& shell, const package::PackageFolder& package);

/// The device to judge a package on. Throws Error(environment), which is status 3, where it is not here or is another
/// model than the package was measured on; a package of emulated times is for the emulation, and one of predicted
/// times for an emulation that predicts.
DeviceInfo device_for(const Shell& shell, const package::PackageFolder& package, const std::string& asked);

/// Judges candidates of a kernel on one device. Its processes live as long as it does.
class PackageJudge {
 public:
  /// Of a package.
  PackageJudge(const Shell& shell, const package::PackageFolder& package, const DeviceInfo& device);
  /// Of any catalog.
  PackageJudge(const Shell& shell, std::unique_ptr<FormulaCatalog> catalog, std::string kernel,
               const DeviceInfo& device);
  ~PackageJudge();

  /// `candidate` through all gates of a finalist, then timed beside `other`. The first call tries the gates of the
  /// packaged kernel, and throws Error(bad_input) if they let a mutant pass.
  PairResult judge(Catalog& catalog, const Realized& candidate, const Realized& other);
  FormulaCatalog& catalog() { return *catalog_; }
  /// A candidate of the package on one of its workloads, which becomes one of the catalog's if it is a shape of its
  /// own.
  Realized realize(FormulaCatalog& catalog, const Candidate& candidate, const package::PackagedWorkload& workload);
  const DeviceInfo& device() const { return device_; }

 private:
  void prepare();
  /// What counting expects of it on a device that predicts; nothing where it does not pass.
  std::optional<double> predicted_ns(Catalog& catalog, const Realized& other);

  const Shell& shell_;
  std::string kernel_;
  DeviceInfo device_;
  std::unique_ptr<FormulaCatalog> catalog_;
  std::unique_ptr<Evaluator> evaluator_;
  std::unique_ptr<Archive> archive_;
  std::optional<Admission> admission_;
  std::map<std::string, std::optional<double>> predicted_;
};

json pair_json(const PairResult& result);

}  // namespace harness
