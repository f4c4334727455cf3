#include "harness/core/catalog.h"

namespace harness {

Config configuration(const Space& space, std::size_t point) {
  Config config;
  const auto& indices = space.points.at(point);
  for (std::size_t p = 0; p < indices.size(); ++p)
    config[space.parameters[p].name] = space.parameters[p].values[indices[p]];
  return config;
}

}  // namespace harness
