#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "harness/script/sandbox/state.h"

namespace harness::script {
namespace {

constexpr int kHookInterval = 1000;              // instructions between looks at the clock
constexpr std::size_t kClockInterval = 1 << 20;  // allocated bytes between looks at the clock
constexpr std::size_t kStringShare = 16;         // one string may take memory_bytes / 16
constexpr const char* kNoMemory = "not enough memory";

void remember_place(Meter& meter) {
  meter.where[0] = '\0';
  if (meter.running != nullptr) locate(meter.running, meter.where, sizeof meter.where);
}

void trip(Meter& meter, Meter::Trip why) {
  if (meter.trip != Meter::Trip::none) return;
  meter.trip = why;
  remember_place(meter);
}

double thread_cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void look_in(Meter& meter, double seconds) {
  using Clock = std::chrono::steady_clock;
  meter.look_at = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

bool in_time(Meter& meter) {
  if (meter.trip == Meter::Trip::none && std::chrono::steady_clock::now() > meter.look_at) {
    const double left = meter.begun_cpu_s + meter.limits.seconds - thread_cpu_seconds();
    if (left <= 0) trip(meter, Meter::Trip::time);
    else look_in(meter, left);
  }
  return meter.trip == Meter::Trip::none;
}

/// `kind` is the type of a new object, as Lua tells its allocator; -1 when a block grows.
bool may_grow(Meter& meter, int kind, std::size_t held, std::size_t wanted) {
  const bool too_long = kind == LUA_TSTRING && wanted > meter.limits.memory_bytes / kStringShare;
  if (too_long || meter.bytes - held + wanted > meter.limits.memory_bytes) {
    if (!meter.refused_memory) remember_place(meter);
    meter.refused_memory = true;
    return false;
  }
  meter.fresh_bytes += wanted;
  if (meter.fresh_bytes < kClockInterval || meter.depth == 0) return true;
  meter.fresh_bytes = 0;
  return in_time(meter);
}

void on_count(lua_State* L, lua_Debug*) {
  if (spend(state_of(L).meter, kHookInterval)) return;
  lua_sethook(L, on_count, LUA_MASKCOUNT, 1);  // whatever a script does next fails at its first instruction
  raise_limit(L);
}

/// Moves a block between the small ones and the heap, or within one of them. Null where there is no memory.
void* resized(Meter& meter, void* block, std::size_t old_size, std::size_t new_size) noexcept {
  constexpr std::size_t kSmall = SmallBlocks::kLargest;
  if (old_size > kSmall && new_size > kSmall) return std::realloc(block, new_size);
  void* fresh = nullptr;
  if (new_size > 0) fresh = new_size > kSmall ? std::malloc(new_size) : meter.small.allocate(new_size);
  if (block == nullptr || (fresh == nullptr && new_size > 0)) return fresh;
  if (new_size > 0) std::memcpy(fresh, block, std::min(old_size, new_size));
  if (old_size > kSmall) std::free(block);
  else meter.small.deallocate(block, old_size);
  return fresh;
}

}  // namespace

void* allocate(void* data, void* block, std::size_t old_size, std::size_t new_size) {
  Meter& meter = *static_cast<Meter*>(data);
  const std::size_t held = block == nullptr ? 0 : old_size;
  if (new_size == 0) {
    if (block != nullptr) resized(meter, block, held, 0);
    meter.bytes -= held;
    return nullptr;
  }
  const int kind = block == nullptr ? static_cast<int>(old_size) : -1;
  if (new_size > held && !may_grow(meter, kind, held, new_size)) return nullptr;
  void* fresh = resized(meter, block, held, new_size);
  if (fresh != nullptr) meter.bytes = meter.bytes - held + new_size;
  return fresh;
}

bool spend(Meter& meter, std::int64_t steps) {
  if (meter.trip != Meter::Trip::none) return false;
  meter.instructions += steps;
  if (meter.instructions > meter.limits.instructions) trip(meter, Meter::Trip::instructions);
  return in_time(meter);
}

void charge(lua_State* L, std::int64_t steps) {
  if (!spend(state_of(L).meter, steps)) raise_limit(L);
}

void raise_limit(lua_State* L) {
  lua_pushlightuserdata(L, &state_of(L).meter);  // allocates nothing; its text is limit_sentence()
  lua_error(L);
  std::abort();  // lua_error does not return
}

bool is_limit(lua_State* L, int index) {
  Meter& meter = state_of(L).meter;
  if (meter.trip == Meter::Trip::none && meter.refused_memory && lua_type(L, index) == LUA_TSTRING &&
      std::strcmp(lua_tostring(L, index), kNoMemory) == 0) {
    meter.trip = Meter::Trip::memory;
  }
  return meter.trip != Meter::Trip::none;
}

void reraise_limit(lua_State* L) {
  if (is_limit(L, -1)) raise_limit(L);
}

std::string limit_sentence(const Meter& meter) {
  constexpr std::size_t kMegabyte = 1 << 20;
  std::string what = fmt::format("time limit of {:g} s", meter.limits.seconds);
  if (meter.trip == Meter::Trip::instructions)
    what = fmt::format("limit of {} instructions", meter.limits.instructions);
  if (meter.trip == Meter::Trip::memory) {
    what = fmt::format("memory limit of {:g} MB ({:g} MB for one string)",
                       static_cast<double>(meter.limits.memory_bytes) / kMegabyte,
                       static_cast<double>(meter.limits.memory_bytes) / kStringShare / kMegabyte);
  }
  return meter.where + ("exceeded its " + what);
}

void locate(lua_State* L, char* text, std::size_t size) {
  text[0] = '\0';
  lua_Debug frame;
  for (int level = 0; lua_getstack(L, level, &frame) != 0; ++level) {
    lua_getinfo(L, "Sl", &frame);
    if (frame.currentline <= 0 || std::strcmp(frame.short_src, kOwnChunk) == 0) continue;
    std::snprintf(text, size, "%s:%d: ", frame.short_src, frame.currentline);
    return;
  }
}

void push_where(lua_State* L) {
  char text[LUA_IDSIZE + 24];
  locate(L, text, sizeof text);
  lua_pushstring(L, text);
}

void begin_call(Meter& meter, lua_State* L) {
  meter.running = L;
  if (meter.depth++ > 0) return;
  meter.trip = Meter::Trip::none;
  meter.refused_memory = false;
  meter.instructions = 0;
  meter.fresh_bytes = 0;
  meter.begun_cpu_s = thread_cpu_seconds();
  look_in(meter, meter.limits.seconds);
  lua_sethook(L, on_count, LUA_MASKCOUNT, kHookInterval);
}

void end_call(Meter& meter) {
  --meter.depth;
}

}  // namespace harness::script
