// Which requests are made, and how often.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace bth::hostile {

// Thread: one.
class RequestTally final {
 public:
  // `target`: with or without a query, which does not count.
  void Add(const std::string& method, const std::string& target);
  void Clear() { counts_.clear(); }
  // "1234 x GET /api/v1/pods, 12 x ...": the most frequent ones first; ties by name.
  std::string Most(size_t requests_max) const;

 private:
  std::map<std::string, uint64_t> counts_;
};

}  // namespace bth::hostile
