// As much of PyTorch's stable C interface as a package's operator asks for, without PyTorch: tensors have no elements,
// only an address. Errors are thrown through the operator's frames, as PyTorch does.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct Tensor {
  int32_t type, device_type, device;
  std::vector<int64_t> sizes, strides;
  void* data;
};
using Boxed = void (*)(uint64_t*, uint64_t, uint64_t);
struct Library {
  std::string space;
};

std::map<std::string, Boxed>& operators() {
  static std::map<std::string, Boxed> all;
  return all;
}
int64_t living = 0;
uint64_t next_address = 1ull << 44;
std::string last_error;

Tensor* made(int32_t type, int32_t device_type, int32_t device, int64_t rank, const int64_t* sizes,
             const int64_t* strides, void* data) {
  ++living;
  return new Tensor{type, device_type, device, {sizes, sizes + rank}, {strides, strides + rank}, data};
}

}  // namespace

extern "C" {

uint64_t aoti_torch_abi_version() {
  const char* const minor = std::getenv("FAKE_TORCH_MINOR");
  return (uint64_t)2 << 56 | (uint64_t)(minor != nullptr ? std::atoi(minor) : 11) << 48;
}
void aoti_torch_check(bool holds, const char*, const char*, uint32_t, const char* message) {
  if (!holds) throw std::runtime_error(message);
}
int32_t aoti_torch_library_init_impl(const char* space, const char*, const char*, uint32_t, Library** library) {
  *library = new Library{space};
  return 0;
}
int32_t torch_library_impl(Library* library, const char* name, Boxed function, uint64_t) {
  operators()[library->space + "::" + name] = function;
  return 0;
}
int32_t aoti_torch_device_type_cuda() {
  return 1;
}
int32_t aoti_torch_get_device_type(Tensor* t, int32_t* to) {
  return *to = t->device_type, 0;
}
int32_t aoti_torch_get_device_index(Tensor* t, int32_t* to) {
  return *to = t->device, 0;
}
int32_t aoti_torch_get_dtype(Tensor* t, int32_t* to) {
  return *to = t->type, 0;
}
int32_t aoti_torch_get_dim(Tensor* t, int64_t* to) {
  return *to = (int64_t)t->sizes.size(), 0;
}
int32_t aoti_torch_get_sizes(Tensor* t, int64_t** to) {
  return *to = t->sizes.data(), 0;
}
int32_t aoti_torch_get_strides(Tensor* t, int64_t** to) {
  return *to = t->strides.data(), 0;
}
int32_t aoti_torch_get_data_ptr(Tensor* t, void** to) {
  return *to = t->data, 0;
}
int32_t aoti_torch_empty_strided(int64_t rank, const int64_t* sizes, const int64_t* strides, int32_t type,
                                 int32_t device_type, int32_t device, Tensor** to) {
  next_address += 1ull << 32;
  *to = made(type, device_type, device, rank, sizes, strides, (void*)next_address);
  return 0;
}
int32_t aoti_torch_delete_tensor_object(Tensor* t) {
  --living;
  delete t;
  return 0;
}
int32_t aoti_torch_create_cuda_guard(int32_t, void** guard) {
  ++living;
  *guard = &living;
  return 0;
}
int32_t aoti_torch_delete_cuda_guard(void*) {
  --living;
  return 0;
}
int32_t aoti_torch_get_current_cuda_stream(int32_t, void** stream) {
  return *stream = (void*)0x5000, 0;
}
#define TYPE(name, number)            \
  int32_t aoti_torch_dtype_##name() { \
    return number;                    \
  }
TYPE(uint8, 0)
TYPE(int8, 1)
TYPE(int16, 2)
TYPE(int32, 3)
TYPE(int64, 4)
TYPE(float16, 5)
TYPE(float32, 6)
TYPE(float64, 7)
TYPE(bool, 11)
TYPE(bfloat16, 15)
TYPE(float8_e5m2, 23)
TYPE(float8_e4m3fn, 24)
TYPE(uint16, 27)
TYPE(uint32, 28)
TYPE(uint64, 29)
#undef TYPE

// What a program over this fake needs.

void* fake_tensor(int32_t type, int32_t device_type, int64_t rank, const int64_t* sizes, const int64_t* strides,
                  uint64_t data) {
  return made(type, device_type, 0, rank, sizes, strides, (void*)data);
}
int fake_has(const char* name) {
  return operators().count(name) != 0;
}
/// NULL: done, and the results are on the stack; else the message of what was thrown.
const char* fake_call(const char* name, uint64_t* stack, uint64_t arguments, uint64_t results) {
  try {
    operators().at(name)(stack, arguments, results);
    return nullptr;
  } catch (const std::exception& why) {
    last_error = why.what();
    return last_error.c_str();
  }
}
/// Nanoseconds of a call on these arguments, the first `tensors` of which are tensors: the least of five rounds.
double fake_times(const char* name, const uint64_t* given, int64_t tensors, int64_t arguments, int64_t results,
                  int64_t calls) {
  const Boxed function = operators().at(name);
  double best = 1e30;
  for (int round = 0; round < 5; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    for (int64_t i = 0; i < calls / 5; ++i) {
      uint64_t stack[32];
      for (int64_t place = 0; place < arguments; ++place) {
        stack[place] = given[place];
        if (place >= tensors) continue;
        ++living;
        stack[place] = (uint64_t) new Tensor(*(const Tensor*)given[place]);
      }
      function(stack, (uint64_t)arguments, (uint64_t)results);
      for (int64_t place = 0; place < results; ++place) aoti_torch_delete_tensor_object((Tensor*)stack[place]);
    }
    const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - begin;
    best = std::min(best, spent.count() / (double)(calls / 5));
  }
  return best;
}
int64_t fake_living() {
  return living;
}

}  // extern "C"
