// Points as lines, for comparisons.
#pragma once

#include <string>
#include <vector>

#include "base/strings.h"
#include "cli/doctor/points.h"
#include "tests/support/catch.h"

namespace bth::test {

inline types::Json Parsed(const std::string& text) {
  const auto json = types::Json::Parse(text);
  INFO(text);
  REQUIRE(json.ok());
  return *json;
}

inline cli::ObjectsRead ListingOf(const std::vector<std::string>& objects) {
  cli::ObjectsRead listing;
  for (const std::string& text : objects) listing.items.push_back(Parsed(text));
  return listing;
}

// "fault: subject: found", one line each.
inline std::string PointsText(const std::vector<cli::Point>& points) {
  static constexpr const char* kWords[] = {"ok", "warning", "fault", "not checked"};
  std::string out;
  for (const cli::Point& point : points) {
    StrAppend(&out, kWords[static_cast<size_t>(point.level)], ": ", point.subject, ": ",
              point.found, "\n");
  }
  return out;
}

// Whatever is not in order has a remedy, and what is has none.
inline bool HaveRemedies(const std::vector<cli::Point>& points) {
  for (const cli::Point& point : points) {
    const bool wants =
        point.level == cli::PointLevel::kFault || point.level == cli::PointLevel::kWarning;
    if (wants == point.remedy.empty()) return false;
  }
  return true;
}

}  // namespace bth::test
