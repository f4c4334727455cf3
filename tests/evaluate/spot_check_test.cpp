#include <catch2/catch.hpp>

#include "harness/evaluate/admission.h"
#include "tests/evaluate/shop.h"

// A trial of a kernel's gates that was made elsewhere is taken over, but for parts that nobody can foresee.
using namespace harness;

namespace {

struct SpotCheck : tests::Shop {
  SpotCheck() : Shop("/tests/hostile") {
    request.kernel = "rowstats";
    request.groups.push_back({realize("rowstats", "00_honest", "m33n257_f32"), {}});
    request.keep = [this](const std::string& part, const json&) { tried.push_back(part); };
  }
  Admission trial() {
    tried.clear();
    const auto no_mutants = [](const EvaluationRequest&) { return Evaluation{}; };
    return AdmissionTrial(request, workers, no_mutants).finish();
  }

  AdmissionRequest request;
  std::vector<std::string> tried;
};

/// Every form with errors `factor` times as large as they were found, also where none was (one-hot rows sum exactly).
AdmissionParts with_errors(AdmissionParts parts, double factor) {
  for (auto& [part, found] : parts)
    if (part.starts_with("form "))
      for (json& range : found["ranges"])
        for (const char* error : {"honest", "impostor"})
          if (range[error].is_number()) range[error] = (range[error].get<double>() + 1e-6) * factor;
  return parts;
}

}  // namespace

TEST_CASE(
    "what was tried elsewhere is taken over but for a form and a group's mutants, and gives the same tolerances") {
  SpotCheck shop;
  const Admission here = shop.trial();
  REQUIRE(here.passed);
  CHECK(here.spot_checked.empty());
  CHECK(shop.tried.size() == here.parts.size());
  REQUIRE(here.parts.size() > 5);

  shop.request.elsewhere = here.parts;
  const Admission checked = shop.trial();
  CHECK(checked.passed);
  CHECK(shop.tried.size() == 2);
  CHECK(checked.spot_checked == shop.tried[0] + "; " + shop.tried[1]);
  CHECK(checked.mutants.size() == here.mutants.size());
  CHECK(checked.tolerances.size() == here.tolerances.size());

  SECTION("a lie about errors is found out, whichever form is drawn") {
    shop.request.elsewhere = with_errors(here.parts, 1e4);
    CHECK_THROWS_AS(shop.trial(), AdmissionDisagrees);
  }
  SECTION("what is damaged or missing is tried here") {
    for (auto& [part, found] : shop.request.elsewhere)
      if (part.starts_with("form ramp")) found = "?";
    shop.request.elsewhere.erase("generated mutants of dtype=f32");
    const Admission mended = shop.trial();
    CHECK(mended.passed);
    CHECK(shop.tried.size() >= 2);
    CHECK(mended.parts.size() == here.parts.size());
  }
}

TEST_CASE("what came with each shipped kernel belongs to its contract, and names every mutant") {
  tests::Shop shop("/kernels");
  for (const std::string& name : shop.catalog.kernel_names()) {
    INFO(name << ": make it anew with: harness check " << name << " --device cpu --keep");
    const AdmissionParts parts = shop.catalog.plugin(name).admitted(shop.device.admission_key);
    CHECK_FALSE(parts.empty());
    for (const VariantInfo& mutant : shop.catalog.kernel(name).mutants) {
      if (!shop.catalog.plugin(name).unsupported_reason(mutant.name, shop.device).empty()) continue;
      CHECK(parts.contains("mutant " + mutant.name + " " + mutant.source_hash.substr(0, 12)));
    }
    CHECK(shop.catalog.plugin(name).admitted("another kind of device").empty());
  }
}
