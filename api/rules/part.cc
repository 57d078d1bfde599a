#include "api/rules/part.h"

#include <algorithm>

#include "base/strings.h"

namespace bth::rules {

using types::Json;

const Json& Part::Nothing() {
  static const Json* const nothing = new Json();
  return *nothing;
}

std::string_view Part::Text(std::string_view key) const {
  const Json& member = (*this)[key];
  if (!member.is_null() && !member.is_string()) WrongType(at_.Field(key), member, "a string");
  return member.AsString();
}

std::optional<int64_t> Part::Number(std::string_view key) const {
  const Json& member = (*this)[key];
  if (member.is_null()) return std::nullopt;
  if (member.is_int()) return member.AsInt();
  WrongType(at_.Field(key), member, "an integer");
  return std::nullopt;
}

std::optional<bool> Part::MaybeFlag(std::string_view key) const {
  const Json& member = (*this)[key];
  if (member.is_null()) return std::nullopt;
  if (member.is_bool()) return member.AsBool();
  WrongType(at_.Field(key), member, "a boolean");
  return std::nullopt;
}

bool Part::Flag(std::string_view key) const {
  return MaybeFlag(key).value_or(false);
}

std::vector<std::string_view> Part::Texts(std::string_view key) const {
  std::vector<std::string_view> texts;
  const Json& member = (*this)[key];
  if (member.is_null()) return texts;
  const Place list = at_.Field(key);
  if (!IsArray(member, list)) return texts;
  texts.reserve(member.size());
  for (size_t i = 0; i < member.size(); ++i) {
    const Json& item = member[i];
    if (!item.is_null() && !item.is_string()) WrongType(list.Item(i), item, "a string");
    texts.push_back(item.AsString());
  }
  return texts;
}

std::vector<std::pair<std::string_view, std::string_view>> Part::TextMap(
    std::string_view key) const {
  std::vector<std::pair<std::string_view, std::string_view>> texts;
  const Place map = at_.Field(key);
  for (const auto& [name, value] : Members(key)) {
    if (value->is_string() || value->is_null()) {
      texts.emplace_back(name, value->AsString());
    } else {
      WrongType(map.Key(name), *value, "a string");
    }
  }
  return texts;
}

std::vector<std::pair<std::string_view, const Json*>> Part::Members(std::string_view key) const {
  const Json& member = (*this)[key];
  if (member.is_null() || !IsObject(member, at_.Field(key))) return {};
  return SortedMembers(member);
}

size_t Part::SizeOf(std::string_view key) const {
  const Json& member = (*this)[key];
  return member.is_array() ? member.size() : 0;
}

void Part::Invalid(std::string_view key, Json value, std::string_view detail) const {
  if (!full()) Add(rules::Invalid(Field(key), std::move(value), std::string(detail)));
}

void Part::Invalid(std::string_view key, std::string_view value,
                   const std::vector<std::string>& messages) const {
  for (const std::string& message : messages) Invalid(key, Json(value), message);
}

void Part::Required(std::string_view key, std::string_view detail) const {
  if (!full()) Add(rules::Required(Field(key), std::string(detail)));
}

void Part::Duplicate(std::string_view key, Json value) const {
  if (!full()) Add(rules::Duplicate(Field(key), std::move(value)));
}

void Part::Forbidden(std::string_view key, std::string_view detail) const {
  if (!full()) Add(rules::Forbidden(Field(key), std::string(detail)));
}

void Part::NotFound(std::string_view key, Json value) const {
  if (!full()) Add(rules::NotFound(Field(key), std::move(value)));
}

void Part::OneOf(std::string_view key, std::string_view value,
                 absl::Span<const std::string_view> supported) const {
  if (std::find(supported.begin(), supported.end(), value) != supported.end()) return;
  if (!full()) {
    Add(NotSupported(Field(key), Json(value), {supported.begin(), supported.end()}));
  }
}

void Part::Add(FieldError error) const {
  if (!full()) errors_.push_back(std::move(error));
}

std::string Part::Field(std::string_view key) const {
  return key.empty() ? at_.Text() : at_.Field(key).Text();
}

bool Part::IsObject(const Json& value, const Place& at) const {
  if (!value.is_object()) WrongType(at, value, "an object");
  return value.is_object();
}

bool Part::IsArray(const Json& value, const Place& at) const {
  if (!value.is_array()) WrongType(at, value, "an array");
  return value.is_array();
}

void Part::WrongType(const Place& at, const Json& value, std::string_view wanted) const {
  if (full()) return;
  Add({FieldFault::kTypeInvalid, at.Text(), value, StrCat("must be ", wanted)});
}

std::vector<std::pair<std::string_view, const Json*>> SortedMembers(const Json& map) {
  std::vector<std::pair<std::string_view, const Json*>> sorted;
  sorted.reserve(map.size());
  for (const auto& [name, value] : map.members()) sorted.emplace_back(name, &value);
  std::sort(sorted.begin(), sorted.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  return sorted;
}

}  // namespace bth::rules
