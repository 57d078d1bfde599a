// Which resources have a dimension, and who gets the next one.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "api/model/resource_vec.h"
#include "cache/intake/compiled.h"

namespace bth::cache {

// A resource has a dimension while somebody asks for it and there is room. When there is none, what
// the policy names goes before what nodes offer, that before what no node offers, and, among
// equals, who came first stays. A resource that nobody asks for any more keeps its dimension until
// another needs it, so that pods that come and go cost nothing. Thread: I/O. Costs: of asking and
// offering, the names given; of settling, the dimensions, for each that changes.
class DimensionBook {
 public:
  DimensionBook();

  // Resources whose dimension nobody else can get.
  static bool IsBuiltIn(std::string_view name);

  const model::DimensionTable& table() const { return *table_; }
  // For snapshots; a new object whenever a dimension has another name.
  std::shared_ptr<const model::DimensionTable> shared_table() const { return table_; }

  // One more, or one less, asks for these; amounts of zero do not count.
  void Ask(const NamedAmounts& amounts, int sign) { Count(amounts, &Name::asks, sign); }
  // One more, or one less, node has these.
  void Offer(const NamedAmounts& amounts, int sign) { Count(amounts, &Name::offers, sign); }
  // Those that the policy needs, whether somebody asks for them or not; instead of earlier ones.
  void Pin(const std::vector<std::string>& names);
  // Nobody asks and no node offers; the table and what the policy needs stay.
  void StartOver();

  // Something came or went by which dimensions may have to change hands.
  bool unsettled() const { return unsettled_; }
  // Gives dimensions to those that go first. Returns the resources, sorted, whose use counts from
  // now on, or counts no more.
  std::vector<std::string> Settle();

  // Use of the resource is in sums: it has a dimension, and somebody asks for it. What pods of
  // other schedulers use of it must not depend on who asked in former times.
  bool Counts(const std::string& resource) const;
  // The first of these that has no dimension; nothing when all have.
  std::optional<std::string> FindUncounted(const NamedAmounts& amounts) const;

  // Dimensions of resources that somebody asks for or that are built in.
  int used() const;
  // Resources that somebody asks for and that found no room.
  size_t waiting() const { return waiting_.size(); }
  // Names that are known, with a dimension or without.
  size_t names() const { return names_.size(); }

 private:
  // Whose turn it is: the higher rank first, then who came first.
  using Turn = std::pair<int, uint64_t>;
  struct Name {
    int64_t asks = 0;
    int64_t offers = 0;
    bool pinned = false;
    uint64_t came = 0;
    int dim = -1;
    bool counts = false;
    std::optional<Turn> waits;  // Its place in `waiting_`.

    int rank() const;
  };

  void Count(const NamedAmounts& amounts, int64_t Name::*counter, int sign);
  Name& NameOf(const std::string& text);
  // After something about the name changed; it may be gone afterwards.
  void Refile(const std::string& text, Name& name);
  // A dimension for a name of this rank; nothing when all are taken by its like or better.
  std::optional<int> RoomFor(int rank) const;

  std::shared_ptr<const model::DimensionTable> table_;
  absl::flat_hash_map<std::string, Name> names_;  // But for the built-in ones.
  std::map<Turn, std::string> waiting_;
  std::vector<std::string> turned_;  // Whose `counts` changed since they were settled.
  bool unsettled_ = false;
  uint64_t came_ = 0;
};

}  // namespace bth::cache
