//! Exponential and logarithm, computed only with additions, multiplications and divisions. Every machine rounds these
//! operations alike, unlike the functions of the system's library, so that a game is the same everywhere.

use std::f64::consts::{LN_2, LOG2_E};

/// The number of terms of each series: enough for 53 bits on the arguments that occur.
const TERMS: u32 = 14;

/// The exponential, for −700 < `x` < 700.
pub(super) fn exp(x: f64) -> f64 {
    let halvings = (x * LOG2_E).round();
    let rest = x - halvings * LN_2;
    // |rest| < 0.35.
    let sum = (1..TERMS)
        .rev()
        .fold(1.0, |sum, term| 1.0 + rest / f64::from(term) * sum);
    sum * power_of_two(halvings as i32)
}

/// The natural logarithm of a positive number that is not subnormal.
pub(super) fn ln(x: f64) -> f64 {
    let exponent = (x.to_bits() >> 52) as i32 - 1023;
    let mantissa = x * power_of_two(-exponent);
    let (mantissa, exponent) = if mantissa > 1.5 {
        (mantissa / 2.0, exponent + 1)
    } else {
        (mantissa, exponent)
    };
    // ln m = 2·artanh z, and |z| ≤ 1/5.
    let z = (mantissa - 1.0) / (mantissa + 1.0);
    let sum = (0..TERMS)
        .rev()
        .fold(0.0, |sum, term| sum * z * z + 1.0 / f64::from(2 * term + 1));
    2.0 * z * sum + f64::from(exponent) * LN_2
}

fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_what_the_library_computes_but_for_rounding() {
        for step in -4_000..4_000 {
            let x = f64::from(step) * 0.17;
            let (own, library) = (exp(x), x.exp());
            assert!((own / library - 1.0).abs() < 1e-13, "exp {x}");
            assert!((ln(own) - x).abs() <= 1e-13 * x.abs().max(1.0), "ln {own}");
        }
    }

    /// The results have the same bits on every machine.
    #[test]
    fn their_bits_are_pinned() {
        let bits = [0.5, 1.0, 10.25, 99.5].map(|x| [exp(x).to_bits(), ln(x).to_bits()]);
        let pinned = [
            [4_610_103_999_673_009_820, 13_827_790_571_168_217_583],
            [4_613_303_445_314_885_482, 0],
            [4_673_503_459_881_951_477, 4_612_422_982_303_846_230],
            [5_253_278_801_890_270_511, 4_616_865_335_490_414_152],
        ];
        assert_eq!(bits, pinned);
    }
}
