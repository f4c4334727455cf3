#include "harness/script/strategy/search.h"

#include <cassert>
#include <cstdio>
#include <tuple>

#include "harness/script/space/point_binding.h"
#include "harness/script/strategy/search_binding.h"

namespace harness::script {

LuaSearch::LuaSearch(SourceSet sources, const ArmSpace& space, std::uint64_t seed, Limits limits)
    : sources_(std::move(sources)), space_(space), earlier_(space.earlier), host_(sources_, "search", limits) {
  identity_ = {host_.name(), sources_.hash()};
  host_.sandbox().seed(seed);
}

/// evaluate(config, next): yields until the result is told. Owns nothing: Lua's errors jump over it.
int LuaSearch::evaluate(lua_State* L) {
  auto* search = static_cast<LuaSearch*>(lua_touserdata(L, lua_upvalueindex(1)));
  char refusal[512] = "";
  lua_settop(L, 2);
  if (!search->take_ask(L, refusal, sizeof refusal)) return luaL_error(L, "evaluate: %s", refusal);
  if (search->pending_.contains(search->asked_->point)) {
    search->asked_.reset();
    push_pending(L);
    return 1;
  }
  const auto known = search->record_.find(search->asked_->point);
  if (known == search->record_.end()) return lua_yield(L, 0);
  search->asked_.reset();
  push_result(L, known->second);
  return 1;
}

bool LuaSearch::take_ask(lua_State* L, char* refusal, std::size_t size) noexcept {
  try {
    Asked asked;
    if (!read_point(L, 1, space_, asked.point, refusal, size)) return false;
    for (lua_Integer i = 1; lua_istable(L, 2) && asked.hints.size() < kMostHints; ++i) {
      std::size_t hint = 0;
      const bool more = lua_rawgeti(L, 2, i) != LUA_TNIL;
      const bool valid = more && read_point(L, -1, space_, hint, refusal, size);
      lua_pop(L, 1);
      if (!more) break;
      if (!valid) return false;
      if (!record_.contains(hint) && hint != asked.point) asked.hints.push_back(hint);
    }
    asked_ = std::move(asked);
    return true;
  } catch (const std::exception& error) {
    std::snprintf(refusal, size, "%s", error.what());
    return false;
  }
}

void LuaSearch::start() {
  const json fields = describe_space(space_, earlier_);
  host_.sandbox().protect(0, 0, [this, &fields](lua_State* L) {
    thread_ = lua_newthread(L);
    lua_setfield(L, LUA_REGISTRYINDEX, "harness.search");
    host_.push_entry(L, "run");
    push_space(L, fields, space_, host_.sandbox(), models_);
    lua_pushlightuserdata(L, this);
    lua_pushcclosure(L, evaluate, 1);
    lua_xmove(L, thread_, 4);  // run, declared, space, evaluate
    return 0;
  });
}

/// Runs the script up to its next question or its end.
void LuaSearch::proceed() {
  Sandbox& sandbox = host_.sandbox();
  int arguments = 3;
  if (!started_) {
    start();
  } else {
    const bool pending = !told_;
    if (pending) pending_.insert(asked_->point);
    std::vector<std::pair<std::size_t, const SearchResult*>> late;
    for (const std::size_t point : late_) late.emplace_back(point, &record_.at(point));
    const SearchResult* result = pending ? nullptr : &record_.at(asked_->point);
    std::vector<EarlierResult> heard = result != nullptr ? result->elsewhere : std::vector<EarlierResult>{};
    for (const auto& [point, found] : late) heard.insert(heard.end(), found->elsewhere.begin(), found->elsewhere.end());
    const json elsewhere = describe_earlier(std::move(heard));
    sandbox.protect(0, 1, [this, result, &elsewhere, &late](lua_State* L) {
      if (result != nullptr) push_result(L, *result);
      else push_pending(L);
      push_elsewhere(L, elsewhere);
      push_late(L, space_, late);
      return 1;
    });
    late_.clear();
    lua_xmove(sandbox.lua(), thread_, 1);
    arguments = 1;
  }
  started_ = true;
  told_ = put_off_ = false;
  asked_.reset();
  ended_ = true;  // unless it yields
  ended_ = !sandbox.resume(thread_, arguments);
}

std::optional<SearchAsk> LuaSearch::ask() {
  const bool waits = asked_ && !told_ && !put_off_;
  if (!ended_ && !waits) proceed();
  if (ended_) return std::nullopt;
  return described(*asked_);
}

void LuaSearch::tell(const SearchResult& result) {
  assert(asked_ && !told_);
  record_[asked_->point] = result;
  told_ = true;
}

void LuaSearch::tell_late(const SearchAsk& asked, const SearchResult& result) {
  std::string why;
  const std::size_t point = space_.find(asked.variant, asked.config, why).value();  // it was asked for
  if (asked_ && !told_ && asked_->point == point) return tell(result);              // the script has not gone on yet
  pending_.erase(point);
  record_[point] = result;
  late_.push_back(point);
}

SearchAsk LuaSearch::described(const Asked& asked) const {
  SearchAsk ask;
  std::tie(ask.variant, ask.config) = space_.configuration(asked.point);
  for (const std::size_t hint : asked.hints) ask.hints.push_back(space_.configuration(hint));
  return ask;
}

}  // namespace harness::script
