//! Contains `unsafe`: a symbol of the C library. Makes the hash maps' random seed constant, so that two runs have
//! equal counts.
#![expect(unsafe_code, reason = "takes the place of a function of the C library")]

/// Replaces the C library's `getrandom`, from which the standard library takes the seeds of its hash maps.
///
/// # Safety
/// `bytes` must be valid for writes of `length` bytes.
#[unsafe(no_mangle)]
unsafe extern "C" fn getrandom(bytes: *mut u8, length: usize, _flags: u32) -> isize {
    // SAFETY: as the caller promised.
    unsafe { bytes.write_bytes(0x5a, length) };
    length.cast_signed()
}
