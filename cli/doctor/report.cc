#include "cli/doctor/report.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <tuple>

#include "base/strings.h"
#include "cli/print/plain_text.h"
#include "cli/print/table.h"
#include "cli/text/padded.h"

namespace bth::cli {
namespace {

using types::Json;

constexpr std::string_view kAreas[] = {
    "server", "definitions", "daemons", "leases",           "roles",
    "policy", "webhooks",    "queues",  "priority classes", "nodes"};
constexpr std::string_view kLevelWords[] = {"OK", "WARNING", "FAULT", "NOT CHECKED"};
constexpr std::string_view kLevelKeys[] = {"ok", "warning", "fault", "notChecked"};
constexpr size_t kLevelWidth = 14;

size_t PlaceOf(const std::string& area) {
  return static_cast<size_t>(std::find(std::begin(kAreas), std::end(kAreas), area) -
                             std::begin(kAreas));
}

using LevelCounts = std::array<int64_t, 4>;

LevelCounts CountLevels(const std::vector<Point>& points, std::string_view area) {
  LevelCounts counts = {};
  for (const Point& point : points) {
    if (area.empty() || point.area == area) ++counts[static_cast<size_t>(point.level)];
  }
  return counts;
}

int64_t Of(const LevelCounts& counts, PointLevel level) {
  return counts[static_cast<size_t>(level)];
}

std::string CountText(int64_t count, std::string_view one, std::string_view many) {
  return StrCat(count, " ", count == 1 ? one : many);
}

std::string AreasTable(const std::vector<Point>& points) {
  Table table{{{"AREA"},
               {"OK", Align::kRight},
               {"WARNINGS", Align::kRight},
               {"FAULTS", Align::kRight},
               {"NOT CHECKED", Align::kRight}},
              {}};
  for (const std::string_view area : kAreas) {
    const LevelCounts counts = CountLevels(points, area);
    std::vector<Cell> row = {{std::string(area)}};
    for (const int64_t count : counts) row.push_back({count == 0 ? "-" : StrCat(count)});
    table.rows.push_back(std::move(row));
  }
  std::string out;
  PrintTable(table, {}, out);
  return out;
}

std::string PointText(const Point& point) {
  std::string out =
      StrCat(Padded(kLevelWords[static_cast<size_t>(point.level)], kLevelWidth), point.area, ": ",
             OnOneLine(point.subject), ": ", OnOneLine(point.found), "\n");
  if (!point.remedy.empty()) {
    StrAppend(&out, std::string(kLevelWidth, ' '), "> ", OnOneLine(point.remedy), "\n");
  }
  return out;
}

}  // namespace

void SortPoints(std::vector<Point>* points) {
  std::stable_sort(points->begin(), points->end(), [](const Point& a, const Point& b) {
    return std::forward_as_tuple(PlaceOf(a.area), a.subject) <
           std::forward_as_tuple(PlaceOf(b.area), b.subject);
  });
}

bool HasFault(const std::vector<Point>& points) {
  return std::any_of(points.begin(), points.end(),
                     [](const Point& point) { return point.level == PointLevel::kFault; });
}

std::string DoctorText(const std::string& server, const std::vector<Point>& points, bool all) {
  const LevelCounts counts = CountLevels(points, "");
  std::string out =
      StrCat(server, ": ", CountText(Of(counts, PointLevel::kFault), "fault", "faults"), ", ",
             CountText(Of(counts, PointLevel::kWarning), "warning", "warnings"), ", ",
             Of(counts, PointLevel::kOk), " in order, ", Of(counts, PointLevel::kNotChecked),
             " not checked\n\n", AreasTable(points));
  bool is_first = true;
  for (const PointLevel level :
       {PointLevel::kFault, PointLevel::kWarning, PointLevel::kNotChecked, PointLevel::kOk}) {
    if (level == PointLevel::kOk && !all) continue;
    for (const Point& point : points) {
      if (point.level != level) continue;
      StrAppend(&out, is_first ? "\n" : "", PointText(point));
      is_first = false;
    }
  }
  return out;
}

Json DoctorJson(const std::string& server, const std::vector<Point>& points) {
  const LevelCounts counts = CountLevels(points, "");
  Json list = Json::MakeArray();
  for (const Point& point : points) {
    Json entry = Json::MakeObject({{"area", point.area},
                                   {"subject", point.subject},
                                   {"level", kLevelKeys[static_cast<size_t>(point.level)]},
                                   {"found", point.found}});
    if (!point.remedy.empty()) entry.Set("remedy", point.remedy);
    list.MutableItems().push_back(std::move(entry));
  }
  return Json::MakeObject({{"server", server},
                           {"faults", Of(counts, PointLevel::kFault)},
                           {"warnings", Of(counts, PointLevel::kWarning)},
                           {"ok", Of(counts, PointLevel::kOk)},
                           {"notChecked", Of(counts, PointLevel::kNotChecked)},
                           {"points", std::move(list)}});
}

}  // namespace bth::cli
