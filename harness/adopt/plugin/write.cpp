#include "harness/adopt/plugin/write.h"

#include "harness/adopt/plugin/manifest.h"
#include "harness/adopt/plugin/variant.h"

namespace harness::adopt {

std::vector<PluginFile> plugin_files(const AdoptedKernel& kernel, const DeviceSource& device,
                                     const ChosenReference& reference, const std::string& name, const std::string& file,
                                     const std::string& digest) {
  std::vector<PluginFile> files{{"kernel.lua", kernel_manifest(kernel, device.text, reference, name, file, digest)},
                                {"variants/00_original.lua", variant_manifest(kernel)},
                                {"variants/00_original.cu", device.text},
                                {"reference.cu", reference.text}};
  files.insert(files.end(), reference.files.begin(), reference.files.end());
  return files;
}

}  // namespace harness::adopt
