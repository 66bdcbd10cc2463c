//! Numbers for the simulations of several modules.

use ikeru_core::Random;

/// A normal number (Box and Muller 1958).
pub fn normal(random: &mut Random) -> f64 {
    let mut uniform = || (random.below(1 << 30) as f64 + 0.5) / f64::from(1 << 30);
    let (a, b) = (uniform(), uniform());
    (-2.0 * a.ln()).sqrt() * (std::f64::consts::TAU * b).cos()
}
