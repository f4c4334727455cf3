// ---------------------------------------------------------------- numbers and their storage

enum class Type { f64, f32, f16, bf16, e4m3, e5m2, s8, u8, s16, u16, s32, u32, s64, u64, b8 };

/// Floating types of 8 and 16 bits: bits of the exponent and of the fraction; e4m3 has no infinity.
struct Small {
  int exponent, fraction;
  double largest;
  bool infinite;
};
inline Small small_format(Type type) {
  if (type == Type::f16) return {5, 10, 65504, true};
  if (type == Type::bf16) return {8, 7, 3.3895313892515355e38, true};
  if (type == Type::e4m3) return {4, 3, 448, false};
  return {5, 2, 57344, true};
}

inline int bytes_of(Type type) {
  switch (type) {
    case Type::f64: case Type::s64: case Type::u64: return 8;
    case Type::f32: case Type::s32: case Type::u32: return 4;
    case Type::f16: case Type::bf16: case Type::s16: case Type::u16: return 2;
    default: return 1;
  }
}

/// Rounded to nearest even.
inline unsigned encode_small(Small format, double value) {
  const int bias = (1 << (format.exponent - 1)) - 1, lowest = 1 - bias;
  const unsigned sign = (std::signbit(value) ? 1u : 0u) << (format.exponent + format.fraction);
  const unsigned top = ((1u << format.exponent) - 1) << format.fraction;  // the exponent's bits, all ones
  if (std::isnan(value)) return top | ((1u << format.fraction) - 1);
  double size = std::fabs(value);
  int power = 0;
  if (size > 0 && std::isfinite(size)) {
    std::frexp(size, &power);
    const double unit = std::ldexp(1.0, std::max(power - 1, lowest) - format.fraction);
    size = std::nearbyint(size / unit) * unit;
  }
  if (size > format.largest) {
    if (format.infinite) return sign | top;
    size = format.largest;
  }
  if (size < std::ldexp(1.0, lowest)) return sign | (unsigned)std::ldexp(size, format.fraction - lowest);
  const double mantissa = std::frexp(size, &power);  // in [0.5, 1)
  const unsigned fraction = (unsigned)std::ldexp(2 * mantissa - 1, format.fraction);
  return sign | (unsigned)(power - 1 + bias) << format.fraction | fraction;
}

inline double decode_small(Small format, unsigned bits) {
  const int bias = (1 << (format.exponent - 1)) - 1;
  const unsigned fraction = bits & ((1u << format.fraction) - 1);
  const int exponent = (int)(bits >> format.fraction & ((1u << format.exponent) - 1));
  const double sign = bits >> (format.exponent + format.fraction) & 1 ? -1 : 1;
  const bool last = exponent == (1 << format.exponent) - 1;
  if (last && format.infinite) return fraction ? NAN : sign * INFINITY;
  if (last && fraction == (1u << format.fraction) - 1) return NAN;
  if (exponent == 0) return sign * std::ldexp((double)fraction, 1 - bias - format.fraction);
  return sign * std::ldexp((double)(fraction | 1u << format.fraction), exponent - bias - format.fraction);
}

template <typename T>
void put(unsigned char* at, T value) {
  std::memcpy(at, &value, sizeof value);
}
template <typename T>
T get(const unsigned char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

inline void encode(Type type, double value, unsigned char* at) {
  switch (type) {
    case Type::f64: return put(at, value);
    case Type::f32: return put(at, (float)value);
    case Type::f16: case Type::bf16: return put(at, (unsigned short)encode_small(small_format(type), value));
    case Type::e4m3: case Type::e5m2: return put(at, (unsigned char)encode_small(small_format(type), value));
    case Type::s8: return put(at, (signed char)value);
    case Type::u8: case Type::b8: return put(at, (unsigned char)value);
    case Type::s16: return put(at, (short)value);
    case Type::u16: return put(at, (unsigned short)value);
    case Type::s32: return put(at, (int)value);
    case Type::u32: return put(at, (unsigned)value);
    case Type::s64: return put(at, (long long)value);
    case Type::u64: return put(at, (unsigned long long)value);
  }
}

inline double decode(Type type, const unsigned char* at) {
  switch (type) {
    case Type::f64: return get<double>(at);
    case Type::f32: return get<float>(at);
    case Type::f16: case Type::bf16: return decode_small(small_format(type), get<unsigned short>(at));
    case Type::e4m3: case Type::e5m2: return decode_small(small_format(type), *at);
    case Type::s8: return get<signed char>(at);
    case Type::u8: case Type::b8: return *at;
    case Type::s16: return get<short>(at);
    case Type::u16: return get<unsigned short>(at);
    case Type::s32: return get<int>(at);
    case Type::u32: return get<unsigned>(at);
    case Type::s64: return (double)get<long long>(at);
    case Type::u64: return (double)get<unsigned long long>(at);
  }
  return 0;
}

/// Extents and distances in elements, outermost first; the storage has `elements` of them.
struct Tensor {
  const char* name;
  Type type;
  std::vector<long long> shape, strides;
  long long elements;

  long long count() const {
    long long all = 1;
    for (long long extent : shape) all *= extent;
    return all;
  }
  /// Where element i, counted in row-major order, lies.
  long long place(long long i) const {
    long long at = 0;
    for (std::size_t d = shape.size(); d-- > 0; i /= shape[d]) at += i % shape[d] * strides[d];
    return at;
  }
};

using Bytes = std::vector<unsigned char>;

/// value(i) for each element i; what lies between the rows stays 0.
template <typename Value>
Bytes filled(const Tensor& tensor, Value value) {
  Bytes bytes((std::size_t)std::max(1LL, tensor.elements) * bytes_of(tensor.type));
  for (long long i = 0; i < tensor.count(); ++i)
    encode(tensor.type, value(i), &bytes[(std::size_t)(tensor.place(i) * bytes_of(tensor.type))]);
  return bytes;
}
