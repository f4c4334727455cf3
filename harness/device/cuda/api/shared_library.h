#pragma once
#include <string>
#include <vector>

namespace harness::cuda {

/// A library opened at run time. It is never closed: the CUDA libraries install exit handlers and threads of their
/// own, which must not outlive their code.
class SharedLibrary {
 public:
  /// Opens the first of `candidates` (sonames or absolute paths) that loads. Closed (false) if none does.
  explicit SharedLibrary(const std::vector<std::string>& candidates);

  explicit operator bool() const { return handle_ != nullptr; }
  /// The candidate that loaded.
  const std::string& path() const { return path_; }
  /// The loader's own words about a library that exists and does not load; "" when none was found at all.
  const std::string& reason() const { return reason_; }
  /// Null when the library has no such symbol.
  void* symbol(const char* name) const;

  /// Sets `function` to the symbol, and appends the name to `absent` if the library lacks it.
  template <typename Pointer>
  void resolve(Pointer& function, const char* name, std::vector<std::string>& absent) const {
    function = reinterpret_cast<Pointer>(symbol(name));
    if (!function) absent.push_back(name);
  }

 private:
  void* handle_ = nullptr;
  std::string path_, reason_;
};

}  // namespace harness::cuda
