//! A compiler's schedule of small loops against the scoreboards.
