#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "harness/core/model.h"

namespace harness::script {

/// What one file of models/ says, run in the sandbox: return model { name = "llama-3.1-8b", ... }. Throws
/// Error(bad_input) that names file and line, also for numbers that contradict each other.
Model model_from(const std::string& text, const std::string& file);

/// All files NAME.lua in these folders, by name. A file takes the place of one of its name in a later folder; a folder
/// that is not there holds nothing. Throws as model_from does, and for a model that is not named as its file.
std::vector<Model> read_models(const std::vector<std::filesystem::path>& folders);

}  // namespace harness::script
