#include "framework/hooks/plugin.h"

#include <utility>

namespace bth::framework {

bool HookRegistrar::hierarchy_enabled() const {
  return option_.flags[HookFlag::kHierarchy];
}

template <typename List>
void HookRegistrar::Add(List& list, std::optional<HookFlag> flag, typename List::Fn hook) {
  if (flag && !option_.flags[*flag]) return;
  HookOrigin origin = origin_;
  origin.position = table_.next_position++;
  list.Add(origin, std::move(hook));
}

#define BTH_HOOK(Kind, list, flag, asks, ...)      \
  void HookRegistrar::Kind(__VA_ARGS__::Fn hook) { \
    Add(table_.list, flag, std::move(hook));       \
  }
#include "framework/hooks/hook_kinds.inc.h"
#undef BTH_HOOK

conf::KnownNames Registry::Names() const {
  conf::KnownNames names;
  for (const auto& [name, factory] : actions) names.actions.push_back(name);
  for (const auto& [name, factory] : plugins) names.plugins.push_back(name);
  return names;
}

}  // namespace bth::framework
