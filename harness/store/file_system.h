#pragma once
#include <optional>
#include <string>

namespace harness::store {

/// The kind of network file system with this `statfs` magic number ("NFS"), where file locks or shared memory cannot be
/// trusted; nullopt for local ones.
std::optional<std::string> network_file_system(unsigned long magic);
/// The same for the file system that holds `folder`.
std::optional<std::string> network_file_system(const std::string& folder);

/// "file:" and the absolute path, escaped for SQLite's URI form; parameters may follow.
std::string sqlite_uri(const std::string& path);

}  // namespace harness::store
