#include "harness/script/contract/manifest.h"

#include <fmt/format.h>

#include "harness/script/contract/manifest_api.h"
#include "harness/script/sandbox/convert.h"
#include "harness/system/files.h"

namespace harness::script {
namespace {

constexpr Limits kManifestLimits{.memory_bytes = 64 << 20, .seconds = 2, .instructions = 50'000'000};
constexpr std::uintmax_t kLargestFile = 4 << 20;

void push_fact(lua_State* lua, const Fact& fact) {
  if (const auto* value = std::get_if<Value>(&fact)) push_value(lua, *value);
  else push_expression(lua, std::get<ExpressionPtr>(fact));
}

/// A plugin comes from others: its links show nothing of this machine. A folder of a kernel may itself be a link.
bool leads_outside(const std::filesystem::path& file) {
  std::error_code failed;
  if (!std::filesystem::is_symlink(file, failed)) return false;
  const std::filesystem::path target = std::filesystem::canonical(file, failed);
  if (failed) return true;
  const std::filesystem::path home = std::filesystem::canonical(file.parent_path() / "..", failed);
  const std::filesystem::path inside = target.lexically_relative(home);
  return failed || inside.empty() || *inside.begin() == "..";
}

}  // namespace

std::string read_text(const std::filesystem::path& file, const std::string& shown) {
  std::error_code failed;
  if (leads_outside(file))
    throw bad_input(shown + ": is a link to a file outside of its kernels' folder; put a copy in its place");
  const auto bytes = std::filesystem::is_regular_file(file) ? std::filesystem::file_size(file, failed) : 0;
  if (!failed && bytes > kLargestFile) throw bad_input(shown + ": is larger than 4 MiB; plugin files are small texts");
  if (!failed && std::filesystem::exists(file) && !std::filesystem::is_regular_file(file))
    throw bad_input(shown + ": is no plain file (a pipe, a device?); plugin files are texts");
  const std::optional<std::string> text = read_file_if_any(file);
  if (!text && is_out_of_descriptors())
    throw environment_error(shown + ": cannot be opened: this process may have no more open files; raise ulimit -n");
  if (!text) throw bad_input(shown + ": cannot be read; the file must exist and be readable");
  return *text;
}

FactsTable::FactsTable(Manifest& manifest, const char* title, const Facts& facts) : manifest_(manifest) {
  int* const references[] = {&backing_, &view_};
  manifest_.sandbox_.protect(0, 0, [&facts, title, &references](lua_State* lua) {
    lua_newtable(lua);
    for (const auto& [name, fact] : facts) {
      lua_pushlstring(lua, name.data(), name.size());
      push_fact(lua, fact);
      lua_rawset(lua, -3);
    }
    lua_pushvalue(lua, -1);
    *references[0] = luaL_ref(lua, LUA_REGISTRYINDEX);
    push_facts(lua, title);
    *references[1] = luaL_ref(lua, LUA_REGISTRYINDEX);
    return 0;
  });
}

FactsTable::~FactsTable() {
  luaL_unref(manifest_.sandbox_.lua(), LUA_REGISTRYINDEX, view_);
  luaL_unref(manifest_.sandbox_.lua(), LUA_REGISTRYINDEX, backing_);
}

void FactsTable::set(const std::string& name, const Value& value) {
  manifest_.sandbox_.protect(0, 0, [&name, &value, backing = backing_](lua_State* lua) {
    lua_rawgeti(lua, LUA_REGISTRYINDEX, backing);
    lua_pushlstring(lua, name.data(), name.size());
    push_value(lua, value);
    lua_rawset(lua, -3);
    return 0;
  });
}

void FactsTable::unset(const std::string& name) {
  manifest_.sandbox_.protect(0, 0, [&name, backing = backing_](lua_State* lua) {
    lua_rawgeti(lua, LUA_REGISTRYINDEX, backing);
    lua_pushlstring(lua, name.data(), name.size());
    lua_pushnil(lua);
    lua_rawset(lua, -3);
    return 0;
  });
}

template <typename Action>
auto Manifest::located(Action action) {
  const int top = lua_gettop(sandbox_.lua());
  try {
    return action();
  } catch (const UnreadableNode& found) {
    lua_settop(sandbox_.lua(), top);
    throw error(found.line, found.clause + " is not something a manifest can say");
  } catch (const Error& failure) {
    lua_settop(sandbox_.lua(), top);
    const std::string sentence = failure.what();
    const bool placed = sentence.starts_with(chunk_ + ":");
    throw bad_input(shown_ + (placed ? sentence.substr(chunk_.size()) : ": " + sentence));
  }
}

Manifest::Manifest(const std::filesystem::path& file, std::string shown, const std::string& constructor)
    : Manifest(read_text(file, shown), file.filename().string(), shown, constructor) {}

Manifest::Manifest(const std::string& text, std::string chunk, std::string shown, const std::string& constructor)
    : chunk_(std::move(chunk)), shown_(std::move(shown)), sandbox_(kManifestLimits) {
  located([&] {
    sandbox_.protect(0, 0, [](lua_State* lua) { return install_manifest_api(lua); });
    const int results = sandbox_.run(text, chunk_);
    if (results == 1) root_ = read_node(sandbox_.lua(), -1, true);
    lua_pop(sandbox_.lua(), results);
  });
  if (root_.kind != constructor) {
    throw error(root_.line, fmt::format("the file must end with: return {} {{ ... }}", constructor));
  }
}

Error Manifest::error(int line, const std::string& clause) const {
  return bad_input(line > 0 ? fmt::format("{}:{}: {}", shown_, line, clause) : shown_ + ": " + clause);
}

Node Manifest::call(const FunctionRef& function, std::initializer_list<const FactsTable*> arguments) {
  return located([&] {
    lua_State* const lua = sandbox_.lua();
    lua_rawgeti(lua, LUA_REGISTRYINDEX, function.ref);
    for (const FactsTable* facts : arguments) lua_rawgeti(lua, LUA_REGISTRYINDEX, facts->view_);
    sandbox_.call(static_cast<int>(arguments.size()), 1);
    Node result = read_node(lua, -1, false);
    lua_pop(lua, 1);
    if (result.line == 0) result.line = function.line;
    return result;
  });
}

std::vector<PartialAnswer> Manifest::try_calls(const FunctionRef& function, FactsTable& facts,
                                               std::initializer_list<const FactsTable*> others, const std::string& name,
                                               const std::vector<const Value*>& values) {
  std::vector<PartialAnswer> answers(name.empty() ? 1 : values.size());
  located([&] {
    sandbox_.protect(0, 0, [&](lua_State* lua) {
      lua_rawgeti(lua, LUA_REGISTRYINDEX, facts.backing_);
      const int backing = lua_gettop(lua);
      lua_pushlstring(lua, name.data(), name.size());
      forget_wanted_fact(lua, backing);
      for (std::size_t i = 0; i < answers.size(); ++i) {
        if (!name.empty()) {
          lua_pushvalue(lua, backing + 1);
          push_value(lua, *values[i]);
          lua_rawset(lua, backing);
        }
        lua_rawgeti(lua, LUA_REGISTRYINDEX, function.ref);
        lua_rawgeti(lua, LUA_REGISTRYINDEX, facts.view_);
        for (const FactsTable* other : others) lua_rawgeti(lua, LUA_REGISTRYINDEX, other->view_);
        const int status = lua_pcall(lua, static_cast<int>(others.size()) + 1, 1, 0);
        if (const char* wanted = push_wanted_fact(lua, backing)) {
          answers[i].kind = PartialAnswer::Kind::wants;
          answers[i].wanted.assign(wanted);
          forget_wanted_fact(lua, backing);
        } else if (status == LUA_OK && lua_isboolean(lua, -2)) {
          answers[i].kind = lua_toboolean(lua, -2) != 0 ? PartialAnswer::Kind::yes : PartialAnswer::Kind::no;
        }
        lua_settop(lua, backing + 1);
      }
      if (!name.empty()) {
        lua_pushnil(lua);
        lua_rawset(lua, backing);
      }
      return 0;
    });
    return 0;
  });
  return answers;
}

}  // namespace harness::script
