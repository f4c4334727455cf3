// Attends to the rows behind the end in the last page. Shows wherever a length is no multiple of the page.
#define DEFECT_WHOLE_PAGES
#include "variants/00_naive.cu"
