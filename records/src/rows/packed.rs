//! A column of numbers in blocks, each with the narrowest type that holds its numbers. Most columns of a run are empty
//! or constant over many rows.

/// The number of rows of a block.
const BLOCK: usize = 1024;

/// One number per row; NaN for rows without a number and for rows after the end.
#[derive(Debug, Default)]
pub(super) struct Packed {
    blocks: Vec<PackedBlock>,
    /// The rows after the last block.
    tail: Vec<f64>,
}

/// A block. The largest value of an integer type marks a missing number.
#[derive(Debug)]
enum PackedBlock {
    Same(f64),
    Bytes(Box<[u8]>),
    Halves(Box<[u16]>),
    Words(Box<[u32]>),
    Reals(Box<[f64]>),
}

impl PackedBlock {
    fn of(values: &[f64]) -> Self {
        let first = values[0].to_bits();
        if values.iter().all(|value| value.to_bits() == first) {
            return Self::Same(values[0]);
        }
        let is_whole =
            |value: &f64| value.is_nan() || (value.is_sign_positive() && value.fract() == 0.0);
        let known = values.iter().filter(|value| !value.is_nan());
        let largest = known.copied().fold(0.0, f64::max);
        if !values.iter().all(is_whole) || largest >= f64::from(u32::MAX) {
            return Self::Reals(values.into());
        }
        // Casting infinity gives the largest value of an integer type.
        let or_none = |value: &f64| match value.is_nan() {
            true => f64::INFINITY,
            false => *value,
        };
        let numbers = values.iter().map(or_none);
        if largest < f64::from(u8::MAX) {
            Self::Bytes(numbers.map(|value| value as u8).collect())
        } else if largest < f64::from(u16::MAX) {
            Self::Halves(numbers.map(|value| value as u16).collect())
        } else {
            Self::Words(numbers.map(|value| value as u32).collect())
        }
    }

    #[inline]
    fn get(&self, at: usize) -> f64 {
        fn or_none<T: Copy + PartialEq + Into<f64>>(value: T, none: T) -> f64 {
            if value == none {
                f64::NAN
            } else {
                value.into()
            }
        }
        match self {
            Self::Same(value) => *value,
            Self::Bytes(values) => or_none(values[at], u8::MAX),
            Self::Halves(values) => or_none(values[at], u16::MAX),
            Self::Words(values) => or_none(values[at], u32::MAX),
            Self::Reals(values) => values[at],
        }
    }
}

impl Packed {
    pub(super) fn len(&self) -> usize {
        self.blocks.len() * BLOCK + self.tail.len()
    }

    #[inline]
    pub(super) fn get(&self, row: usize) -> f64 {
        match self.blocks.get(row / BLOCK) {
            Some(block) => block.get(row % BLOCK),
            None => {
                let at = row - self.blocks.len() * BLOCK;
                *self.tail.get(at).unwrap_or(&f64::NAN)
            }
        }
    }

    /// The number as a symbol; 0 if there is none.
    // PERF: without a conversion to `f64`; grouping a million rows reads little else.
    #[inline]
    pub(super) fn symbol(&self, row: usize) -> usize {
        fn or_none<T: Copy + PartialEq + TryInto<usize>>(value: T, none: T) -> usize {
            if value == none {
                0
            } else {
                value.try_into().unwrap_or_default()
            }
        }
        let at = row % BLOCK;
        match self.blocks.get(row / BLOCK) {
            Some(PackedBlock::Bytes(values)) => or_none(values[at], u8::MAX),
            Some(PackedBlock::Halves(values)) => or_none(values[at], u16::MAX),
            Some(PackedBlock::Words(values)) => or_none(values[at], u32::MAX),
            Some(PackedBlock::Same(value)) => *value as usize,
            _ => self.get(row) as usize,
        }
    }

    /// Appends the number of `row`; the rows since the last call have none.
    pub(super) fn push(&mut self, row: usize, value: f64) {
        while self.len() < row {
            if self.tail.is_empty() && row - self.len() >= BLOCK {
                self.blocks.push(PackedBlock::Same(f64::NAN));
            } else {
                self.add(f64::NAN);
            }
        }
        self.add(value);
    }

    fn add(&mut self, value: f64) {
        self.tail.push(value);
        if self.tail.len() == BLOCK {
            self.blocks.push(PackedBlock::of(&self.tail));
            self.tail.clear();
        }
    }
}

impl FromIterator<f64> for Packed {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        let mut packed = Self::default();
        values.into_iter().for_each(|value| packed.add(value));
        packed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_from_every_form() {
        let forms: [fn(usize) -> f64; 9] = [
            |_| 7.0,
            |row| (row % 255) as f64,
            |row| (row % 65_535) as f64,
            |row| (row * 4_000_000) as f64,
            // The largest value of a narrow type is kept for missing numbers.
            |row| (row % 256) as f64,
            |row| (row % 2 * 65_535) as f64,
            |row| (row % 2 * 4_294_967_295) as f64,
            |row| row as f64 - 0.5,
            |row| {
                if row % 3 == 0 {
                    f64::NAN
                } else {
                    (row % 9) as f64
                }
            },
        ];
        for (at, form) in forms.into_iter().enumerate() {
            let packed: Packed = (0..3000).map(form).collect();
            for row in 0..3000 {
                let (found, expected) = (packed.get(row), form(row));
                let is_same = found == expected || (found.is_nan() && expected.is_nan());
                assert!(is_same, "form {at}, row {row}: {found}");
                // NaN becomes 0.
                assert_eq!(
                    packed.symbol(row),
                    expected as usize,
                    "form {at}, row {row}"
                );
            }
            assert!(packed.get(3000).is_nan() && packed.get(100_000).is_nan());
        }
    }

    #[test]
    fn rows_between_have_none() {
        let mut packed = Packed::default();
        packed.push(2, 1.0);
        packed.push(5000, 2.0);
        assert_eq!((packed.get(2), packed.get(5000)), (1.0, 2.0));
        assert_eq!(packed.len(), 5001);
        assert!(
            [0, 1, 3, 1024, 4999]
                .iter()
                .all(|row| packed.get(*row).is_nan())
        );
    }
}
