#include <catch2/catch.hpp>

#include "harness/evaluate/launches.h"
#include "harness/judge/layout.h"
#include "tests/evaluate/shop.h"

// What the judge remembers of the images that it painted, through its process.
using namespace harness;

namespace {

struct Painting : tests::Shop {
  Painting() : Shop("/kernels") {}
  Subject subject() {
    const Realized realized = realize("vector_scale", "00_naive", "odd_n1003_f32");
    Subject subject = workers.make_subject(realized, std::get<Artifact>(workers.await(realized.build)), nullptr);
    subject.trusted = workers.build_trusted(realized);
    return subject;
  }
};

/// Of an image that nobody ran anything on: all but the outputs is as it was drawn.
void check_untouched(Painting& shop, Subject& subject, std::size_t image) {
  const Verdict verdict =
      shop.judge.verdict(subject.executable, subject.trusted, subject.draws[image], subject.images[image]);
  for (const GateResult& gate : verdict.gates) {
    INFO(gate.name << ": " << gate.detail);
    if (gate.name == "guard-zones" || gate.name == "inputs-unchanged") CHECK(gate.passed);
    if (gate.name == "written") CHECK_FALSE(gate.passed);
  }
}

}  // namespace

TEST_CASE("a judge paints again what it no longer remembers, and the same bits") {
  Painting shop;
  Subject subject = shop.subject();
  constexpr std::size_t kMoreThanRemembered = 7;
  for (std::size_t i = 0; i < kMoreThanRemembered; ++i) shop.workers.paint(subject, i);
  for (std::size_t i = 0; i < kMoreThanRemembered; ++i) check_untouched(shop, subject, i);
  check_untouched(shop, subject, 0);
  shop.judge.forget();
  check_untouched(shop, subject, 3);
}

TEST_CASE("one draw in another layout is another image") {
  Painting shop;
  Subject subject = shop.subject(), larger = shop.subject();
  shop.workers.paint(subject, 0);
  larger.executable.plan.workspaces.push_back({"scratch", 100000, 16, false});
  larger.executable.layout = judge::make_layout(larger.executable.problem, larger.executable.plan);
  larger.images.emplace_back(larger.image_bytes());
  larger.draws = subject.draws;
  shop.workers.repaint(larger, 0);
  REQUIRE(larger.image_bytes() > subject.image_bytes());
  check_untouched(shop, larger, 0);
  check_untouched(shop, subject, 0);
}

TEST_CASE("a runner that met no candidate is as good as a new one, and one that did is replaced") {
  Painting shop;
  Subject subject = shop.subject();
  shop.workers.paint(subject, 0);
  shop.runner.start();
  const auto first = shop.runner.process_id();
  shop.runner.renew();
  CHECK(shop.runner.process_id() == first);
  REQUIRE_FALSE(shop.runner.prepare(contenders_of({&subject}), shop.workers.limits.run_s));
  CHECK(shop.runner.process_id() == first);
  shop.runner.renew();
  REQUIRE(shop.runner.process_id());
  CHECK(shop.runner.process_id() != first);
}
