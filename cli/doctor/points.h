// What `vcctl doctor` has to say: one point for each thing that it looked at.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "api/types/json.h"

namespace bth::cli {

enum class PointLevel {
  kOk,
  kWarning,     // It works, or will; worth a look.
  kFault,       // Something does not work.
  kNotChecked,  // Nobody knows: it may not be read, or is not there to be asked.
};

struct Point {
  std::string area;     // "leases"
  std::string subject;  // "volcano-system/volcano"
  PointLevel level = PointLevel::kOk;
  std::string found;   // What is so.
  std::string remedy;  // What to do about it; may be empty.
};

// Adds points of one area. `points` outlives it.
class PointsOf final {
 public:
  PointsOf(std::string area, std::vector<Point>* points)
      : area_(std::move(area)), points_(*points) {}

  void Ok(std::string subject, std::string found) const {
    Add(PointLevel::kOk, std::move(subject), std::move(found), "");
  }
  void Warning(std::string subject, std::string found, std::string remedy) const {
    Add(PointLevel::kWarning, std::move(subject), std::move(found), std::move(remedy));
  }
  void Fault(std::string subject, std::string found, std::string remedy) const {
    Add(PointLevel::kFault, std::move(subject), std::move(found), std::move(remedy));
  }
  void NotChecked(std::string subject, std::string why) const {
    Add(PointLevel::kNotChecked, std::move(subject), std::move(why), "");
  }

 private:
  void Add(PointLevel level, std::string subject, std::string found, std::string remedy) const {
    points_.push_back({area_, std::move(subject), level, std::move(found), std::move(remedy)});
  }

  const std::string area_;
  std::vector<Point>& points_;
};

// Objects of one kind, or why they could not be read.
struct ObjectsRead {
  std::vector<types::Json> items;
  std::string unread;

  bool is_read() const { return unread.empty(); }
};

}  // namespace bth::cli
