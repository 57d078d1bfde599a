#include "apiserver/schema/validate.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "apiserver/schema/formats.h"
#include "apiserver/schema/place.h"
#include "base/strings.h"
#include "re2/re2.h"

namespace bth::apiserver {
namespace {

// Beyond this a double no longer tells neighbouring whole numbers apart.
constexpr double kExactMax = 9007199254740991.0;

bool IsWholeNumber(double value) {
  return std::abs(value) <= kExactMax && std::floor(value) == value;
}

uint8_t TypesOf(const Json& value) {
  if (value.is_object()) return kTypeObject;
  if (value.is_array()) return kTypeArray;
  if (value.is_string()) return kTypeString;
  if (value.is_bool()) return kTypeBoolean;
  // A whole number is a number too, and 1.0 is whole.
  if (value.is_int()) return kTypeInteger | kTypeNumber;
  return IsWholeNumber(value.AsDouble()) ? kTypeInteger | kTypeNumber : kTypeNumber;
}

size_t CharactersOf(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

// -1, 0, 1: exact where both are whole.
int CompareNumbers(const Json& value, double limit) {
  if (value.is_int() && std::abs(limit) < 9e18 && std::floor(limit) == limit) {
    const auto whole = static_cast<int64_t>(limit);
    return value.AsInt() < whole ? -1 : value.AsInt() > whole ? 1 : 0;
  }
  const double number = value.AsDouble();
  return number < limit ? -1 : number > limit ? 1 : 0;
}

bool IsMultiple(const Json& value, double of) {
  if (of == 0) return true;
  if (value.is_int() && IsWholeNumber(of)) return value.AsInt() % static_cast<int64_t>(of) == 0;
  const double quotient = value.AsDouble() / of;
  return std::floor(quotient) == quotient;
}

bool FitsFormat(const Json& value, std::string_view format) {
  if (format == "float") {
    return std::abs(value.AsDouble()) <= static_cast<double>(std::numeric_limits<float>::max());
  }
  return true;
}

bool FitsWhole(const Json& value, std::string_view format) {
  if (value.is_double() && !IsWholeNumber(value.AsDouble())) return false;
  const double number = value.AsDouble();
  if (format == "int32") {
    return number >= std::numeric_limits<int32_t>::min() &&
           number <= std::numeric_limits<int32_t>::max();
  }
  return true;
}

Cause TypeInvalid(std::string field, const Json& value, std::string_view why) {
  Cause cause = FieldInvalid(std::move(field), value, why);
  cause.reason = "FieldValueTypeInvalid";
  return cause;
}

Cause TooMany(std::string field, size_t count, int64_t max) {
  return {"FieldValueTooMany",
          StrCat("Too many: ", count, ": must have at most ", max, max == 1 ? " item" : " items"),
          std::move(field)};
}

Cause TooLong(std::string field, int64_t max) {
  return {"FieldValueTooLong",
          StrCat("Too long: may not be more than ", max, max == 1 ? " byte" : " bytes"),
          std::move(field)};
}

// A failure that has no field of its own.
Cause Nowhere(std::string why) {
  return {"FieldValueInvalid", StrCat("Invalid value: \"\": ", why), "<nil>"};
}

class Checker {
 public:
  // `out` null: only counts.
  Checker(std::string_view field, std::vector<Cause>* out) : field_(field), out_(out) {}

  size_t errors() const { return errors_; }
  // How many values were looked at; the best of several alternatives is the one that got furthest.
  size_t visited() const { return visited_; }

  void Value(const SchemaNode& node, const Json& value, const Json* old, const Place& at) {
    const size_t before = errors_;
    const size_t kept = out_ == nullptr ? 0 : out_->size();
    ++visited_;
    Rules(node, value, old, at);
    if (errors_ > before && old != nullptr && *old == value) {
      errors_ = before;
      if (out_ != nullptr) out_->resize(kept);
    }
  }

 private:
  void Rules(const SchemaNode& node, const Json& value, const Json* old, const Place& at) {
    if (value.is_null()) {
      if (!node.nullable && node.types != 0) FailType(node.type_text, "null", at);
      Allowed(node, value, at);
      return;
    }
    Type(node, value, at);
    if (node.junctors != nullptr) Junctors(*node.junctors, value, at);
    if (value.is_string()) {
      Text(node, value.AsString(), at);
    } else if (value.is_number()) {
      Number(node, value, at);
    } else if (value.is_array()) {
      Items(node, value, old, at);
    }
    Allowed(node, value, at);
    if (value.is_object()) Members(node, value, old, at);
  }

  template <typename Make>
  void Fail(const Make& make) {
    ++errors_;
    if (out_ != nullptr && out_->size() < kCausesMax) out_->push_back(make());
  }
  std::string FieldOf(const Place& at) const {
    std::string below = at.Text();
    if (field_.empty()) return below;
    return below.empty() ? std::string(field_) : StrCat(field_, ".", below);
  }
  void FailType(std::string_view wanted, std::string_view found, const Place& at) {
    Fail([&] {
      return TypeInvalid(
          FieldOf(at), found,
          StrCat(at.Text(), " in body must be of type ", wanted, ": \"", found, "\""));
    });
  }
  void FailRule(const Json& value, std::string_view rule, const Place& at) {
    Fail([&] {
      return FieldInvalid(FieldOf(at), value, StrCat(at.Text(), " in body should ", rule));
    });
  }

  void Type(const SchemaNode& node, const Json& value, const Place& at) {
    if (node.types == 0 || (TypesOf(value) & node.types) != 0) return;
    // A format tells more than the type, but for what may have one itself.
    if (!node.format.empty() && !value.is_string() && !value.is_array()) {
      FailType(node.format, value.is_int() ? "int64" : value.is_double() ? "float64" : "", at);
      return;
    }
    FailType(node.type_text, value.TypeName(), at);
  }

  void Allowed(const SchemaNode& node, const Json& value, const Place& at) {
    if (node.bounds == nullptr || node.bounds->allowed.empty()) return;
    const std::vector<Json>& allowed = node.bounds->allowed;
    if (std::find(allowed.begin(), allowed.end(), value) != allowed.end()) return;
    Fail([&] {
      std::string list;
      for (const Json& item : allowed) {
        const std::string text = item.is_string() ? std::string(item.AsString()) : item.Dump();
        StrAppend(&list, list.empty() ? "" : ", ", Json(text).Dump());
      }
      return FieldNotSupported(FieldOf(at), value, list);
    });
  }

  void Text(const SchemaNode& node, std::string_view text, const Place& at) {
    if (node.bounds != nullptr) Length(*node.bounds, text, at);
    if (node.format.empty() || HasFormat(node.format, text)) return;
    Fail([&] {
      return TypeInvalid(
          FieldOf(at), text,
          StrCat(at.Text(), " in body must be of type ", node.format, ": ", Json(text).Dump()));
    });
  }

  // The first of these that is broken is told, as they hang together.
  void Length(const SchemaBounds& bounds, std::string_view text, const Place& at) {
    if (bounds.length_max.has_value() || bounds.length_min.has_value()) {
      const auto length = static_cast<int64_t>(CharactersOf(text));
      if (bounds.length_max.has_value() && length > *bounds.length_max) {
        Fail([&] { return TooLong(FieldOf(at), *bounds.length_max); });
        return;
      }
      if (bounds.length_min.has_value() && length < *bounds.length_min) {
        FailRule(text, StrCat("be at least ", *bounds.length_min, " chars long"), at);
        return;
      }
    }
    if (bounds.compiled != nullptr &&
        !re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *bounds.compiled)) {
      FailRule(text, StrCat("match '", bounds.pattern, "'"), at);
    }
  }

  void Number(const SchemaNode& node, const Json& value, const Place& at) {
    const bool whole = node.types == kTypeInteger;
    if (whole ? !FitsWhole(value, node.format) : !FitsFormat(value, node.format)) {
      Fail([&] {
        const std::string form =
            node.format.empty() ? " (default format)" : " with format " + node.format;
        return Nowhere(
            StrCat("Checked value must be of type ", node.type_text, form, " in ", at.Text()));
      });
    }
    if (node.bounds == nullptr) return;
    const SchemaBounds& bounds = *node.bounds;
    if (bounds.multiple_of.has_value() && !IsMultiple(value, *bounds.multiple_of)) {
      FailRule(value, "be a multiple of " + NumberText(*bounds.multiple_of), at);
    }
    if (bounds.maximum.has_value()) {
      const int order = CompareNumbers(value, *bounds.maximum);
      if (order > 0 || (order == 0 && bounds.exclusive_maximum)) {
        FailRule(value,
                 StrCat(bounds.exclusive_maximum ? "be less than " : "be less than or equal to ",
                        NumberText(*bounds.maximum)),
                 at);
      }
    }
    if (bounds.minimum.has_value()) {
      const int order = CompareNumbers(value, *bounds.minimum);
      if (order < 0 || (order == 0 && bounds.exclusive_minimum)) {
        FailRule(
            value,
            StrCat(bounds.exclusive_minimum ? "be greater than " : "be greater than or equal to ",
                   NumberText(*bounds.minimum)),
            at);
      }
    }
  }

  void Items(const SchemaNode& node, const Json& value, const Json* old, const Place& at) {
    const size_t size = value.size();
    if (node.items != nullptr) {
      for (size_t i = 0; i < size; ++i) {
        const Json* was = old == nullptr ? nullptr : OldItem(node, *old, value[i]);
        Value(*node.items, value[i], was, at.Item(i));
      }
    }
    if (node.bounds == nullptr) return;
    const SchemaBounds& bounds = *node.bounds;
    if (bounds.items_min.has_value() && static_cast<int64_t>(size) < *bounds.items_min) {
      FailRule(static_cast<int64_t>(size), StrCat("have at least ", *bounds.items_min, " items"),
               at);
    }
    if (bounds.items_max.has_value() && static_cast<int64_t>(size) > *bounds.items_max) {
      Fail([&] { return TooMany(FieldOf(at), size, *bounds.items_max); });
    }
  }

  // Only items with keys are known to be the same as before.
  static const Json* OldItem(const SchemaNode& node, const Json& old, const Json& item) {
    if (node.list != ListKind::kMap) return nullptr;
    for (const Json& was : old.items()) {
      if (std::all_of(node.keys.begin(), node.keys.end(),
                      [&](const std::string& key) { return was[key] == item[key]; })) {
        return &was;
      }
    }
    return nullptr;
  }

  void Members(const SchemaNode& node, const Json& value, const Json* old, const Place& at) {
    if (node.bounds != nullptr) Count(*node.bounds, value.size(), at);
    if (node.embedded) Embedded(value, at);
    for (const std::string& name : node.required) {
      if (value.Find(name) != nullptr) continue;
      Fail([&] { return FieldRequired(FieldOf(at.Field(name))); });
    }
    for (const auto& [name, member] : value.members()) {
      const SchemaNode* child = node.Property(name);
      if (child == nullptr) child = node.additional.get();
      if (child != nullptr) {
        const Json* was = old == nullptr ? nullptr : old->Find(name);
        Value(*child, member, was, at.Field(name));
      } else if (node.forbids_additional) {
        Fail([&] {
          return FieldInvalid(FieldOf(at), name,
                              StrCat(at.Field(name).Text(), " in body is a forbidden property"));
        });
      }
    }
  }

  void Count(const SchemaBounds& bounds, size_t size, const Place& at) {
    if (bounds.properties_min.has_value() && static_cast<int64_t>(size) < *bounds.properties_min) {
      FailRule(static_cast<int64_t>(size),
               StrCat("have at least ", *bounds.properties_min, " properties"), at);
    }
    if (bounds.properties_max.has_value() && static_cast<int64_t>(size) > *bounds.properties_max) {
      Fail([&] { return TooMany(FieldOf(at), size, *bounds.properties_max); });
    }
  }

  void Embedded(const Json& value, const Place& at) {
    for (const char* key : {"apiVersion", "kind"}) {
      const Json* text = value.Find(key);
      if (text != nullptr && !text->AsString().empty()) continue;
      Fail([&] {
        return FieldRequired(FieldOf(at.Field(key)), text == nullptr ? "" : "must not be empty");
      });
    }
  }

  bool Keeps(const SchemaNode& node, const Json& value, const Place& at) {
    Checker quiet(field_, nullptr);
    quiet.Value(node, value, nullptr, at);
    return quiet.errors() == 0;
  }

  void Junctors(const SchemaJunctors& junctors, const Json& value, const Place& at) {
    auto keeps = [&](const SchemaNodePtr& node) { return Keeps(*node, value, at); };
    if (!junctors.any.empty() && std::none_of(junctors.any.begin(), junctors.any.end(), keeps)) {
      Fail([&] { return Nowhere(Quoted(at) + " must validate at least one schema (anyOf)"); });
      Nearest(junctors.any, value, at);
    }
    if (!junctors.one.empty()) {
      const auto valid = std::count_if(junctors.one.begin(), junctors.one.end(), keeps);
      if (valid != 1) {
        Fail([&] {
          return Nowhere(StrCat(Quoted(at),
                                " must validate one and only one schema (oneOf). Found ",
                                valid == 0 ? "none valid" : StrCat(valid, " valid alternatives")));
        });
        if (valid == 0) Nearest(junctors.one, value, at);
      }
    }
    AllOf(junctors.all, value, at);
    if (junctors.none != nullptr && keeps(junctors.none)) {
      Fail([&] { return Nowhere(Quoted(at) + " must not validate the schema (not)"); });
    }
  }

  void AllOf(const std::vector<SchemaNodePtr>& all, const Json& value, const Place& at) {
    size_t valid = 0;
    for (const SchemaNodePtr& node : all) {
      const size_t before = errors_;
      Value(*node, value, nullptr, at);
      valid += errors_ == before ? 1 : 0;
    }
    if (valid == all.size()) return;
    Fail([&] {
      return Nowhere(StrCat(Quoted(at), " must validate all the schemas (allOf)",
                            valid == 0 ? ". None validated" : ""));
    });
  }

  // Tells what is wrong with the alternative that got furthest, the first of several.
  void Nearest(const std::vector<SchemaNodePtr>& nodes, const Json& value, const Place& at) {
    if (out_ == nullptr) return;
    const SchemaNode* nearest = nullptr;
    size_t furthest = 0;
    for (const SchemaNodePtr& node : nodes) {
      Checker quiet(field_, nullptr);
      quiet.Value(*node, value, nullptr, at);
      if (quiet.visited() > furthest) {
        furthest = quiet.visited();
        nearest = node.get();
      }
    }
    if (nearest != nullptr) Value(*nearest, value, nullptr, at);
  }

  static std::string Quoted(const Place& at) { return Json(at.Text()).Dump(); }

  const std::string_view field_;
  std::vector<Cause>* const out_;
  size_t errors_ = 0;
  size_t visited_ = 0;
};

}  // namespace

std::string NumberText(double value) {
  char buffer[64];
  const double size = std::abs(value);
  const bool plain = size == 0 || (size >= 1e-4 && size < 1e21);
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value,
                                 plain ? std::chars_format::fixed : std::chars_format::scientific);
  return std::string(buffer, end.ptr);
}

std::vector<Cause> CheckValue(const Checked& checked) {
  std::vector<Cause> causes;
  Checker(checked.field, &causes).Value(checked.node, checked.value, nullptr, Place());
  if (causes.empty() || checked.old == nullptr) return causes;
  // Only now is it worth while to look at what was there before.
  causes.clear();
  Checker(checked.field, &causes).Value(checked.node, checked.value, checked.old, Place());
  return causes;
}

}  // namespace bth::apiserver
