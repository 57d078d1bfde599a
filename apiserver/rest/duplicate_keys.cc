#include "apiserver/rest/duplicate_keys.h"

#include <algorithm>
#include <set>
#include <utility>

#include "apiserver/rest/request.h"
#include "apiserver/schema/coerce.h"
#include "apiserver/schema/place.h"

namespace bth::apiserver {
namespace {

// Walks from left to right. Every step goes forward, also in texts that are no JSON.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::vector<std::string> Scan() {
    Value(Place(), 0);
    return std::move(found_);
  }

 private:
  void Value(const Place& at, int depth) {
    const char c = Next();
    if (depth > kJsonDepthMax) {
      position_ = text_.size();
    } else if (c == '{') {
      Members(at, depth);
    } else if (c == '[') {
      Items(at, depth);
    } else if (c == '"') {
      Text();
    } else {
      position_ = std::min(text_.find_first_of(",]}", position_), text_.size());
    }
  }

  void Members(const Place& at, int depth) {
    std::set<std::string_view> keys;
    ++position_;
    while (Next() == '"') {
      const std::string_view key = Text();
      const Place here = at.Field(key);
      // Escapes are not resolved: such keys are only found when they are written alike.
      if (!keys.insert(key).second && found_.size() < kUnknownMax) found_.push_back(here.Text());
      if (Next() == ':') ++position_;
      Value(here, depth + 1);
      if (Next() == ',') ++position_;
    }
    if (position_ < text_.size()) ++position_;
  }

  void Items(const Place& at, int depth) {
    ++position_;
    for (size_t i = 0; Next() != ']' && position_ < text_.size(); ++i) {
      const size_t before = position_;
      Value(at.Item(i), depth + 1);
      if (Next() == ',') ++position_;
      if (position_ == before) return;
    }
    if (position_ < text_.size()) ++position_;
  }

  // The inside of the string that begins here.
  std::string_view Text() {
    const size_t begin = ++position_;
    while (position_ < text_.size() && text_[position_] != '"') {
      position_ += text_[position_] == '\\' ? 2 : 1;
    }
    position_ = std::min(position_, text_.size());
    const std::string_view inside = text_.substr(std::min(begin, position_), position_ - begin);
    if (position_ < text_.size()) ++position_;
    return inside;
  }

  // The next character that is no blank, which stays; 0 at the end.
  char Next() {
    position_ = std::min(text_.find_first_not_of(" \t\r\n", position_), text_.size());
    return position_ < text_.size() ? text_[position_] : '\0';
  }

  const std::string_view text_;
  size_t position_ = 0;
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> DuplicateKeys(std::string_view text) {
  return Scanner(text).Scan();
}

}  // namespace bth::apiserver
