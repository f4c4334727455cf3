#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace harness::adopt {

/// A file of the plugin's folder by its path there.
using PluginFile = std::pair<std::string, std::string>;

/// What the judge compares with, and how much it proves.
struct ChosenReference {
  std::string text;     // reference.cu
  bool wide = false;    // in double; else every argument has its stored type
  bool serial = false;  // one thread does it all
  std::string weak;     // why it proves less than a reference of its own; "" where it does not
  std::string words;    // which it is: "host function layernorm_cpu in double"
  std::map<std::string, std::string> golden = {};  // workload -> folder of recorded inputs and outputs
  std::vector<PluginFile> files = {};              // these arrays
};

}  // namespace harness::adopt
