#pragma once
#ifndef offsetof
#define offsetof(type, member) ((decltype(sizeof(0)))&reinterpret_cast<const volatile char&>(((type*)0)->member))
#endif
#ifndef NULL
#define NULL 0
#endif
namespace std {
using size_t = decltype(sizeof(0));
using ptrdiff_t = decltype((char*)0 - (char*)0);
using nullptr_t = decltype(nullptr);
}
