#pragma once

// Pairs of halves and of bfloat16 in double: what <harness/wide_begin.cuh> makes of their intrinsics.
namespace harness::wide {

template <class T>
struct only_double2 {};
template <>
struct only_double2<double2> {
  using type = double2;
};

__device__ inline double2 add(double2 a, double2 b) { return make_double2(a.x + b.x, a.y + b.y); }
__device__ inline double2 subtract(double2 a, double2 b) { return make_double2(a.x - b.x, a.y - b.y); }
__device__ inline double2 multiply(double2 a, double2 b) { return make_double2(a.x * b.x, a.y * b.y); }
__device__ inline double2 divide(double2 a, double2 b) { return make_double2(a.x / b.x, a.y / b.y); }
__device__ inline double2 multiply_add(double2 a, double2 b, double2 c) { return add(multiply(a, b), c); }
__device__ inline double2 most(double2 a, double2 b) { return make_double2(fmax(a.x, b.x), fmax(a.y, b.y)); }
__device__ inline double2 least(double2 a, double2 b) { return make_double2(fmin(a.x, b.x), fmin(a.y, b.y)); }
__device__ inline double2 both(double a) { return make_double2(a, a); }

}  // namespace harness::wide

// Templates, so that a source's own operators come first.
template <class T>
__device__ typename harness::wide::only_double2<T>::type operator+(T a, T b) {
  return harness::wide::add(a, b);
}
template <class T>
__device__ typename harness::wide::only_double2<T>::type operator-(T a, T b) {
  return harness::wide::subtract(a, b);
}
template <class T>
__device__ typename harness::wide::only_double2<T>::type operator*(T a, T b) {
  return harness::wide::multiply(a, b);
}
template <class T>
__device__ typename harness::wide::only_double2<T>::type operator/(T a, T b) {
  return harness::wide::divide(a, b);
}
