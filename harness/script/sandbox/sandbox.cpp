#include "harness/script/sandbox/sandbox.h"

#include <cstring>

#include "harness/core/error.h"
#include "harness/script/sandbox/state.h"

namespace harness::script {
namespace {

constexpr std::size_t kLongestSource = 256 << 10;  // Lua's parser has no hook: a bounded text takes a bounded time
// The collector sleeps until memory has grown to so many percent: most states are gone before there is much to collect.
constexpr int kGarbagePause = 400;

class CallScope {
 public:
  CallScope(Meter& meter, lua_State* L) : meter_(meter) { begin_call(meter, L); }
  ~CallScope() { end_call(meter_); }
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;

 private:
  Meter& meter_;
};

/// Notes where an error happened while the stack still stands. The error itself stays as it is.
int note_place(lua_State* L) {
  Meter& meter = state_of(L).meter;
  if (!is_limit(L, 1)) locate(L, meter.where, sizeof meter.where);
  return 1;
}

/// Whether `message` already names the file in `where` ("file:line: ").
bool names_file(const std::string& message, const std::string& where) {
  const std::string file = where.substr(0, where.find_last_of(':', where.size() - 3) + 1);
  return message.compare(0, file.size(), file) == 0 || message.find(" " + file) != std::string::npos;
}

std::string without_own_place(const std::string& message) {
  const std::size_t own = std::strlen(kOwnChunk);
  if (message.compare(0, own, kOwnChunk) != 0) return message;
  const std::size_t end = message.find(": ", own);
  return end == std::string::npos ? message : message.substr(end + 2);
}

/// What Lua has and a sandbox has not: who writes `io.open` learns that it is not a slip of the pen.
std::string with_hint(std::string message) {
  for (const char* absent : {"io", "os", "require", "package", "debug", "load", "loadfile", "loadstring", "dofile"})
    if (message.find(std::string("(global '") + absent + "')") != std::string::npos)
      return message + "; the sandbox has no '" + absent +
             "': a script reads what it is handed and what use(\"NAME\") gives it, and nothing else";
  return message;
}

/// The sentence for the error at `index`; raises nothing, so numbers are not converted in place.
std::string sentence_for(lua_State* L, int index, const std::string& chunk_name) {
  const Meter& meter = state_of(L).meter;
  if (is_limit(L, index))
    return (meter.where[0] == '\0' && !chunk_name.empty() ? chunk_name + ": " : "") + limit_sentence(meter);
  std::string message = "the error is a " + std::string(lua_typename(L, lua_type(L, index))) + ", not a sentence";
  if (lua_type(L, index) == LUA_TSTRING) {
    std::size_t size = 0;
    const char* text = lua_tolstring(L, index, &size);
    message = with_hint(without_own_place(std::string(text, size)));
  }
  const std::string where = meter.where;
  if (!where.empty() && !names_file(message, where)) return where + message;
  if (where.empty() && !chunk_name.empty() && message.compare(0, chunk_name.size(), chunk_name) != 0) {
    return chunk_name + ": " + message;
  }
  return message;
}

struct ProtectedBody {
  int (*body)(void*, lua_State*);
  void* data;
  std::exception_ptr thrown;
};

/// The last argument is the ProtectedBody; a C++ exception is kept in it and leaves Lua as an ordinary error.
int run_body(lua_State* L) {
  auto* held = static_cast<ProtectedBody*>(lua_touserdata(L, -1));
  lua_pop(L, 1);
  int results = 0;
  try {
    results = held->body(held->data, L);
  } catch (const std::exception&) {
    held->thrown = std::current_exception();
  }
  if (!held->thrown) return results;
  lua_pushliteral(L, "a C++ exception");
  return lua_error(L);
}

int open_state(lua_State* L) {
  open_sandbox(L);
  return 0;
}

}  // namespace

SandboxState& state_of(lua_State* L) {
  return **static_cast<SandboxState**>(lua_getextraspace(L));
}

Sandbox::Sandbox(Limits limits) : state_(std::make_unique<SandboxState>()) {
  state_->meter.limits = limits;
  lua_ = lua_newstate(allocate, &state_->meter);
  if (lua_ == nullptr) throw environment_error("a Lua state needs more memory than there is; raise its memory limit");
  *static_cast<SandboxState**>(lua_getextraspace(lua_)) = state_.get();
  lua_gc(lua_, LUA_GCINC, kGarbagePause, 0, 0);
  lua_pushcfunction(lua_, open_state);
  try {
    call(0, 0);
  } catch (...) {
    lua_close(lua_);
    throw;
  }
}

Sandbox::~Sandbox() {
  lua_close(lua_);
}

int Sandbox::run(const std::string& text, const std::string& chunk_name) {
  if (text.size() > kLongestSource) {
    throw bad_input(chunk_name + ": is longer than 256 KB; a script may be no longer, split it");
  }
  const CallScope scope(state_->meter, lua_);
  const int base = lua_gettop(lua_);
  const std::string chunk = "@" + chunk_name;
  if (lua_checkstack(lua_, LUA_MINSTACK) == 0) throw bad_input(chunk_name + ": Lua's stack is full");
  state_->meter.where[0] = '\0';
  if (load_text(lua_, text, chunk.c_str()) != LUA_OK) {
    const std::string sentence = sentence_for(lua_, -1, chunk_name);
    lua_settop(lua_, base);
    throw bad_input(sentence);
  }
  checked_call(0, LUA_MULTRET, chunk_name);
  return lua_gettop(lua_) - base;
}

void Sandbox::call(int arguments, int results) {
  checked_call(arguments, results, "");
}

void Sandbox::checked_call(int arguments, int results, const std::string& chunk_name) {
  const CallScope scope(state_->meter, lua_);
  const int function = lua_gettop(lua_) - arguments;
  if (lua_checkstack(lua_, LUA_MINSTACK) == 0) throw bad_input(chunk_name + ": Lua's stack is full");
  state_->meter.where[0] = '\0';
  lua_pushcfunction(lua_, note_place);
  lua_insert(lua_, function);
  const int status = lua_pcall(lua_, arguments, results, function);
  lua_remove(lua_, function);
  if (status == LUA_OK) return;
  const std::string sentence = sentence_for(lua_, -1, chunk_name);
  lua_settop(lua_, function - 1);
  throw bad_input(sentence);
}

bool Sandbox::resume(lua_State* thread, int arguments) {
  const CallScope scope(state_->meter, thread);
  Meter& meter = state_->meter;
  meter.where[0] = '\0';
  int results = 0;
  const int status = lua_resume(thread, lua_, arguments, &results);
  if (status == LUA_OK || status == LUA_YIELD) return status == LUA_YIELD;
  if (!is_limit(thread, -1)) locate(thread, meter.where, sizeof meter.where);  // a dead coroutine keeps its stack
  throw bad_input(sentence_for(thread, -1, ""));
}

void Sandbox::run_protected(int arguments, int results, ErasedBody body, void* data) {
  ProtectedBody held{body, data, nullptr};
  if (lua_checkstack(lua_, LUA_MINSTACK) == 0) throw bad_input("Lua's stack is full");
  lua_pushcfunction(lua_, run_body);
  lua_insert(lua_, lua_gettop(lua_) - arguments);
  lua_pushlightuserdata(lua_, &held);
  try {
    checked_call(arguments + 1, results, "");
  } catch (const Error&) {
    if (!held.thrown) throw;
  }
  if (held.thrown) std::rethrow_exception(held.thrown);
}

void Sandbox::seed(std::uint64_t value) {
  state_->random = Random(value);
}

std::uint64_t Sandbox::random_below(std::uint64_t count) {
  return state_->random.upto(count - 1);
}

std::vector<std::string>& Sandbox::messages() {
  return state_->messages;
}

}  // namespace harness::script
