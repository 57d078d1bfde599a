#include "cli/print/jsonpath/template.h"

#include <utility>

#include "base/status.h"
#include "base/strings.h"
#include "cli/print/jsonpath/parser.h"

namespace bth::cli::jsonpath {

absl::StatusOr<Template> Template::Parse(std::string_view text, const ParseLimits& limits) {
  if (text.size() > limits.bytes_max) {
    return absl::InvalidArgumentError(
        StrCat("the template has ", text.size(), " bytes; the limit is ", limits.bytes_max));
  }
  Template parsed;
  ParseBudget budget = {limits.nodes_max, limits.depth_max};
  for (size_t at = 0; at < text.size();) {
    const size_t brace = text.find('{', at);
    const size_t end = brace == std::string_view::npos ? text.size() : brace;
    if (end > at) {
      parsed.pieces_.push_back({true, types::Json(text.substr(at, end - at)), {}});
    }
    if (end == text.size()) break;
    ActionParser parser(text, end + 1, &budget);
    BTH_ASSIGN_OR_RETURN(NodeList nodes, parser.Run());
    parsed.pieces_.push_back({false, {}, std::move(nodes)});
    at = parser.at();
  }
  return parsed;
}

absl::StatusOr<std::string> RelaxedPath(std::string_view path) {
  if (path.empty()) return std::string();
  std::string_view inside = path;
  const bool has_braces = inside.size() >= 2 && inside.front() == '{' && inside.back() == '}';
  if (has_braces) inside = inside.substr(1, inside.size() - 2);
  if (inside.size() > 1 && inside.front() == '.') inside.remove_prefix(1);
  if (inside.empty() || inside.find_first_of("{}") != std::string_view::npos) {
    return absl::InvalidArgumentError(
        "unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or "
        "'{.name1.name2}'");
  }
  return StrCat("{.", inside, "}");
}

}  // namespace bth::cli::jsonpath
