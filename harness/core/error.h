#pragma once
#include <stdexcept>
#include <string>

namespace harness {

/// Bad input (a person can mend it) or a broken environment. Thrown with one whole sentence that names what was wrong,
/// where, and what to do; caught once, in main, which prints it and exits with `exit_status()`.
/// A failed experiment is never an Error: it is an Outcome and is stored.
class Error : public std::runtime_error {
 public:
  enum class Kind { bad_input, environment };
  Error(Kind kind, const std::string& sentence) : std::runtime_error(sentence), kind_(kind) {}
  Kind kind() const { return kind_; }
  int exit_status() const { return kind_ == Kind::bad_input ? 2 : 3; }

 private:
  Kind kind_;
};

inline Error bad_input(const std::string& sentence) {
  return {Error::Kind::bad_input, sentence};
}
inline Error environment_error(const std::string& sentence) {
  return {Error::Kind::environment, sentence};
}

}  // namespace harness
