#pragma once
#include <initializer_list>
#include <string>
#include <string_view>

#include "harness/script/contract/manifest.h"

namespace harness::script {

/// Reads the fields of one table of a manifest; errors name the file, the line and `what` ("input 'x'").
class Reader {
 public:
  Reader(const Manifest& manifest, const Node& node, std::string what)
      : manifest_(manifest), node_(node), what_(std::move(what)) {}

  /// Error on a field that is not among `known` (with the nearest), or on more than `positions` positional values.
  void only(std::initializer_list<std::string_view> known, std::size_t positions = 0) const;

  const Node* find(const std::string& name) const { return node_.find(name); }
  const Node& need(const std::string& name) const;
  /// The positional name that leads a table: input { "x", ... }.
  std::string leading_name() const;

  std::string text(const std::string& name) const;
  std::string text(const std::string& name, const std::string& absent) const;
  bool flag(const std::string& name, bool absent) const;
  std::int64_t whole(const std::string& name, std::int64_t absent) const;
  double number(const std::string& name, double absent) const;
  const FunctionRef* function(const std::string& name) const;
  /// A list of texts; a single text counts as a list of one. Empty if absent.
  std::vector<std::string> texts(const std::string& name) const;

  Error error(const std::string& clause) const;
  /// "input 'x': field 'align' must be a whole number, not true"
  Error wrong(const std::string& name, const std::string& expected) const;

  const Node& node() const { return node_; }
  const Manifest& manifest() const { return manifest_; }
  const std::string& what() const { return what_; }
  int line() const { return node_.line; }

 private:
  const Manifest& manifest_;
  const Node& node_;
  std::string what_;
};

/// "; devices are cpu and cuda" if `device` is none of these kinds; "" if it is one, or if none are known.
std::string not_a_device(const std::string& device, const std::vector<std::string>& kinds);

}  // namespace harness::script
