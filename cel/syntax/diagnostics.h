// Faults found in an expression, printed as cel-go does: each with its line and a mark below it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "cel/syntax/source_text.h"

namespace bth::cel {

class Diagnostics {
 public:
  // `source` must outlive this. Beyond `faults_max` faults are only counted.
  Diagnostics(const SourceText& source, size_t faults_max)
      : source_(source), faults_max_(faults_max) {}

  void Report(int32_t offset, std::string what);
  // Of the expression as a whole: its place is printed as -1:0.
  void ReportWhole(std::string what);

  bool empty() const { return count_ == 0; }
  // OK without faults, else kInvalidArgument with them in the order of their places.
  absl::Status ToStatus() const;

 private:
  struct Fault {
    SourcePlace place;
    std::string what;
  };
  void Add(Fault fault);
  std::string Text(const Fault& fault) const;

  const SourceText& source_;
  const size_t faults_max_;
  size_t count_ = 0;
  std::vector<Fault> faults_;
};

}  // namespace bth::cel
