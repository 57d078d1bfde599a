#include "cel/syntax/diagnostics.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/strings.h"

namespace bth::cel {
namespace {

constexpr int kNoLine = -1;
constexpr size_t kSnippetBytesMax = 16'384;
// One line of 16 KiB may be quoted a hundred times: the whole answer is bounded too.
constexpr size_t kAnswerBytesMax = 256 * 1024;

}  // namespace

void Diagnostics::Report(int32_t offset, std::string what) {
  // An empty text has no column to point at.
  Add({source_.size() == 0 ? SourcePlace{1, -1} : source_.Place(offset), std::move(what)});
}

void Diagnostics::ReportWhole(std::string what) {
  Add({{kNoLine, kNoLine}, std::move(what)});
}

void Diagnostics::Add(Fault fault) {
  ++count_;
  if (faults_.size() < faults_max_) faults_.push_back(std::move(fault));
}

std::string Diagnostics::Text(const Fault& fault) const {
  std::string text =
      StrCat("ERROR: <input>:", fault.place.line, ":", fault.place.column + 1, ": ", fault.what);
  if (fault.place.line == kNoLine || source_.size() == 0 ||
      source_.LineBytes(fault.place.line) > kSnippetBytesMax) {
    return text;
  }
  std::string line = source_.Line(fault.place.line);
  std::replace(line.begin(), line.end(), '\t', ' ');
  StrAppend(&text, "\n | ", line, "\n | ");
  // Characters of several bytes are taken to be wide, and so are the marks below them.
  const SourceText points(line);
  const auto column = static_cast<size_t>(fault.place.column);
  for (size_t i = 0; i < column && !points.AtEnd(i); ++i) {
    text += points[i] < 0x80 ? "." : "\xEF\xBC\x8E";  // U+FF0E
  }
  text += points[column] < 0x80 ? "^" : "\xEF\xBC\xBE";  // U+FF3E
  return text;
}

absl::Status Diagnostics::ToStatus() const {
  if (empty()) return absl::OkStatus();
  std::vector<Fault> sorted = faults_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Fault& a, const Fault& b) {
    return std::tie(a.place.line, a.place.column) < std::tie(b.place.line, b.place.column);
  });
  std::string text;
  size_t printed = 0;
  for (; printed < sorted.size() && text.size() < kAnswerBytesMax; ++printed) {
    if (printed > 0) text += "\n";
    text += Text(sorted[printed]);
  }
  if (printed < count_) StrAppend(&text, "\n", count_ - printed, " more errors were truncated");
  return absl::InvalidArgumentError(text);
}

}  // namespace bth::cel
