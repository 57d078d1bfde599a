#include "framework/hooks/hooks.h"

namespace bth::framework {

absl::Span<const HookKind> HookKinds() {
  static constexpr HookKind kKinds[] = {
#define BTH_HOOK(Kind, list, flag, asks, ...) {#Kind, flag, asks, __VA_ARGS__::kTogether},
#include "framework/hooks/hook_kinds.inc.h"
#undef BTH_HOOK
  };
  return kKinds;
}

}  // namespace bth::framework
