#pragma once
#include <cstddef>
namespace std {
template <typename T, T kValue> struct integral_constant {
  static constexpr T value = kValue;
  using value_type = T;
  using type = integral_constant;
  constexpr operator T() const { return kValue; }
};
template <bool kValue> using bool_constant = integral_constant<bool, kValue>;
using true_type = bool_constant<true>;
using false_type = bool_constant<false>;
template <typename T, typename U> struct is_same : false_type {};
template <typename T> struct is_same<T, T> : true_type {};
template <bool kIf, typename T, typename U> struct conditional { using type = T; };
template <typename T, typename U> struct conditional<false, T, U> { using type = U; };
template <bool kIf, typename T = void> struct enable_if {};
template <typename T> struct enable_if<true, T> { using type = T; };
template <typename T> struct remove_const { using type = T; };
template <typename T> struct remove_const<const T> { using type = T; };
template <typename T> struct remove_volatile { using type = T; };
template <typename T> struct remove_volatile<volatile T> { using type = T; };
template <typename T> struct remove_cv { using type = typename remove_const<typename remove_volatile<T>::type>::type; };
template <typename T> struct remove_reference { using type = T; };
template <typename T> struct remove_reference<T&> { using type = T; };
template <typename T> struct remove_reference<T&&> { using type = T; };
template <typename T> struct remove_pointer { using type = T; };
template <typename T> struct remove_pointer<T*> { using type = T; };
template <typename T> struct is_pointer : false_type {};
template <typename T> struct is_pointer<T*> : true_type {};
template <typename T> struct is_floating_point
    : bool_constant<is_same<typename remove_cv<T>::type, float>::value || is_same<typename remove_cv<T>::type, double>::value> {};
template <typename T, typename... Ts> struct harness_one_of : bool_constant<(is_same<T, Ts>::value || ...)> {};
template <typename T> struct is_integral
    : harness_one_of<typename remove_cv<T>::type, bool, char, signed char, unsigned char, short, unsigned short, int,
                     unsigned int, long, unsigned long, long long, unsigned long long> {};
template <typename T> struct is_arithmetic : bool_constant<is_integral<T>::value || is_floating_point<T>::value> {};
template <typename...> using void_t = void;
template <typename T, typename U> inline constexpr bool is_same_v = is_same<T, U>::value;
template <typename T> inline constexpr bool is_pointer_v = is_pointer<T>::value;
template <typename T> inline constexpr bool is_integral_v = is_integral<T>::value;
template <typename T> inline constexpr bool is_floating_point_v = is_floating_point<T>::value;
template <typename T> inline constexpr bool is_arithmetic_v = is_arithmetic<T>::value;
template <bool kIf, typename T, typename U> using conditional_t = typename conditional<kIf, T, U>::type;
template <bool kIf, typename T = void> using enable_if_t = typename enable_if<kIf, T>::type;
template <typename T> using remove_const_t = typename remove_const<T>::type;
template <typename T> using remove_cv_t = typename remove_cv<T>::type;
template <typename T> using remove_reference_t = typename remove_reference<T>::type;
template <typename T> using remove_pointer_t = typename remove_pointer<T>::type;
}
