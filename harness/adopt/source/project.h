#pragma once
#include <filesystem>
#include <vector>

// The files around a file, as its git repository has them.
namespace harness::adopt {

/// Sources below a folder by name, hidden folders left out; none where there are too many to look through.
std::vector<std::filesystem::path> sources_below(const std::filesystem::path& folder);

/// The folders of the file's repository that hold it, the nearest first; none where it lies in no repository.
std::vector<std::filesystem::path> folders_of_project(const std::filesystem::path& file);

}  // namespace harness::adopt
