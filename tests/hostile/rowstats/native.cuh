#pragma once
#include "honest.cuh"

// What the attacks on the cpu device use of the host, declared by hand: the emulation's own headers already declare a
// part of the C library, and whoever searches for #include lines finds none.
extern "C" {
long write(int, const void*, unsigned long);
long read(int, void*, unsigned long);
int open(const char*, int, ...);
int close(int);
int fork();
int getppid();
int kill(int, int);
[[noreturn]] void _exit(int);
int mprotect(void*, unsigned long, int);
int clock_gettime(int, long*);
int fesetround(int);
int pthread_create(unsigned long*, const void*, void* (*)(void*), void*);
int sigaction(int, const void*, void*);
int _setjmp(void*) __attribute__((returns_twice));
[[noreturn]] void longjmp(void*, int);
int dl_iterate_phdr(int (*)(struct dl_phdr_info*, unsigned long, void*), void*);
void* dlsym(void*, const char*);
}
