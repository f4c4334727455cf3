#pragma once

// On the cpu device a function that can wait or fail knows where it was called, so that a deadlock can be told as who
// waits where. HARNESS_SITE ends its list of parameters; on CUDA it is nothing.
#ifdef __HARNESS_CPU__
#define HARNESS_SITE , HARNESS_CPU_SITE
#define HARNESS_ONLY_SITE HARNESS_CPU_SITE
#else
#define HARNESS_SITE
#define HARNESS_ONLY_SITE
#endif
