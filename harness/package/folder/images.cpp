#include "harness/package/folder/images.h"

#include <fmt/format.h>

#include <set>
#include <string_view>

#include "harness/core/error.h"
#include "harness/core/hash.h"
#include "harness/package/launcher/launcher.h"
#include "harness/system/files.h"

namespace harness::package {
namespace {

bool is_octal(char c) {
  return c >= '0' && c <= '7';
}

/// Appends what one line of an array says, `    "\177\105"`. False: it says anything else.
bool append_literal(std::string_view line, std::string& bytes) {
  if (!line.starts_with("    \"") || !line.ends_with('"') || line.size() < 6 || (line.size() - 6) % 4 != 0)
    return false;
  for (std::string_view left = line.substr(5, line.size() - 6); !left.empty(); left.remove_prefix(4)) {
    if (left[0] != '\\' || left[1] > '3' || !is_octal(left[1]) || !is_octal(left[2]) || !is_octal(left[3]))
      return false;
    bytes += static_cast<char>((left[1] - '0') << 6 | (left[2] - '0') << 3 | (left[3] - '0'));
  }
  return true;
}

/// The array's name of `alignas(64) const unsigned char NAME[] =  // sm_90a, 9 bytes`; "" of any other line.
std::string array_name(std::string_view line) {
  constexpr std::string_view kBefore = "alignas(64) const unsigned char ", kBehind = "[] =  // ";
  const std::size_t end = line.find(kBehind);
  if (!line.starts_with(kBefore) || end == std::string_view::npos || line.ends_with('\\')) return "";
  const std::string_view name = line.substr(kBefore.size(), end - kBefore.size());
  const bool plain = name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
                     std::string_view::npos;
  return plain ? std::string(name) : "";
}

void hold(HeldImages& held, std::map<std::string, std::string>& images, const json& listed) {
  if (!listed.contains("image") || !listed.contains("sha256")) {
    held.listed = false;
    return;
  }
  const std::string name = listed.at("image");
  const auto image = images.find(name);
  if (image == images.end()) {
    held.wrong.push_back(fmt::format("the package holds no image {}, which kernel.json lists", name));
    return;
  }
  if (sha256_hex(image->second) != listed.at("sha256"))
    held.wrong.push_back(fmt::format("the image {} is another than kernel.json lists", name));
  held.images.push_back({name, listed.at("architecture"), std::move(image->second)});
  images.erase(image);
}

}  // namespace

std::map<std::string, std::string> images_in(const std::string& code) {
  std::map<std::string, std::string> images;
  std::string* open = nullptr;
  std::size_t number = 0;
  const auto refuse = [&] {
    return bad_input(
        fmt::format("line {} of the launcher's code is no image and was not written by harness package", number));
  };
  for (std::size_t begin = 0; begin < code.size();) {
    const std::size_t end = std::min(code.find('\n', begin), code.size());
    const std::string_view line(code.data() + begin, end - begin);
    begin = end + 1;
    ++number;
    if (open == nullptr && number == 1 && line.starts_with("#include \"") && line.ends_with("_code.h\"")) continue;
    if (open == nullptr && line.empty()) continue;
    if (open != nullptr && line == ";") {
      open = nullptr;
    } else if (open != nullptr) {
      if (!append_literal(line, *open)) throw refuse();
    } else {
      const std::string name = array_name(line);
      if (name.empty() || images.contains(name)) throw refuse();
      open = &images[name];
    }
  }
  if (open != nullptr) throw refuse();
  return images;
}

HeldImages held_images(const PackageFolder& package) {
  HeldImages held;
  const std::string path = "src/" + launcher_name(package.kernel) + "_code.cpp";
  try {
    auto images = images_in(read_file(package.folder + "/" + path, Error::Kind::bad_input));
    for (const json& module : package.description.at("modules"))
      for (const char* kind : {"code", "ptx"})
        for (const json& listed : module.value(kind, json::array())) hold(held, images, listed);
    if (held.listed)
      for (const auto& [name, bytes] : images)
        held.wrong.push_back(fmt::format("the package holds an image {}, which kernel.json does not list", name));
  } catch (const Error& why) {
    held.wrong.push_back(fmt::format("{}: {}", path, why.what()));
  }
  return held;
}

}  // namespace harness::package
