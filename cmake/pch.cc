// Compiled for its precompiled header only.
