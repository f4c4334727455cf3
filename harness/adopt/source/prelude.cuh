// What a CUDA source finds declared when adopt looks at its signatures. Bodies are not judged here: only types that can
// stand in a signature, and words that a declaration needs, have to be known.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __constant__ __attribute__((constant))
#define __shared__ __attribute__((shared))
#define __managed__ __attribute__((device))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __maxnreg__(...)
#define __grid_constant__
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __restrict__ __restrict
#define PYBIND11_MODULE(name, variable) static void harness_module_##name(int)
#define TORCH_LIBRARY(name, variable) static void harness_library_##name(int)
#define TORCH_LIBRARY_IMPL(name, key, variable) static void harness_library_##name##_##key(int)
#define TORCH_LIBRARY_FRAGMENT(name, variable) static void harness_fragment_##name(int)
#define C10_LAUNCH_BOUNDS_1(...)
#define C10_LAUNCH_BOUNDS_2(...)
#define C10_RESTRICT __restrict
#define C10_HOST_DEVICE __host__ __device__
#define C10_DEVICE __device__
#define C10_HOST __host__
#define TORCH_API
typedef unsigned long size_t;
typedef long ptrdiff_t;
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long uint64_t;
typedef unsigned long uintptr_t;
typedef long intptr_t;
typedef unsigned int uint;
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned long ulong;
typedef unsigned char u_char;
typedef unsigned short u_short;
typedef unsigned int u_int;
typedef unsigned long u_long;
#define HARNESS_VECTORS(T, name) \
  struct name##1 { T x; };       \
  struct name##2 { T x, y; };    \
  struct name##3 { T x, y, z; }; \
  struct name##4 { T x, y, z, w; };
HARNESS_VECTORS(char, char)
HARNESS_VECTORS(unsigned char, uchar)
HARNESS_VECTORS(short, short)
HARNESS_VECTORS(unsigned short, ushort)
HARNESS_VECTORS(int, int)
HARNESS_VECTORS(unsigned, uint)
HARNESS_VECTORS(long, long)
HARNESS_VECTORS(unsigned long, ulong)
HARNESS_VECTORS(long long, longlong)
HARNESS_VECTORS(unsigned long long, ulonglong)
HARNESS_VECTORS(float, float)
HARNESS_VECTORS(double, double)
struct dim3 { unsigned x, y, z; __host__ __device__ constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {} };
extern const __device__ uint3 threadIdx, blockIdx;
extern const __device__ dim3 blockDim, gridDim;
constexpr int warpSize = 32;
struct __half { unsigned short bits; };
struct __half2 { __half x, y; };
struct __nv_bfloat16 { unsigned short bits; };
struct __nv_bfloat162 { __nv_bfloat16 x, y; };
struct __nv_fp8_e4m3 { unsigned char bits; };
struct __nv_fp8_e5m2 { unsigned char bits; };
typedef __half half;
typedef __half2 half2;
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
typedef struct CUstream_st* cudaStream_t;
typedef struct CUevent_st* cudaEvent_t;
typedef int cudaError_t;
typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
struct cudaDeviceProp {};
struct curandStatePhilox4_32_10 {};
typedef float2 cuFloatComplex;
typedef float2 cuComplex;
typedef double2 cuDoubleComplex;
typedef struct _IO_FILE FILE;
extern __host__ __device__ int cudaConfigureCall(dim3, dim3, size_t = 0, cudaStream_t = 0);
extern "C" __host__ __device__ unsigned __cudaPushCallConfiguration(dim3, dim3, size_t = 0, cudaStream_t = 0);
extern "C" __host__ __device__ int printf(const char*, ...);
namespace std {
using ::size_t; using ::ptrdiff_t; using ::int8_t; using ::int16_t; using ::int32_t; using ::int64_t;
using ::uint8_t; using ::uint16_t; using ::uint32_t; using ::uint64_t; using ::uintptr_t; using ::intptr_t;
template <class T> struct allocator {};
template <class T, class A = allocator<T>> class vector {};
template <class T, size_t N> struct array { T items[N]; };
template <class T> class basic_string {};
template <class... T> class tuple {};
template <class A, class B> struct pair { A first; B second; };
template <class T> class optional {};
template <class T> class function {};
template <class T> class unique_ptr {};
template <class T> class shared_ptr {};
typedef basic_string<char> string;
template <bool B, class T = void> struct enable_if {};
template <class T> struct enable_if<true, T> { typedef T type; };
template <bool B, class T = void> using enable_if_t = typename enable_if<B, T>::type;
template <class A, class B> struct is_same { static constexpr bool value = false; };
template <class A> struct is_same<A, A> { static constexpr bool value = true; };
template <class A, class B> inline constexpr bool is_same_v = is_same<A, B>::value;
template <bool B, class X, class Y> struct conditional { typedef X type; };
template <class X, class Y> struct conditional<false, X, Y> { typedef Y type; };
template <bool B, class X, class Y> using conditional_t = typename conditional<B, X, Y>::type;
template <class T> struct numeric_limits {
  static constexpr __host__ __device__ T max() { return T(); }
  static constexpr __host__ __device__ T min() { return T(); }
  static constexpr __host__ __device__ T lowest() { return T(); }
  static constexpr __host__ __device__ T infinity() { return T(); }
};
}
namespace c10 {
struct Half { unsigned short x; };
struct BFloat16 { unsigned short x; };
template <class T> class optional {};
template <class T> class ArrayRef {};
typedef ArrayRef<int64_t> IntArrayRef;
enum class ScalarType : signed char {};
class Scalar {};
class Device {};
}
namespace at {
using c10::Half; using c10::BFloat16; using c10::ScalarType; using c10::Scalar; using c10::IntArrayRef;
class Tensor {};
class TensorOptions {};
template <class T> struct DefaultPtrTraits { typedef T* PtrType; };
template <class T> struct RestrictPtrTraits { typedef T* PtrType; };
template <class T, size_t N, template <class> class P = DefaultPtrTraits, class I = int64_t> struct PackedTensorAccessor {};
template <class T, size_t N, template <class> class P = DefaultPtrTraits, class I = int64_t> struct GenericPackedTensorAccessor {};
template <class T, size_t N, template <class> class P = DefaultPtrTraits> using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, N, P, int>;
template <class T, size_t N, template <class> class P = DefaultPtrTraits> using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, N, P, int64_t>;
template <class T, bool cuda> struct AccumulateType { typedef float type; };
template <class T, bool cuda = true> using acc_type = typename AccumulateType<T, cuda>::type;
template <class T> using opmath_type = float;
namespace cuda {}
namespace native {}
}
namespace torch {
using namespace at;
using at::Tensor; using at::PackedTensorAccessor; using at::PackedTensorAccessor32; using at::PackedTensorAccessor64; using at::RestrictPtrTraits; using at::DefaultPtrTraits;
namespace autograd {}
namespace cuda {}
}
namespace pybind11 {}
namespace py = pybind11;
namespace nvcuda { namespace wmma {} namespace experimental {} }
namespace cooperative_groups { class thread_block {}; class grid_group {}; template <int N, class P = void> class thread_block_tile {}; }
namespace cub {}
namespace thrust {}
namespace cute {}
namespace cuda { namespace std {} }
