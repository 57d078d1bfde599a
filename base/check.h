// Checks of our own invariants. Never for outside input: that gets an absl::Status.
#pragma once

namespace bth {

// Prints the place and the failed claim to stderr and aborts.
[[noreturn]] void CheckFailed(const char* file, int line, const char* claim);

}  // namespace bth

#define BTH_CHECK(claim)                              \
  do {                                                \
    if (!(claim)) [[unlikely]]                        \
      ::bth::CheckFailed(__FILE__, __LINE__, #claim); \
  } while (false)

#ifdef NDEBUG
#define BTH_DCHECK(claim)     \
  do {                        \
    if (false) (void)(claim); \
  } while (false)
#else
#define BTH_DCHECK(claim) BTH_CHECK(claim)
#endif
