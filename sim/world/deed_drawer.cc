#include "sim/world/deed_drawer.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"

namespace bth::sim {

std::string MemberPodJson(std::string_view group, int64_t number, std::string_view spec) {
  return StrCat(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")", group, "-", number,
                R"(","annotations":{"scheduling.k8s.io/group-name":")", group,
                R"("}},"spec":{"schedulerName":"volcano",)", spec, "}}");
}

std::string HyperNodeJson(std::string_view name, int tier, std::string_view type,
                          const std::vector<std::string>& members) {
  std::string list;
  for (const std::string& member : members) {
    StrAppend(&list, list.empty() ? "" : ",", R"({"type":")", type,
              R"(","selector":{"exactMatch":{"name":")", member, R"("}}})");
  }
  return StrCat(R"({"apiVersion":"topology.volcano.sh/v1alpha1","kind":"HyperNode","metadata":)",
                R"({"name":")", name, R"("},"spec":{"tier":)", tier, R"(,"members":[)", list,
                "]}}");
}

std::string RackJson(int rack) {
  return HyperNodeJson(StrCat("rack-", rack), 1, "Node",
                       {StrCat("n", 2 * rack), StrCat("n", 2 * rack + 1)});
}

void DeedDrawer::DrawMore(std::vector<Round>* rounds, absl::FunctionRef<void()> draw) {
  for (Round& round : *rounds) {
    round_ = std::move(round);
    draw();
    SortDeeds();
    round = std::move(round_);
  }
}

absl::Duration DeedDrawer::Moment() {
  return absl::Milliseconds(
      rng_.Between(absl::ToInt64Milliseconds(first_), absl::ToInt64Milliseconds(round_.lasts)));
}

int64_t DeedDrawer::Times(double per_minute) {
  const double mean = per_minute * absl::ToDoubleMinutes(round_.lasts);
  return static_cast<int64_t>(mean * 2 * rng_.Unit() + rng_.Unit());
}

Deed& DeedDrawer::Add(absl::Duration at, Verb verb, std::string_view meaning) {
  Deed& deed = round_.deeds.emplace_back();
  deed.at = at;
  deed.verb = verb;
  deed.meaning = meaning;
  return deed;
}

void DeedDrawer::Send(absl::Duration at, std::string_view meaning, std::string method,
                      std::string target, std::string body) {
  Deed& deed = Add(at, Verb::kSend, meaning);
  deed.method = std::move(method);
  deed.target = std::move(target);
  deed.body = std::move(body);
}

void DeedDrawer::SendJob(absl::Duration at, std::string_view meaning, std::string_view ns,
                         std::string_view name, std::string_view spec) {
  Send(at, meaning, "POST", StrCat("/apis/batch.volcano.sh/v1alpha1/namespaces/", ns, "/jobs"),
       StrCat(R"({"apiVersion":"batch.volcano.sh/v1alpha1","kind":"Job","metadata":{"name":")",
              name, R"("},"spec":{"schedulerName":"volcano",)", spec, "}}"));
}

void DeedDrawer::Pick(absl::Duration at, std::string_view meaning, std::string method,
                      std::string_view collection, std::string body) {
  Deed& deed = Add(at, Verb::kPick, meaning);
  deed.method = std::move(method);
  deed.target = collection;
  deed.body = std::move(body);
  deed.pick = rng_.Next() >> 1;
}

void DeedDrawer::DrawStrength(double rate_most, int late_most_s, bool extreme, Front* front) {
  const auto thousandths_most = static_cast<uint64_t>(rate_most * 1000);
  const bool every_one = rng_.Chance(0.15) && extreme;
  front->rate = every_one ? 1 : static_cast<double>(10 + rng_.Below(thousandths_most)) / 1000;
  front->most = absl::Seconds(rng_.Between(1, late_most_s));
}

void DeedDrawer::SortDeeds() {
  std::stable_sort(round_.deeds.begin(), round_.deeds.end(),
                   [](const Deed& a, const Deed& b) { return a.at < b.at; });
}

}  // namespace bth::sim
