#include "tests/worlds/policy_twin.h"

#include <ctime>
#include <regex>

#include "base/strings.h"

namespace bth::test {
namespace {

struct DayWindow {
  int begin_s = 0;
  int end_s = 0;
};

// `H:MM-H:MM`; nothing for what is no window.
std::optional<DayWindow> WindowIn(const std::string& text) {
  static const std::regex kWindow(R"(\s*(\d\d?):(\d\d)-(\d\d?):(\d\d)\s*)");
  std::smatch parts;
  if (!std::regex_match(text, parts, kWindow)) return std::nullopt;
  const int hours[] = {std::stoi(parts[1].str()), std::stoi(parts[3].str())};
  const int minutes[] = {std::stoi(parts[2].str()), std::stoi(parts[4].str())};
  for (const int hour : hours) {
    if (hour > 23) return std::nullopt;
  }
  for (const int minute : minutes) {
    if (minute > 59) return std::nullopt;
  }
  return DayWindow{.begin_s = (hours[0] * 60 + minutes[0]) * 60,
                   .end_s = (hours[1] * 60 + minutes[1]) * 60};
}

int SecondOfLocalDay() {
  const std::time_t now = kWorldSeconds;
  std::tm local = {};
  localtime_r(&now, &local);
  return (local.tm_hour * 60 + local.tm_min) * 60 + local.tm_sec;
}

// One that ends at or before its beginning goes on past midnight.
bool IsOpenNow(const DayWindow& window) {
  const int now = SecondOfLocalDay();
  if (window.begin_s < window.end_s) return window.begin_s <= now && now <= window.end_s;
  return window.begin_s <= now || now <= window.end_s;
}

}  // namespace

std::string PolicyTwin::WhyClosed(const PodSpec& pod, const NodeSpec& node) const {
  const std::string& zone = node.revocable_zone;
  if (!filters_.windows || zone.empty()) return "";
  const auto text = filters_.windows->find(zone);
  if (text == filters_.windows->end()) return StrCat("revocable zone ", zone, " not support");
  const std::optional<DayWindow> window = WindowIn(text->second);
  if (!window) return StrCat("revocable zone ", text->second, " format error");
  if (!IsOpenNow(*window)) {
    return StrCat("current time beyond revocable zone ", zone, ":", text->second);
  }
  return pod.revocable ? "" : "not allow to dispatch to revocable node";
}

std::string PolicyTwin::WhyBusy(const NodeSpec& node) const {
  constexpr int64_t kTrustedForSeconds = 300;
  if (!filters_.loads || !node.load || node.load->age_s > kTrustedForSeconds) return "";
  if (node.load->cpu_percent > static_cast<double>(filters_.loads->cpu)) {
    return "the CPU load of the node exceeds the upper limit.";
  }
  if (node.load->memory_percent > static_cast<double>(filters_.loads->memory)) {
    return "the memory load of the node exceeds the upper limit.";
  }
  return "";
}

std::string PolicyTwin::WhyReserved(const PodSpec& pod, const Idle& idle) const {
  constexpr int64_t kBytesPerMilli = 1'000'000;  // Of a decimal gigabyte.
  if (!filters_.reserve || pod.gpu_milli > 0 || idle.gpu_milli <= 0) return "";
  const int64_t cpu = 4 * (idle.cpu_milli - pod.cpu_milli);
  const int64_t memory = 4 * (idle.memory_bytes - pod.memory_bytes);
  const bool stays_free =
      cpu >= idle.gpu_milli * filters_.reserve->cpu_quarters &&
      memory >= idle.gpu_milli * filters_.reserve->memory_quarters * kBytesPerMilli;
  return stays_free ? "" : "proportional of resource nvidia.com/gpu check failed";
}

}  // namespace bth::test
