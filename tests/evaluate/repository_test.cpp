#include <catch2/catch.hpp>

#include "harness/script/catalog/catalog.h"
#include "tests/script/catalog_folder.h"
#include "tests/support/turns.h"

// Here and not among the tests of the catalog, which run under sanitizers and would take minutes for it.
using namespace harness;
using namespace harness::script;

TEST_CASE("every kernel in the repository loads, realizes everywhere and can be traced") {
  std::size_t turn = 0;
  for (const auto& folder : {kSource / "kernels", kSource / "tests/fixtures/kernels"}) {
    LuaCatalog catalog({folder}, {folder / "include"});
    REQUIRE(catalog.kernel_names().size() >= 5);
    for (const std::string& name : catalog.kernel_names()) {
      for (const DeviceInfo& device : {cpu_device(), cuda_device()}) {
        if (!tests::in_slice(turn++, 3)) continue;
        INFO(name << " on " << device.device);
        REQUIRE(catalog.inspect(name, device) == std::vector<std::string>{});
      }
    }
  }
}
