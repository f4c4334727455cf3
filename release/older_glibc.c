/* What the program and GCC's own libraries ask of a glibc that is newer than 2.27, older than RHEL 8's. Where the machine's C library has
   a function, that one is called; elsewhere this does its work. Nothing here is seen outside the program. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define HIDDEN __attribute__((visibility("hidden")))
enum { MOST_DESCRIPTORS = 65536 };

/* The machine's own, or null. Looked up before main: later a process may be the child of one with threads, where the
   loader's locks may be held for ever. */
static pid_t (*own_fork)(void);
static const char* (*own_error_name)(int);
static int (*own_find_object)(void*, struct dl_find_object*);
static int (*own_clockwait)(pthread_cond_t*, pthread_mutex_t*, clockid_t, const struct timespec*);

__attribute__((constructor)) static void look_up(void) {
  own_fork = (pid_t(*)(void))dlsym(RTLD_NEXT, "_Fork");
  own_error_name = (const char* (*)(int))dlsym(RTLD_NEXT, "strerrorname_np");
  own_find_object = (int (*)(void*, struct dl_find_object*))dlsym(RTLD_NEXT, "_dl_find_object");
  own_clockwait = (int (*)(pthread_cond_t*, pthread_mutex_t*, clockid_t, const struct timespec*))dlsym(
      RTLD_NEXT, "pthread_cond_clockwait");
}

/* 2.32. "Perhaps several threads": libstdc++ then counts references with atomic instructions, always. */
HIDDEN char __libc_single_threaded = 0;

/* 2.34 */
HIDDEN pid_t _Fork(void) {
  return own_fork ? own_fork() : fork();
}

/* 2.34. Kernels before 5.9 do not know it either: one by one, then. */
HIDDEN int close_range(unsigned first, unsigned last, int flags) {
  if (syscall(436, first, last, flags) == 0) return 0;
  if (errno != ENOSYS) return -1;
  for (unsigned each = first; each <= last && each < MOST_DESCRIPTORS; ++each) {
    if (flags & CLOSE_RANGE_CLOEXEC) fcntl((int)each, F_SETFD, FD_CLOEXEC);
    else close((int)each);
  }
  return 0;
}

/* 2.32. Only names that a message of ours may have; others are told by their number alone. */
HIDDEN const char* strerrorname_np(int number) {
  if (own_error_name) return own_error_name(number);
  switch (number) {
#define NAME(name) case name: return #name;
    NAME(EPERM) NAME(ENOENT) NAME(EINTR) NAME(EIO) NAME(ENXIO) NAME(E2BIG) NAME(EBADF) NAME(EAGAIN) NAME(ENOMEM)
    NAME(EACCES) NAME(EFAULT) NAME(EBUSY) NAME(EEXIST) NAME(ENODEV) NAME(ENOTDIR) NAME(EISDIR) NAME(EINVAL)
    NAME(ENFILE) NAME(EMFILE) NAME(EFBIG) NAME(ENOSPC) NAME(EROFS) NAME(EPIPE) NAME(ENOSYS) NAME(EOPNOTSUPP)
#undef NAME
  }
  return NULL;
}

/* 2.29: the older ones differ in how they set errno. */
#ifdef __aarch64__
#define FIRST "@GLIBC_2.17" /* the first that the processor had */
#else
#define FIRST "@GLIBC_2.2.5"
#endif
#define OLDER(name) \
  __asm__(".symver older_" #name ", " #name FIRST); \
  extern double older_##name(double); \
  HIDDEN double name(double x) { return older_##name(x); }
OLDER(exp)
OLDER(exp2)
OLDER(log)
OLDER(log2)
__asm__(".symver older_pow, pow" FIRST);
extern double older_pow(double, double);
HIDDEN double pow(double x, double y) {
  return older_pow(x, y);
}

/* 2.30, for std::condition_variable. Where it is missing, what is left by `clock` is waited for by the time of day; who
   waits asks its own clock again. */
HIDDEN int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                                  const struct timespec* until) {
  if (own_clockwait) return own_clockwait(condition, mutex, clock, until);
  struct timespec now, day;
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &day);
  day.tv_sec += until->tv_sec - now.tv_sec;
  day.tv_nsec += until->tv_nsec - now.tv_nsec;
  for (; day.tv_nsec < 0; --day.tv_sec) day.tv_nsec += 1000000000;
  for (; day.tv_nsec >= 1000000000; ++day.tv_sec) day.tv_nsec -= 1000000000;
  return pthread_cond_timedwait(condition, mutex, &day);
}

/* 2.28: the same call, where files have offsets of 64 bits anyway. */
HIDDEN int fcntl64(int descriptor, int command, ...) {
  va_list words;
  va_start(words, command);
  void* const word = va_arg(words, void*);
  va_end(words);
  return fcntl(descriptor, command, word);
}

/* 2.36, for std::random_device. */
HIDDEN uint32_t arc4random(void) {
  uint32_t word = 0;
  while (getrandom(&word, sizeof word, 0) != (ssize_t)sizeof word) {}
  return word;
}

/* 2.35: how GCC's unwinder finds the tables of the code at an address. The object that holds it is looked for anew each
   time, as unwinders did before. */
struct search {
  uintptr_t address;
  struct dl_find_object* found;
};

static int holds(struct dl_phdr_info* info, size_t size, void* data) {
  (void)size;
  struct search* const search = data;
  uintptr_t low = UINTPTR_MAX, high = 0;
  void* tables = NULL;
  int inside = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)* const part = &info->dlpi_phdr[i];
    const uintptr_t begin = info->dlpi_addr + part->p_vaddr, end = begin + part->p_memsz;
    if (part->p_type == PT_GNU_EH_FRAME) tables = (void*)begin;
    if (part->p_type != PT_LOAD) continue;
    if (begin < low) low = begin;
    if (end > high) high = end;
    if (search->address >= begin && search->address < end) inside = 1;
  }
  if (!inside || !tables) return 0;
  memset(search->found, 0, sizeof *search->found);
  search->found->dlfo_map_start = (void*)low;
  search->found->dlfo_map_end = (void*)high;
  search->found->dlfo_eh_frame = tables;
  return 1;
}

HIDDEN int _dl_find_object(void* address, struct dl_find_object* found) {
  if (own_find_object) return own_find_object(address, found);
  struct search search = {(uintptr_t)address, found};
  return dl_iterate_phdr(holds, &search) == 1 ? 0 : -1;
}
