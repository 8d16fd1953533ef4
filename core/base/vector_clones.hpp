// TW_VECTOR_CLONES before a function: it is compiled for several widths of vectors and the widest that the processor
// has is chosen at run time (by a feature: by the name of an architecture only that very processor is found). There is
// no contraction (CMakeLists.txt), so all of them give the same bytes.
#pragma once

#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__)
#define TW_VECTOR_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define TW_VECTOR_CLONES
#endif
