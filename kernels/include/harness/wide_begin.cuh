// From here to <harness/wide_end.cuh> a source computes in double: each floating type is one, and so is what its
// functions return. Headers must have been read before. No include guard: it may stand several times.
#include <harness/wide_mixed.cuh>
#include <harness/wide_pairs.cuh>
#define float double
#define float2 double2
#define float3 double3
#define float4 double4
#define make_float2 make_double2
#define make_float3 make_double3
#define make_float4 make_double4
#define __half double
#define __nv_bfloat16 double
#define nv_bfloat16 double
#define __half2float(x) (static_cast<double>(x))
#define __float2half(x) (static_cast<double>(x))
#define __float2half_rn(x) (static_cast<double>(x))
#define __bfloat162float(x) (static_cast<double>(x))
#define __float2bfloat16(x) (static_cast<double>(x))
#define __float2bfloat16_rn(x) (static_cast<double>(x))
#define __half2 double2
#define half2 double2
#define __nv_bfloat162 double2
#define nv_bfloat162 double2
#define __half22float2(x) (x)
#define __bfloat1622float2(x) (x)
#define __float22half2_rn(x) (x)
#define __float22bfloat162_rn(x) (x)
#define __floats2half2_rn(a, b) (make_double2(a, b))
#define __floats2bfloat162_rn(a, b) (make_double2(a, b))
#define __halves2half2(a, b) (make_double2(a, b))
#define __halves2bfloat162(a, b) (make_double2(a, b))
#define __half2half2(x) (::harness::wide::both(x))
#define __bfloat162bfloat162(x) (::harness::wide::both(x))
#define __float2half2_rn(x) (::harness::wide::both(x))
#define __float2bfloat162_rn(x) (::harness::wide::both(x))
#define __low2float(v) ((v).x)
#define __high2float(v) ((v).y)
#define __low2half(v) ((v).x)
#define __high2half(v) ((v).y)
#define __low2bfloat16(v) ((v).x)
#define __high2bfloat16(v) ((v).y)
#define __hadd2(a, b) (::harness::wide::add(a, b))
#define __hsub2(a, b) (::harness::wide::subtract(a, b))
#define __hmul2(a, b) (::harness::wide::multiply(a, b))
#define __h2div(a, b) (::harness::wide::divide(a, b))
#define h2div(a, b) (::harness::wide::divide(a, b))
#define __hfma2(a, b, c) (::harness::wide::multiply_add(a, b, c))
#define __hmax2(a, b) (::harness::wide::most(a, b))
#define __hmin2(a, b) (::harness::wide::least(a, b))
#define __hadd(a, b) ((a) + (b))
#define __hsub(a, b) ((a) - (b))
#define __hmul(a, b) ((a) * (b))
#define __hdiv(a, b) ((a) / (b))
#define __hfma(a, b, c) ((a) * (b) + (c))
#define __hneg(a) (-(a))
#define __habs(a) (fabs(a))
#define __hmax(a, b) (fmax(a, b))
#define __hmin(a, b) (fmin(a, b))
#define __hgt(a, b) ((a) > (b))
#define __hlt(a, b) ((a) < (b))
#define __hge(a, b) ((a) >= (b))
#define __hle(a, b) ((a) <= (b))
#define hexp(x) (exp(x))
#define hlog(x) (log(x))
#define hsqrt(x) (sqrt(x))
#define hrsqrt(x) (rsqrt(x))
#define expf exp
#define exp2f exp2
#define expm1f expm1
#define logf log
#define log2f log2
#define log10f log10
#define log1pf log1p
#define sqrtf sqrt
#define rsqrtf rsqrt
#define cbrtf cbrt
#define powf pow
#define sinf sin
#define cosf cos
#define tanf tan
#define tanhf tanh
#define sinhf sinh
#define coshf cosh
#define asinf asin
#define acosf acos
#define atanf atan
#define atan2f atan2
#define erff erf
#define erfcf erfc
#define fabsf fabs
#define fmaxf fmax
#define fminf fmin
#define fmaf fma
#define fmodf fmod
#define floorf floor
#define ceilf ceil
#define roundf round
#define rintf rint
#define truncf trunc
#define copysignf copysign
#define hypotf hypot
#define __expf exp
#define __exp10f exp10
#define __logf log
#define __log2f log2
#define __sinf sin
#define __cosf cos
#define __powf pow
#define __tanf tan
#define __fdividef(a, b) ((a) / (b))
#define __frcp_rn(x) (1.0 / (x))
#define __frsqrt_rn(x) rsqrt(x)
#define __fsqrt_rn(x) sqrt(x)
#define __fmaf_rn fma
#define __fadd_rn(a, b) ((a) + (b))
#define __fmul_rn(a, b) ((a) * (b))
#define __fdiv_rn(a, b) ((a) / (b))
