// A bug of our own that showed itself in a check while one object was worked on.
#pragma once

#include <cstddef>
#include <exception>
#include <string>
#include <utility>

namespace bth {

// The only exception that crosses folders: it ends the work on one object, not the process. Caught
// where objects are taken one by one (docs/decisions/0012-defects-end-objects.md), nowhere else.
class Defect final : public std::exception {
 public:
  Defect(std::string what, std::string where) : what_(std::move(what)), where_(std::move(where)) {}
  const char* what() const noexcept override { return what_.c_str(); }
  // The innermost frames, as "program(+0xoffset)"; for the log.
  const std::string& where() const { return where_; }

 private:
  std::string what_;
  std::string where_;
};

// Out of line and cold: what it costs to check is a compare.
[[noreturn, gnu::cold, gnu::noinline]] void ThrowBadId(size_t index, size_t size);
[[noreturn, gnu::cold, gnu::noinline]] void ThrowDefect(const char* claim);

// `where()` of a Defect, nothing of another exception.
std::string WhereOf(const std::exception& error);

}  // namespace bth

// Like BTH_CHECK, for claims about the object at hand: a broken one throws a Defect.
#define BTH_REQUIRE(claim)        \
  do {                            \
    if (!(claim)) [[unlikely]]    \
      ::bth::ThrowDefect(#claim); \
  } while (false)
