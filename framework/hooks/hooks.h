// What plugins may add to a session: a list for each kind of hook.
#pragma once

#include <optional>
#include <string_view>

#include "absl/types/span.h"
#include "conf/policy.h"
#include "framework/hooks/hook_lists.h"
#include "framework/hooks/hook_types.h"

namespace bth::framework {

using conf::HookFlag;
inline constexpr std::optional<HookFlag> kAlwaysOn = std::nullopt;

// Plugins do not write here directly: they use HookRegistrar, which knows the plugin's tier and
// its switches.
struct HookTable {
  int next_position = 0;

#define BTH_HOOK(Kind, list, flag, asks, ...) __VA_ARGS__ list;
#include "framework/hooks/hook_kinds.inc.h"
#undef BTH_HOOK
};

// A kind of hook, for people.
struct HookKind {
  std::string_view name;         // As in HookRegistrar.
  std::optional<HookFlag> flag;  // None: always on.
  std::string_view asks;
  std::string_view together;  // How answers of several plugins become one.
};
// In the order of the table.
absl::Span<const HookKind> HookKinds();

}  // namespace bth::framework
