// What only a statement may ask of a session.
#pragma once

namespace bth::framework {

// Nobody else can make one.
class StatementKey {
 private:
  friend class Statement;
  StatementKey() = default;
};

}  // namespace bth::framework
