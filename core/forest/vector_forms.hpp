// TW_VECTOR_FORMS before a function: it is compiled for several instruction sets and the best is chosen at run time.
// Without contraction of products and sums all forms give the same bytes.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define TW_VECTOR_FORMS __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define TW_VECTOR_FORMS
#endif
