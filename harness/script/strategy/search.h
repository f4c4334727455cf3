#pragma once
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "harness/core/strategy.h"
#include "harness/script/model/surrogate_binding.h"
#include "harness/script/space/search_space.h"
#include "harness/script/strategy/library_host.h"
#include "harness/script/strategy/library_source.h"

namespace harness::script {

/// A search written in Lua (strategies/README.md): a coroutine that yields inside evaluate(config). A configuration
/// that it asks for again is answered from the record and not asked again.
class LuaSearch : public Search {
 public:
  /// Throws Error(bad_input) with file and line when the script does not load.
  LuaSearch(SourceSet sources, const ArmSpace& space, std::uint64_t seed, Limits limits = {});

  ScriptIdentity identity() const override { return identity_; }
  /// Throws Error(bad_input) with file and line when the script fails; it has ended then.
  std::optional<SearchAsk> ask() override;
  /// Only after an ask that was not told yet.
  void tell(const SearchResult& result) override;
  void know(std::vector<EarlierResult> earlier) override { earlier_ = std::move(earlier); }
  bool exact_times() const override { return host_.exact_times(); }
  /// Declared as `several = true`: evaluate() then may return before the result is there.
  bool takes_several() const override { return host_.several(); }
  void put_off() override { put_off_ = true; }
  void tell_late(const SearchAsk& asked, const SearchResult& result) override;
  const std::vector<std::string>& messages() { return host_.sandbox().messages(); }

 private:
  struct Asked {
    std::size_t point = 0;
    std::vector<std::size_t> hints;
  };

  static int evaluate(lua_State* L);
  bool take_ask(lua_State* L, char* refusal, std::size_t size) noexcept;
  void start();
  void proceed();
  SearchAsk described(const Asked& asked) const;

  SourceSet sources_;
  SearchSpace space_;
  std::vector<EarlierResult> earlier_;
  Surrogates models_;  // outlive the script that uses them
  ScriptHost host_;
  ScriptIdentity identity_;
  lua_State* thread_ = nullptr;  // owned by the sandbox
  bool started_ = false, ended_ = false, told_ = false;
  bool put_off_ = false;           // the script goes on without the result of its last ask
  std::set<std::size_t> pending_;  // points that were put off and are not told yet
  std::vector<std::size_t> late_;  // told since the script last ran, in order
  std::optional<Asked> asked_;
  std::unordered_map<std::size_t, SearchResult> record_;
};

}  // namespace harness::script
