#pragma once
#include <chrono>
#include <lua.hpp>
#include <string>
#include <vector>

#include "harness/script/sandbox/limits.h"
#include "harness/script/sandbox/random.h"
#include "harness/script/sandbox/small_blocks.h"

// Inside of the sandbox: what its C functions share. Nothing outside script/sandbox/ includes this.
namespace harness::script {

/// Counts what a script uses. Once `tripped`, every further step fails until the outermost call has ended.
struct Meter {
  enum class Trip { none, memory, time, instructions };

  Limits limits;
  // A state lives for one decision and is made of thousands of small blocks: the heap would be swept for each of them.
  SmallBlocks small;
  std::size_t bytes = 0;          // held by the Lua state
  std::size_t fresh_bytes = 0;    // allocated since the clock was last read
  std::int64_t instructions = 0;  // of the outermost call
  double begun_cpu_s = 0;         // of this thread: a busy machine must not make a script too slow
  std::chrono::steady_clock::time_point
      look_at;    // no sooner can its core time have run out; reading that clock is slow
  int depth = 0;  // of nested calls; the clock runs while > 0
  Trip trip = Trip::none;
  bool refused_memory = false;  // final only if Lua, having collected garbage, gives up
  char where[LUA_IDSIZE + 24] = "";
  lua_State* running = nullptr;
};

struct SandboxState {
  Meter meter;
  Random random;
  std::vector<std::string> messages;
};

/// The chunk name of the sandbox's own Lua code, never shown as the place of an error.
inline constexpr const char* kOwnChunk = "[harness]";

SandboxState& state_of(lua_State* L);

/// False once a limit is exceeded: `steps` of work are counted, and the clock is read.
bool spend(Meter& meter, std::int64_t steps);
/// Raises the limit error, which no script can catch.
[[noreturn]] void raise_limit(lua_State* L);
/// After a protected call that failed with the error on top of the stack: raises again if a limit was the cause.
void reraise_limit(lua_State* L);
/// Sets meter.trip when the error at `index` says that memory was refused; true when any limit has been exceeded.
bool is_limit(lua_State* L, int index);
std::string limit_sentence(const Meter& meter);
/// Writes "file:line: " of the innermost running script function, or "". Allocates nothing and raises nothing.
void locate(lua_State* L, char* text, std::size_t size);

void* allocate(void* meter, void* block, std::size_t old_size, std::size_t new_size);
void begin_call(Meter& meter, lua_State* L);
void end_call(Meter& meter);

/// Replaces the globals by the sandbox's; runs in protected mode.
void open_sandbox(lua_State* L);
void push_base_functions(lua_State* L);    // into the table on top of the stack
void push_string_functions(lua_State* L);  // likewise: find, match, gmatch, gsub, rep, format

}  // namespace harness::script
