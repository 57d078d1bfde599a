// Flags that several programs have, with what becomes of each, for tests that want none forgotten.
#pragma once

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "base/strings.h"
#include "cmd/common/daemon_flags.h"
#include "cmd/common/flags.h"
#include "cmd/common/log_flags.h"
#include "tests/support/catch.h"
#include "tests/support/files.h"

namespace bth::cmd {

// It changes what the program does; or is told of at the start; or ends the program.
enum class Fate { kWorks, kNoted, kRefused };
struct KnownFlag {
  const char* name;
  const char* value;  // Not the default.
  Fate fate;
};

inline constexpr KnownFlag kApiFlags[] = {
    {"master", "https://x", Fate::kWorks},
    {"kubeconfig", "/k", Fate::kWorks},
    {"kube-api-qps", "5", Fate::kWorks},
    {"kube-api-burst", "5", Fate::kWorks},
    {"kube-api-content-type", "application/json", Fate::kWorks},
};

inline constexpr KnownFlag kPageFlags[] = {
    {"ca-cert-file", "/a", Fate::kRefused},          // All three or none.
    {"tls-cert-file", "/b", Fate::kRefused},         // Likewise.
    {"tls-private-key-file", "/c", Fate::kRefused},  // Likewise.
    {"enable-healthz", "true", Fate::kWorks},
    {"healthz-address", ":1", Fate::kNoted},  // With --enable-healthz it works.
    {"enable-metrics", "true", Fate::kWorks},
    {"listen-address", ":2", Fate::kNoted},  // With --enable-metrics it works.
};

inline constexpr KnownFlag kLeaderFlags[] = {
    {"lock-object-namespace", "x", Fate::kWorks},
    {"leader-elect", "false", Fate::kWorks},
    {"leader-elect-lease-duration", "20s", Fate::kWorks},
    {"leader-elect-renew-deadline", "9s", Fate::kWorks},
    {"leader-elect-retry-period", "1s", Fate::kWorks},
    {"leader-elect-resource-lock", "endpoints", Fate::kRefused},
    {"leader-elect-resource-name", "x", Fate::kWorks},
    {"leader-elect-resource-namespace", "x", Fate::kWorks},
};

inline constexpr KnownFlag kLogFlags[] = {
    {"log-flush-frequency", "1s", Fate::kNoted},
    {"add_dir_header", "true", Fate::kNoted},
    {"alsologtostderr", "true", Fate::kNoted},
    {"legacy_stderr_threshold_behavior", "true", Fate::kNoted},
    {"log_backtrace_at", "a:1", Fate::kNoted},
    {"log_dir", "/d", Fate::kNoted},   // With --logtostderr=false it works.
    {"log_file", "/f", Fate::kNoted},  // Likewise.
    {"log_file_max_size", "7", Fate::kNoted},
    {"logtostderr", "false", Fate::kNoted},  // With --log_file it works.
    {"one_output", "true", Fate::kNoted},
    {"skip_headers", "true", Fate::kNoted},
    {"skip_log_headers", "true", Fate::kNoted},
    {"stderrthreshold", "ERROR", Fate::kWorks},
    {"v", "4", Fate::kWorks},
    {"vmodule", "a=1", Fate::kNoted},
};

inline std::string WithDashes(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

// The flags as parsed, and what Check says of them.
template <typename Flags>
struct ParsedFlags {
  explicit ParsedFlags(std::vector<const char*> args) {
    flags.AddTo(set);
    args.insert(args.begin(), "program");
    std::ostringstream out;
    outcome = set.Parse(static_cast<int>(args.size()), args.data(), out);
    if (outcome.run) status = flags.Check();
    notes = set.Notes();
    for (std::string& note : flags.Notes()) notes.push_back(std::move(note));
    err = out.str();
  }
  FlagSet set{"program", ""};
  Flags flags;
  FlagSet::Outcome outcome;
  absl::Status status;
  std::vector<std::string> notes;
  std::string err;
};

// What programs take from them, as text.
inline std::string TraceOf(const ApiFlags& api) {
  const client::ConfigSources sources = api.Sources();
  return StrCat(sources.master, "|", sources.kubeconfig, "|", api.qps, "|", api.burst, "|",
                api.protobuf(), "\n");
}
inline std::string TraceOf(const PageFlags& pages) {
  return StrCat(pages.healthz, "|", pages.metrics, "\n");
}
inline std::string TraceOf(const LeaderFlags& leader) {
  const client::LeaderElectionOptions election = leader.Election("me");
  return StrCat(leader.elect, "|", election.namespace_name, "|", election.lease_name, "|",
                absl::FormatDuration(election.lease_duration), "|",
                absl::FormatDuration(election.renew_deadline), "|",
                absl::FormatDuration(election.retry_period), "\n");
}
inline std::string TraceOf(const LogFlags& log) {
  return StrCat(static_cast<int>(log.level()), "\n");
}

// Each flag that is known works, as `trace` of the parsed flags shows, or says why it does not; and
// the program has no other.
template <typename Flags, typename Trace>
void CheckEachFlag(const std::vector<KnownFlag>& known, Trace trace) {
  const ParsedFlags<Flags> none({});
  std::set<std::string> names;
  for (const KnownFlag& flag : known) {
    const std::string name = WithDashes(flag.name);
    names.insert(name);
    const std::string arg = StrCat("--", flag.name, "=", flag.value);
    INFO(arg);
    const ParsedFlags<Flags> parsed({arg.c_str()});
    REQUIRE(parsed.outcome.run);
    CHECK(parsed.set.Given(name));
    CHECK(parsed.status.ok() == (flag.fate != Fate::kRefused));
    CHECK(parsed.notes.empty() == (flag.fate != Fate::kNoted));
    if (flag.fate == Fate::kWorks) {
      CHECK(trace(parsed.flags) != trace(none.flags));
      continue;
    }
    std::vector<std::string> said = parsed.notes;
    if (said.empty()) said.emplace_back(parsed.status.message());
    for (const std::string& line : said) {
      CHECK_THAT(line, Catch::StartsWith(StrCat("--", name, ": ")));
    }
  }
  for (const auto& [name, value] : none.set.Values()) {
    INFO(name);
    CHECK(names.count(name) == 1);
  }
}

}  // namespace bth::cmd
