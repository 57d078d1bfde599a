#include "cli/print/jsonpath/evaluate.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/status.h"
#include "base/strings.h"
#include "cli/print/go_text.h"
#include "cli/print/json_text.h"
#include "cli/print/jsonpath/compare.h"

namespace bth::cli::jsonpath {
namespace {

using types::Json;

// Recursive descent follows the object, whose reader limits its depth; this is for those made by
// hand.
constexpr int kDescentMax = 256;

absl::Status RefuseValue(std::string_view why) {
  return absl::InvalidArgumentError(ToAbsl(why));
}

// What a walk over one node left behind. After an error the values are those that an existence test
// of a filter counts, as in Kubernetes.
struct Walked {
  Results values;
  absl::Status status;
};

// One run of a template. Thread: one.
class Evaluation {
 public:
  Evaluation(const Template& program, const EvaluateOptions& options)
      : pieces_(program.pieces()), options_(options) {}

  absl::Status RunFrom(size_t first, const Result& root, std::vector<Results>* out);

 private:
  // How often the pieces behind a `range` are run: once per value, and once for nothing, to find
  // their end, when there is no value.
  absl::Status RunRange(size_t next, const Results& values, std::vector<Results>* out);

  Walked WalkList(Results values, const NodeList& nodes);
  Walked WalkNode(Results values, const Node& node);
  Walked Visit(Results values, const TextNode& node);
  Walked Visit(Results values, const FieldNode& node);
  Walked Visit(Results values, const WordNode& node);
  Walked Visit(Results values, const LiteralNode& node);
  Walked Visit(Results values, const SliceNode& node);
  Walked Visit(Results values, const WildcardNode& node);
  Walked Visit(Results values, const RecursiveNode& node);
  Walked Visit(Results values, const UnionNode& node);
  Walked Visit(Results values, const FilterNode& node);
  absl::Status Descend(const Result& value, int depth, Results* out);
  absl::StatusOr<bool> Holds(const Condition& condition, const Json& item);

  // Counts steps, one and one for each of `values`; an error when a limit is reached.
  absl::Status Step(const Results& values);

  const std::vector<Piece>& pieces_;
  const EvaluateOptions& options_;
  size_t steps_ = 0;
  size_t kept_ = 0;  // Values handed back.
  // Words seen and not yet acted upon, and how many ranges are open.
  int begins_ = 0, open_ = 0, ends_ = 0;
  size_t last_end_ = 0;  // The piece with the last `end`.
};

absl::Status TooMany() {
  return absl::ResourceExhaustedError("the template finds too many values");
}

// The members of objects and items of lists; of texts, Kubernetes takes the bytes.
Results ChildrenOf(const Json& value) {
  Results children;
  if (value.is_object()) {
    for (const Json::Member* member : SortedMembers(value)) children.emplace_back(&member->second);
  } else if (value.is_array()) {
    for (const Json& item : value.items()) children.emplace_back(&item);
  } else if (value.is_string()) {
    for (const char c : value.AsString()) {
      children.emplace_back(Json(int64_t{static_cast<unsigned char>(c)}));
    }
  }
  return children;
}

std::string_view GoTypeOf(const Json& value) {
  if (value.is_object()) return "map[string]interface {}";
  if (value.is_string()) return "string";
  if (value.is_bool()) return "bool";
  return value.is_double() ? "float64" : "int64";
}

absl::Status Evaluation::Step(const Results& values) {
  steps_ += 1 + values.size();
  if (steps_ > options_.steps_max || values.size() > options_.results_max) {
    return TooMany();
  }
  return absl::OkStatus();
}

absl::Status Evaluation::RunFrom(size_t first, const Result& root, std::vector<Results>* out) {
  for (size_t at = first; at < pieces_.size(); ++at) {
    const Piece& piece = pieces_[at];
    Walked walked;
    if (piece.is_text) {
      walked.values.emplace_back(&piece.text);
    } else {
      walked = WalkList({root}, piece.nodes);
      BTH_RETURN_IF_ERROR(walked.status);
    }
    BTH_RETURN_IF_ERROR(Step(walked.values));
    if (ends_ > 0 && ends_ <= open_) {
      --ends_;
      last_end_ = at;
      return absl::OkStatus();
    }
    if (begins_ == 0) {
      // An empty result counts too: it takes its place.
      kept_ += 1 + walked.values.size();
      if (kept_ > options_.results_max) return TooMany();
      out->push_back(std::move(walked.values));
      continue;
    }
    --begins_;
    ++open_;
    BTH_RETURN_IF_ERROR(RunRange(at + 1, walked.values, out));
    --open_;
    // Without an `end` the pieces behind are run once more, as Kubernetes does.
    if (last_end_ > at) at = last_end_;
  }
  return absl::OkStatus();
}

absl::Status Evaluation::RunRange(size_t next, const Results& values, std::vector<Results>* out) {
  if (open_ > kDescentMax) return RefuseValue("the ranges of the template are nested too deep");
  if (values.empty()) {
    std::vector<Results> nothing;
    return RunFrom(next, Result(Json()), &nothing);
  }
  for (const Result& value : values) {
    // A null of the object is no value at all inside of a range.
    const bool is_null = value.value().is_null();
    BTH_RETURN_IF_ERROR(RunFrom(next, is_null ? Result(Json()) : value, out));
  }
  return absl::OkStatus();
}

Walked Evaluation::WalkList(Results values, const NodeList& nodes) {
  Walked walked = {std::move(values), absl::OkStatus()};
  for (const Node& node : nodes) {
    walked = WalkNode(std::move(walked.values), node);
    if (!walked.status.ok()) break;
  }
  return walked;
}

Walked Evaluation::WalkNode(Results values, const Node& node) {
  Walked walked = std::visit(
      [this, &values](const auto& what) { return Visit(std::move(values), what); }, node.what);
  if (walked.status.ok()) walked.status = Step(walked.values);
  return walked;
}

Walked Evaluation::Visit(Results, const TextNode& node) {
  Walked walked;
  walked.values.emplace_back(&node.text);
  return walked;
}

Walked Evaluation::Visit(Results values, const FieldNode& node) {
  Walked walked;
  for (const Result& value : values) {
    const Json* const member = value.value().Find(node.name);
    if (member != nullptr) walked.values.emplace_back(member);
  }
  if (walked.values.empty() && !values.empty() && !options_.allow_missing_keys) {
    walked.status = RefuseValue(StrCat(node.name, " is not found"));
  }
  return walked;
}

Walked Evaluation::Visit(Results values, const WordNode& node) {
  Walked walked;
  if (node.word == "range") {
    ++begins_;
    walked.values = std::move(values);
  } else if (node.word != "end") {
    walked.values = std::move(values);
    walked.status = RefuseValue(StrCat("unrecognized identifier ", node.word));
  } else if (open_ > 0) {
    ++ends_;
  } else {
    walked.status = RefuseValue("not in range, nothing to end");
  }
  return walked;
}

Walked Evaluation::Visit(Results values, const LiteralNode& node) {
  Walked walked;
  for (size_t i = 0; i < values.size(); ++i) walked.values.emplace_back(&node.value);
  return walked;
}

// Where a slice begins and ends in a list of this length; an error when that is not inside.
absl::StatusOr<std::pair<int64_t, int64_t>> BoundsOf(const SliceNode& node, int64_t length) {
  int64_t start = node.start.known ? node.start.value : 0;
  if (start < 0) start += length;
  int64_t end = node.end.known ? node.end.value : length;
  if (end < 0 || (end == 0 && node.is_index)) end += length;
  if (start == end) return std::pair(start, end);
  if (start >= length || start < 0) {
    return RefuseValue(StrCat("array index out of bounds: index ", start, ", length ", length));
  }
  if (end > length || end < 0) {
    return RefuseValue(StrCat("array index out of bounds: index ", end - 1, ", length ", length));
  }
  if (start > end) {
    return RefuseValue(StrCat("starting index ", start, " is greater than ending index ", end));
  }
  return std::pair(start, end);
}

Walked Evaluation::Visit(Results values, const SliceNode& node) {
  Walked walked;
  for (const Result& value : values) {
    const Json& list = value.value();
    if (list.is_null()) continue;
    if (!list.is_array()) {
      return {std::move(values), RefuseValue(StrCat(GoTypeOf(list), " is not array or slice"))};
    }
    const auto bounds = BoundsOf(node, static_cast<int64_t>(list.size()));
    if (!bounds.ok()) return {std::move(values), bounds.status()};
    const auto [start, end] = *bounds;
    if (start == end) return walked;
    if (node.step.known && node.step.value <= 0) {
      return {std::move(values), RefuseValue("step must be > 0")};
    }
    const int64_t step = node.step.known ? std::min(node.step.value, end) : 1;
    for (int64_t i = start; i < end; i += step) {
      walked.values.emplace_back(&list.items()[static_cast<size_t>(i)]);
    }
    if (walked.values.size() > options_.results_max) break;  // WalkNode tells.
  }
  return walked;
}

Walked Evaluation::Visit(Results values, const WildcardNode&) {
  Walked walked;
  for (const Result& value : values) {
    for (Result& child : ChildrenOf(value.value())) walked.values.push_back(std::move(child));
    if (walked.values.size() > options_.results_max) break;  // WalkNode tells.
  }
  return walked;
}

Walked Evaluation::Visit(Results values, const RecursiveNode&) {
  Walked walked;
  for (const Result& value : values) {
    walked.status = Descend(value, 0, &walked.values);
    if (!walked.status.ok()) break;
  }
  return walked;
}

absl::Status Evaluation::Descend(const Result& value, int depth, Results* out) {
  if (depth > kDescentMax) return RefuseValue("the object is nested too deep");
  if (++steps_ > options_.steps_max || out->size() > options_.results_max) return TooMany();
  const Json& json = value.value();
  // A text has bytes below it, which have nothing.
  if (json.is_string() && !json.AsString().empty()) out->push_back(value);
  if (json.empty()) return absl::OkStatus();
  out->push_back(value);
  for (const Result& child : ChildrenOf(json)) {
    BTH_RETURN_IF_ERROR(Descend(child, depth + 1, out));
  }
  return absl::OkStatus();
}

Walked Evaluation::Visit(Results values, const UnionNode& node) {
  Walked walked;
  for (const NodeList& part : node.parts) {
    Walked found = WalkList(values, part);
    if (!found.status.ok()) return {std::move(values), found.status};
    for (Result& value : found.values) walked.values.push_back(std::move(value));
    if (walked.values.size() > options_.results_max) break;  // WalkNode tells.
  }
  return walked;
}

Walked Evaluation::Visit(Results values, const FilterNode& node) {
  Walked walked;
  for (const Result& value : values) {
    const Json& list = value.value();
    if (!list.is_array()) {
      const bool is_nothing = value.is_made() && list.is_null();
      const std::string what = is_nothing ? "<invalid reflect.Value>" : GoPrint(list);
      return {std::move(values),
              RefuseValue(StrCat(what, " is not array or slice and cannot be filtered"))};
    }
    for (const Json& item : list.items()) {
      bool passes = false;
      for (const std::vector<Condition>& group : node.groups) {
        bool all = true;
        for (const Condition& condition : group) {
          const absl::StatusOr<bool> holds = Holds(condition, item);
          if (!holds.ok()) return {std::move(values), holds.status()};
          all = *holds;
          if (!all) break;
        }
        passes = all;
        if (passes) break;
      }
      if (passes) walked.values.emplace_back(&item);
    }
    if (walked.values.size() > options_.results_max) break;  // WalkNode tells.
  }
  return walked;
}

absl::StatusOr<bool> Evaluation::Holds(const Condition& condition, const Json& item) {
  const Walked left = WalkList({Result(&item)}, condition.left);
  if (left.status.code() == absl::StatusCode::kResourceExhausted) return left.status;
  if (condition.op.empty()) return !left.values.empty();
  BTH_RETURN_IF_ERROR(left.status);
  if (left.values.empty()) return false;
  if (left.values.size() > 1) return RefuseValue("can only compare one element at a time");
  const Walked right = WalkList({Result(&item)}, condition.right);
  BTH_RETURN_IF_ERROR(right.status);
  if (right.values.empty()) return false;
  if (right.values.size() > 1) return RefuseValue("can only compare one element at a time");
  return Compare(left.values[0].value(), condition.op, right.values[0].value());
}

std::string TextOf(const Result& result) {
  const Json& value = result.value();
  if (value.is_object() || value.is_array()) return CompactJson(value);
  if (value.is_null()) return result.is_made() ? "<no value>" : "null";
  return GoPrint(value);
}

absl::Status TooLong() {
  return absl::ResourceExhaustedError("the output of the template is too long");
}

}  // namespace

absl::StatusOr<std::vector<Results>> Evaluate(const Template& program, const Json& root,
                                              const EvaluateOptions& options) {
  std::vector<Results> results;
  Evaluation evaluation(program, options);
  BTH_RETURN_IF_ERROR(evaluation.RunFrom(0, Result(&root), &results));
  return results;
}

absl::Status PrintResults(const std::vector<Results>& results, size_t bytes_max, std::string& out) {
  const size_t start = out.size();
  for (const Results& piece : results) {
    for (size_t i = 0; i < piece.size(); ++i) {
      if (i > 0) out.push_back(' ');
      out.append(TextOf(piece[i]));
      if (out.size() - start > bytes_max) return TooLong();
    }
  }
  return absl::OkStatus();
}

absl::Status PrintResultsAsJson(const std::vector<Results>& results, size_t bytes_max,
                                std::string& out) {
  const size_t start = out.size();
  for (const Results& piece : results) {
    out.push_back('[');
    for (size_t i = 0; i < piece.size(); ++i) {
      StrAppend(&out, i > 0 ? ",\n    " : "\n    ", IndentedJson(piece[i].value(), 1));
      if (out.size() - start > bytes_max) return TooLong();
    }
    out.append(piece.empty() ? "]\n" : "\n]\n");
  }
  return absl::OkStatus();
}

}  // namespace bth::cli::jsonpath
