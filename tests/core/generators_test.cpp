#include "harness/core/generators.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

using namespace harness;

namespace {

/// The section "## Generators" of kernels/README.md.
std::string described() {
  std::ifstream in(HARNESS_SOURCE_DIR "/kernels/README.md");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::size_t begin = text.find("\n## Generators\n");
  REQUIRE(begin != std::string::npos);
  return text.substr(begin, text.find("\n## ", begin + 1) - begin);
}

}  // namespace

TEST_CASE("kernels/README.md lists every generator with all its options, and no other") {
  std::set<std::string> listed;
  const std::string section = described();
  const std::regex row("\\| `(\\w+) \\{.*");
  for (auto match = std::sregex_iterator(section.begin(), section.end(), row); match != std::sregex_iterator();
       ++match) {
    const GeneratorKind* kind = find_generator((*match)[1]);
    INFO(match->str());
    REQUIRE(kind != nullptr);
    listed.insert(kind->name);
    for (const ConstructorOption& option : kind->options)
      CHECK(std::regex_search(match->str(), std::regex("[`{ ]" + option.name + "[` ]")));
  }
  CHECK(listed.size() == generator_kinds().size());
}

TEST_CASE("a generator is found by its name") {
  REQUIRE(find_generator("normal") == &generator_kinds().front());
  CHECK(find_generator("gaussian") == nullptr);
  CHECK(generator_names().size() == generator_kinds().size());
}
