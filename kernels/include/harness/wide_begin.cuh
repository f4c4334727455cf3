// From here to <harness/wide_end.cuh> a source computes in double: each floating type is one, and so is what its
// functions return. Headers must have been read before. No include guard: it may stand several times.
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
