//! The recurrence without vector instructions. Every other kernel gives the same values and decisions for the states
//! that have a T-join.

use super::number::Number;
use super::tables::{PARITIES, Tables, double, parity, sum_high};

impl<C: Number> Tables<C> {
    /// Splits the vertical costs below `row` into sums for the state's bits from the fourth on, written to `high`,
    /// and sums for its first three bits, returned for both parities of the other bits. `flips` are the parities of T
    /// so far by column.
    #[inline(always)]
    fn vertical_costs(&mut self, costs: &[C], row: usize, flips: u32) -> [[C; 8]; 2] {
        let first = self.rows * (self.columns - 1) + row * self.columns;
        let vertical = &costs[first..first + self.columns];
        let (held, last) = vertical.split_at(self.columns - 1);
        let mut even = [C::default(); 8];
        for (column, &cost) in held.iter().enumerate().take(3) {
            double(&mut even, 1 << column, cost, flips >> column & 1 == 1);
        }
        let odd = even.map(|sum| (sum + last[0]).max(C::ABSENT));
        // Flips in the held columns cancel: parity(s ^ flips) ^ parity(all flips).
        let (even, odd) = match flips >> held.len() & 1 {
            0 => (even, odd),
            _ => (odd, even),
        };
        let by_parity = |one: [C; 8], two: [C; 8]| {
            std::array::from_fn(|state| match PARITIES >> state & 1 {
                0 => one[state],
                _ => two[state],
            })
        };
        sum_high(&mut self.high, held, flips, 3);
        [by_parity(even, odd), by_parity(odd, even)]
    }

    /// Scans all rows.
    pub fn scan_portable(&mut self, costs: &[C], odd: &[u64]) {
        let mut flips = 0;
        for (row, odd) in odd.iter().enumerate() {
            flips ^= *odd as u32;
            self.scan_row(costs, row, flips);
        }
    }

    /// Scans one row: updates the values and writes the decisions.
    fn scan_row(&mut self, costs: &[C], row: usize, flips: u32) {
        let bytes = self.values.len() / 8;
        for column in 0..self.columns - 1 {
            let cost = costs[row * (self.columns - 1) + column];
            let pairing = self.pairing(column);
            let place = row * (self.columns - 1) + column;
            let decisions = &mut self.decisions[place * bytes..][..bytes];
            decisions.fill(0);
            if !cost.present() {
                continue;
            }
            let lowest = pairing & pairing.wrapping_neg();
            for one in (0..self.values.len()).filter(|state| state & lowest == 0) {
                let two = one ^ pairing;
                let (a, b) = (self.values[one], self.values[two]);
                decisions[one / 8] |= u8::from(b + cost > a) << (one % 8);
                decisions[two / 8] |= u8::from(a + cost > b) << (two % 8);
                self.values[one] = a.max(b + cost);
                self.values[two] = b.max(a + cost);
            }
        }
        if row + 1 < self.rows {
            self.pass_down(costs, row, flips);
        }
    }

    /// Adds the costs of the vertical edges below `row`.
    fn pass_down(&mut self, costs: &[C], row: usize, flips: u32) {
        let low = self.vertical_costs(costs, row, flips);
        for (block, values) in self.values.chunks_exact_mut(8).enumerate() {
            let low = &low[parity(block as u32) as usize];
            for (value, low) in values.iter_mut().zip(low) {
                *value = (*value + self.high[block] + *low).max(C::ABSENT);
            }
        }
    }
}
