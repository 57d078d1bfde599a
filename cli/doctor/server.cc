#include "cli/doctor/server.h"

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "cli/print/times.h"
#include "cli/text/object.h"

namespace bth::cli {
namespace {

using types::Json;

constexpr int kMinorMin = 24;  // Serves all kinds that the scheduler reads (CSIStorageCapacity).
constexpr int kMinorReference = 36;
constexpr absl::Duration kClockDifferenceMax = absl::Seconds(10);
constexpr size_t kNodesTold = 5;

// "36" and "36+", as some distributions write.
int NumberIn(std::string_view text) {
  int number = 0;
  return SimpleAtoi(text.substr(0, text.find_first_not_of("0123456789")), &number) ? number : 0;
}

bool IsReady(const Json& node) {
  for (const Json& condition : node.At({"status", "conditions"}).items()) {
    if (condition["type"].AsString() == "Ready") return condition["status"].AsString() == "True";
  }
  return false;
}

}  // namespace

void CheckServerVersion(const Json& version, std::vector<Point>* points) {
  const PointsOf area("server", points);
  const std::string shown(version["gitVersion"].AsString());
  const int major = NumberIn(version["major"].AsString());
  const int minor = NumberIn(version["minor"].AsString());
  if (major == 1 && minor < kMinorMin) {
    area.Warning("version", StrCat(shown, " does not serve all kinds that the scheduler reads"),
                 StrCat("move to Kubernetes 1.", kMinorMin, " or younger; 1.", kMinorReference,
                        " is what this version was tried with"));
  } else {
    area.Ok("version", shown);
  }
}

std::optional<absl::Time> ParseServerDate(const std::string& date) {
  absl::Time time;
  std::string error;
  if (!absl::ParseTime("%a, %d %b %Y %H:%M:%S GMT", date, absl::UTCTimeZone(), &time, &error)) {
    return std::nullopt;
  }
  return time;
}

void CheckClock(std::optional<absl::Time> server, absl::Time here, std::vector<Point>* points) {
  const PointsOf area("server", points);
  if (!server) return area.NotChecked("clock", "the server's answers do not say what time it has");
  const absl::Duration ahead = *server - here;
  if (absl::AbsDuration(ahead) <= kClockDifferenceMax) {
    return area.Ok("clock", "within seconds of the one here");
  }
  area.Warning("clock",
               StrCat(AgeText(absl::AbsDuration(ahead)),
                      ahead > absl::ZeroDuration() ? " ahead of" : " behind", " the one here"),
               "set the clocks (NTP): certificates and tokens are judged by them");
}

void CheckNodes(const ObjectsRead& nodes, std::vector<Point>* points) {
  const PointsOf area("nodes", points);
  if (!nodes.is_read()) return area.NotChecked("all", nodes.unread);
  std::set<std::string_view> away;
  for (const Json& node : nodes.items) {
    if (!IsReady(node)) away.insert(NameIn(node));
  }
  const size_t count = nodes.items.size();
  if (count == 0) return area.Warning("all", "there are none", "nothing can be placed");
  if (away.empty()) return area.Ok("all", StrCat(count, " ready"));
  std::vector<std::string_view> told(away.begin(), away.end());
  told.resize(std::min(told.size(), kNodesTold));
  std::string names;
  for (const std::string_view name : told) StrAppend(&names, names.empty() ? "" : ", ", name);
  area.Warning("all",
               StrCat(away.size(), " of ", count, " are not ready: ", names,
                      away.size() > kNodesTold ? ", …" : ""),
               "kubectl describe node tells why; nothing is placed there");
}

Amounts AllocatableOf(const ObjectsRead& nodes) {
  Amounts sum;
  for (const Json& node : nodes.items) {
    AddAmounts(AmountsIn(node.At({"status", "allocatable"})), &sum);
  }
  return sum;
}

}  // namespace bth::cli
