#pragma once
#include <optional>
#include <string>

#include "harness/script/sandbox/sandbox.h"
#include "harness/script/strategy/library_source.h"

namespace harness::script {

/// A sandbox in which strategies, rules and searches are declared: it adds the globals strategy, rule, search and use,
/// and runs the main source. The SourceSet must outlive it.
class ScriptHost {
 public:
  /// Loads the main source, which has to return a declared `kind` (strategy, rule, search). Throws Error(bad_input).
  ScriptHost(SourceSet& sources, const std::string& kind, Limits limits = {});

  Sandbox& sandbox() { return sandbox_; }
  const std::string& name() const { return name_; }  // declared, or the file's stem
  const std::string& summary() const { return summary_; }
  std::optional<std::int64_t> pattern() const { return pattern_; }  // of a rule: the playbook's page it implements
  bool exact_times() const { return exact_times_; }                 // declared by a search
  bool several() const { return several_; }                         // likewise

  /// Pushes a function of the API (library_api.lua: "decide", "run") and then the declared table. Raises: protected
  /// only.
  void push_entry(lua_State* L, const char* function) const;

 private:
  struct Fetched {
    const Source* source = nullptr;
    char refusal[1024] = "";
  };
  struct FetchedPages {
    const std::vector<Source>* pages = nullptr;
    char refusal[1024] = "";
  };
  static int use(lua_State* L);
  int use_playbook(lua_State* L);
  FetchedPages fetch_pages() noexcept;
  Fetched fetch(const char* name) noexcept;
  void open_api();
  void declare(const std::string& kind);

  SourceSet& sources_;
  Sandbox sandbox_;
  std::string name_, summary_;
  std::optional<std::int64_t> pattern_;
  bool exact_times_ = false, several_ = false;
  bool loading_ = true;
};

}  // namespace harness::script
