#pragma once
#include <cstddef>
#include <cstdint>
#include <exception>
#include <lua.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "harness/script/sandbox/limits.h"

// Untrusted Lua. Lua is a C library: its errors are longjmps, so no Lua error may cross a C++ frame that owns something
// and no C++ exception may cross Lua's frames. Everything that may raise therefore runs inside run, call, resume or
// protect; outside of them only calls that cannot raise are made (lua_type, lua_rawgeti, lua_next on a valid key, ...).
namespace harness::script {

struct SandboxState;

/// A fresh Lua state with the safe, deterministic parts of base, math, string, table and utf8: no io, os, debug, load,
/// require, collectgarbage or coroutine; pairs in sorted order; math.random from `seed`; print into `messages`.
class Sandbox {
 public:
  explicit Sandbox(Limits limits = {});
  ~Sandbox();
  Sandbox(const Sandbox&) = delete;
  Sandbox& operator=(const Sandbox&) = delete;

  lua_State* lua() { return lua_; }

  /// Runs a chunk of text (never bytecode), leaves its results on the stack and returns their number. Throws
  /// Error(bad_input) "chunk_name:line: what happened", also for an exceeded limit, and leaves the stack as it was.
  int run(const std::string& text, const std::string& chunk_name);

  /// Calls the function that lies below `arguments` values on the stack; `results` as lua_call. Throws like run.
  void call(int arguments, int results);

  /// Starts or continues a coroutine with the `arguments` on its stack. True: it yielded; false: it ended. Throws like
  /// run; the coroutine is dead then.
  bool resume(lua_State* thread, int arguments);

  /// Runs body(L) with L in protected mode: an error of Lua becomes an Error, a C++ exception comes out as it is. The
  /// body sees a stack of its own with the `arguments` popped from here, and returns how many values it leaves
  /// (`results` as lua_call). While it calls Lua it may own nothing that needs destroying. Not for use inside a
  /// C function that a script called: there Lua's errors simply propagate.
  template <typename Body>
  void protect(int arguments, int results, Body body) {
    static_assert(std::is_trivially_destructible_v<Body>, "capture by reference: a Lua error skips destructors");
    run_protected(
        arguments, results, [](void* data, lua_State* L) { return (*static_cast<Body*>(data))(L); }, &body);
  }

  void seed(std::uint64_t value);
  std::uint64_t random_below(std::uint64_t count);  // from the same sequence as math.random; count > 0

  /// What print said, at most 200 lines of 1000 bytes.
  std::vector<std::string>& messages();

 private:
  using ErasedBody = int (*)(void*, lua_State*);
  void run_protected(int arguments, int results, ErasedBody body, void* data);
  void checked_call(int arguments, int results, const std::string& chunk_name);

  std::unique_ptr<SandboxState> state_;
  lua_State* lua_ = nullptr;
};

/// For C functions that scripts call: counts `steps` of work against the limits and raises a Lua error when they are
/// exceeded, so that loops in C++ are as limited as loops in Lua.
void charge(lua_State* L, std::int64_t steps);

/// Pushes a chunk of text as a function, as luaL_loadbufferx does, and returns what that returns; `chunk` is Lua's name
/// of it ("@file"). A decision runs in a fresh state, so what this process compiled before is only loaded again.
int load_text(lua_State* L, std::string_view text, const char* chunk) noexcept;

/// "file:line: " of the innermost function of a script that is running (never of the sandbox's own Lua code), or "".
/// Pushes it; may raise for lack of memory.
void push_where(lua_State* L);

}  // namespace harness::script
