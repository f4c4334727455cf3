#pragma once
#include <map>
#include <string>
#include <vector>

#include "harness/package/folder/reading.h"

namespace harness::package {

/// The machine code and the PTX that a launcher's NAME_code.cpp holds, by the names of their arrays. Throws
/// Error(bad_input) where the text has anything else than a launcher's: it is compiled into what people load.
std::map<std::string, std::string> images_in(const std::string& code);

/// An image as kernel.json lists it, and the bytes that the package holds for it.
struct HeldImage {
  std::string name, architecture;  // "k_image_0_0"; "sm_90a", "compute_90"
  std::string bytes;
};

/// What launchers of the package hold.
struct HeldImages {
  std::vector<HeldImage> images;
  std::vector<std::string> wrong;  // sentences: what is missing, not listed, or another than is listed
  bool listed = true;              // false: an older program packaged it, which listed no images
};
HeldImages held_images(const PackageFolder& package);

}  // namespace harness::package
