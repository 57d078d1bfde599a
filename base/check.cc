#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace bth {

void CheckFailed(const char* file, int line, const char* claim) {
  std::fprintf(stderr, "%s:%d: broken invariant: %s\n", file, line, claim);
  std::abort();
}

}  // namespace bth
