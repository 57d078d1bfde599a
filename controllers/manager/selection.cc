#include "controllers/manager/selection.h"

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "base/suggest.h"

namespace bth::controllers {
namespace {

std::string_view WithoutSign(std::string_view entry) {
  const bool has_sign = !entry.empty() && (entry.front() == '+' || entry.front() == '-');
  return has_sign ? entry.substr(1) : entry;
}

bool IsExclusion(std::string_view entry) {
  return !entry.empty() && entry.front() == '-';
}

bool IsKnown(std::string_view entry, const std::vector<std::string_view>& known) {
  const std::string_view name = WithoutSign(entry);
  return name == "*" || std::find(known.begin(), known.end(), name) != known.end();
}

std::string Complaint(std::string_view entry, const std::vector<std::string_view>& known) {
  return StrCat("--controllers: ", entry, ": no such controller",
                DidYouMean(WithoutSign(entry), known));
}

}  // namespace

bool IsSelected(std::string_view name, const std::vector<std::string>& selection) {
  bool others = selection.empty();
  for (const std::string_view entry : selection) {
    if (entry == "*") {
      others = true;
    } else if (WithoutSign(entry) == name) {
      return entry.front() != '-';
    }
  }
  return others;
}

absl::Status CheckSelection(const std::vector<std::string>& selection) {
  std::set<std::string_view> named;
  for (const std::string& entry : selection) {
    if (entry == "*" || named.insert(WithoutSign(entry)).second) continue;
    return absl::InvalidArgumentError(StrCat("controllers option ", entry,
                                             " cannot have both '-' and '+' prefixes: name "
                                             "each controller once"));
  }
  return absl::OkStatus();
}

absl::Status CheckNames(const std::vector<std::string>& selection,
                        const std::vector<std::string_view>& known) {
  for (const std::string& entry : selection) {
    if (IsExclusion(entry) || IsKnown(entry, known)) continue;
    return absl::InvalidArgumentError(Complaint(entry, known));
  }
  return absl::OkStatus();
}

std::vector<std::string> UnknownNames(const std::vector<std::string>& selection,
                                      const std::vector<std::string_view>& known) {
  std::vector<std::string> complaints;
  for (const std::string& entry : selection) {
    if (IsExclusion(entry) && !IsKnown(entry, known)) complaints.push_back(Complaint(entry, known));
  }
  return complaints;
}

}  // namespace bth::controllers
