// Status helpers. Errors carry the reason from the callee and what the caller was doing.
#pragma once

#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace bth {

// `status` with "<doing>: " put before its message; the code stays. OK stays OK.
absl::Status Annotate(const absl::Status& status, std::string_view doing);

namespace status_internal {
inline absl::Status ToStatus(const absl::Status& status) {
  return status;
}
template <typename T>
absl::Status ToStatus(const absl::StatusOr<T>& result) {
  return result.status();
}
}  // namespace status_internal

}  // namespace bth

#define BTH_CONCAT_INNER(a, b) a##b
#define BTH_CONCAT(a, b) BTH_CONCAT_INNER(a, b)

#define BTH_RETURN_IF_ERROR(expression)                                                           \
  do {                                                                                            \
    if (absl::Status bth_status = ::bth::status_internal::ToStatus(expression); !bth_status.ok()) \
        [[unlikely]]                                                                              \
      return bth_status;                                                                          \
  } while (false)

#define BTH_ASSIGN_OR_RETURN(target, expression) \
  BTH_ASSIGN_OR_RETURN_IMPL(BTH_CONCAT(bth_result_, __LINE__), target, expression)
#define BTH_ASSIGN_OR_RETURN_IMPL(result, target, expression) \
  auto result = (expression);                                 \
  if (!result.ok()) [[unlikely]]                              \
    return std::move(result).status();                        \
  target = *std::move(result)

// The same inside coroutines.
#define BTH_CO_RETURN_IF_ERROR(expression)                                                        \
  do {                                                                                            \
    if (absl::Status bth_status = ::bth::status_internal::ToStatus(expression); !bth_status.ok()) \
        [[unlikely]]                                                                              \
      co_return bth_status;                                                                       \
  } while (false)

#define BTH_CO_ASSIGN_OR_RETURN(target, expression) \
  BTH_CO_ASSIGN_OR_RETURN_IMPL(BTH_CONCAT(bth_result_, __LINE__), target, expression)
#define BTH_CO_ASSIGN_OR_RETURN_IMPL(result, target, expression) \
  auto result = (expression);                                    \
  if (!result.ok()) [[unlikely]]                                 \
    co_return std::move(result).status();                        \
  target = *std::move(result)
