#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "harness/script/sandbox/sandbox.h"

namespace harness::script {
namespace {

constexpr std::size_t kMostKept = 256;  // chunks; a campaign has some dozens

int append(lua_State*, const void* bytes, std::size_t size, void* text) noexcept {
  static_cast<std::string*>(text)->append(static_cast<const char*>(bytes), size);
  return 0;
}

}  // namespace

// Lua raises nothing out of lua_load and lua_dump, so owning things here is safe. Parsing may run finalizers under the
// lock; scripts cannot set any, and ours load no text.
int load_text(lua_State* L, std::string_view text, const char* chunk) noexcept {
  static std::mutex mutex;
  static std::map<std::pair<std::string, std::string>, std::string> compiled;  // by chunk and text
  std::pair<std::string, std::string> key(chunk, text);
  const std::scoped_lock lock(mutex);
  if (const auto known = compiled.find(key); known != compiled.end())
    return luaL_loadbufferx(L, known->second.data(), known->second.size(), chunk, "b");
  const int status = luaL_loadbufferx(L, text.data(), text.size(), chunk, "t");
  if (status != LUA_OK) return status;
  if (compiled.size() == kMostKept) compiled.clear();
  std::string bytes;
  if (lua_dump(L, append, &bytes, 0) == 0) compiled.emplace(std::move(key), std::move(bytes));
  return LUA_OK;
}

}  // namespace harness::script
