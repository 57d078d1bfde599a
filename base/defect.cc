#include "base/defect.h"

#include <execinfo.h>

#include <cstdlib>

#include "base/strings.h"

namespace bth {
namespace {

// Frames of the caller's caller and above.
std::string Frames() {
  constexpr int kFramesMax = 12;
  constexpr int kOwn = 2;
  void* frames[kFramesMax];
  const int count = backtrace(frames, kFramesMax);
  char** const names = backtrace_symbols(frames, count);
  if (names == nullptr) return "";
  std::string out;
  for (int i = kOwn; i < count; ++i) StrAppend(&out, out.empty() ? "" : " ", names[i]);
  std::free(names);
  return out;
}

}  // namespace

void ThrowBadId(size_t index, size_t size) {
  throw Defect(StrCat("id ", index, " is not among ", size, " rows"), Frames());
}

void ThrowDefect(const char* claim) {
  throw Defect(StrCat("broken invariant: ", claim), Frames());
}

std::string WhereOf(const std::exception& error) {
  const auto* defect = dynamic_cast<const Defect*>(&error);
  return defect == nullptr ? std::string() : defect->where();
}

}  // namespace bth
