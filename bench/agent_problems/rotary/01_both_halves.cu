// A thread turns four elements of the first half and their partners of the second: each element is loaded once.
__device__ float4 turned(float4 a, float4 b, float4 c, float4 s, float sign) {
  return make_float4(a.x * c.x + sign * b.x * s.x, a.y * c.y + sign * b.y * s.y, a.z * c.z + sign * b.z * s.z,
                     a.w * c.w + sign * b.w * s.w);
}

__global__ void __launch_bounds__(BLOCK)
    rotary(const float* x, const float* cos, const float* sin, float* out, long long tokens, long long heads,
           long long size) {
  const int wide = static_cast<int>(size), many = static_cast<int>(heads), token = blockIdx.x;
  const long long first = static_cast<long long>(token) * many * wide;
  const float *const c = cos + static_cast<long long>(token) * wide, *const s = sin + static_cast<long long>(token) * wide;
  if (wide % 8 == 0) {
    const int fours = wide / 8;   // of half a head
    for (int i = threadIdx.x; i < many * fours; i += BLOCK) {
      const int head = i / fours, at = 4 * (i % fours), half = wide / 2;
      const long long place = first + head * wide + at;
      const float4 one = *reinterpret_cast<const float4*>(x + place);
      const float4 two = *reinterpret_cast<const float4*>(x + place + half);
      *reinterpret_cast<float4*>(out + place) =
          turned(one, two, *reinterpret_cast<const float4*>(c + at), *reinterpret_cast<const float4*>(s + at), -1.0f);
      *reinterpret_cast<float4*>(out + place + half) =
          turned(two, one, *reinterpret_cast<const float4*>(c + at + half),
                 *reinterpret_cast<const float4*>(s + at + half), 1.0f);
    }
    return;
  }
  const int half = wide / 2;
  for (int i = threadIdx.x; i < many * wide; i += BLOCK) {
    const int at = i % wide;
    const float other = at < wide - half ? -x[first + i + half] : x[first + i - (wide - half)];
    out[first + i] = x[first + i] * c[at] + other * s[at];
  }
}
