// Memory of coroutine frames, used again and again: most live for one request.
#pragma once

#include <cstddef>

namespace bth::net {

// As operator new and delete, with a bounded store of freed frames on each thread. A frame may be
// freed on another thread than the one that made it. Thread: any.
void* AllocateFrame(size_t bytes);
void FreeFrame(void* frame, size_t bytes) noexcept;

}  // namespace bth::net
