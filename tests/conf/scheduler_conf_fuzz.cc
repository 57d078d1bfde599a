// Any bytes as scheduler.conf: no crash, bounded work, and what is accepted reads back equal.
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "conf/load.h"

namespace {

// Reads every argument with every getter, as plugins would.
void ReadAll(const bth::conf::Arguments& arguments, int depth) {
  for (std::string_view key : arguments.Keys()) {
    BTH_CHECK(arguments.Int(key, 1).ok());
    BTH_CHECK(arguments.Double(key, 1).ok());
    BTH_CHECK(arguments.Bool(key, true).ok());
    BTH_CHECK(arguments.String(key, "x").ok());
    BTH_CHECK(arguments.Duration(key, absl::Seconds(1)).ok());
    BTH_CHECK(arguments.CommaList(key).ok());
    (void)arguments.Strings(key);
    if (auto section = arguments.Section(key); section.ok()) ReadAll(*section, depth + 1);
    if (auto sections = arguments.Sections(key); sections.ok()) {
      for (const auto& section : *sections) ReadAll(section, depth + 1);
    }
  }
  BTH_CHECK(depth <= bth::conf::YamlLimits().depth_max);
}

void CheckArguments(const bth::conf::Arguments& arguments) {
  ReadAll(arguments, 0);
  BTH_CHECK(arguments.UnreadKeys().empty());
  BTH_CHECK(arguments.Findings().size() <= bth::conf::Arguments::kFindingsMax);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto loaded = bth::conf::ParsePolicy(text, bth::conf::BuiltinNames());
  if (!loaded.ok()) {
    BTH_CHECK(!loaded.status().message().empty());
    return 0;
  }
  const bth::conf::Policy& policy = loaded->policy;
  const std::string canonical = bth::conf::CanonicalText(policy);
  // Quoting can make the text longer than what was read.
  bth::conf::YamlLimits wide;
  wide.bytes_max = canonical.size();
  wide.values_max *= 4;
  wide.text_bytes_max *= 8;
  const auto again = bth::conf::ParsePolicy(canonical, bth::conf::BuiltinNames(), wide);
  BTH_CHECK(again.ok());
  BTH_CHECK(again->policy == policy);
  BTH_CHECK(bth::conf::CanonicalText(again->policy) == canonical);
  BTH_CHECK(!bth::conf::PrintableText(policy).empty());
  BTH_CHECK(loaded->findings.size() <= bth::conf::kLoadFindingsMax);
  for (const bth::conf::Finding& finding : loaded->findings) {
    BTH_CHECK(!bth::conf::ToString(finding).empty());
  }
  for (const auto& tier : policy.tiers) {
    for (const auto& plugin : tier.plugins) CheckArguments(plugin.arguments);
  }
  for (const auto& entry : policy.configurations) CheckArguments(entry.arguments);
  return 0;
}
