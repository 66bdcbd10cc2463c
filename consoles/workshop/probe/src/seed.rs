//! Contains `unsafe`: a symbol of the C library. The hash maps' random seed is a constant, so that two runs count alike.
#![expect(unsafe_code, reason = "takes the place of a function of the C library")]

/// Takes the place of the C library's `getrandom`, which the standard library asks for the seeds of its hash maps.
///
/// # Safety
/// `bytes` can be written for `length` bytes.
#[unsafe(no_mangle)]
unsafe extern "C" fn getrandom(bytes: *mut u8, length: usize, _flags: u32) -> isize {
    // SAFETY: as the caller promised.
    unsafe { bytes.write_bytes(0x5a, length) };
    length.cast_signed()
}
