//! The verifier's segments of a leaf: the ends of each segment, the edges that it can pass, and their costs.

use ikeru_trail::puzzle::{Edge, EdgeOperation, Vertex};

use crate::decided::Decided;
use crate::layout::Layout;
use crate::{PricedCut, scan};

/// One segment, or the remainder of the trail if the order of its `×` edges is not decided.
struct Segment {
    ends: (Vertex, Vertex),
    /// The cost of each edge that it may pass; `None` for forbidden and forced edges.
    costs: Vec<Option<i64>>,
    /// Edges that it must pass, with their costs.
    forced: Vec<(Edge, i64)>,
    /// True for each vertex at which it has an odd number of edges, not counting the forced edges.
    odd: Vec<bool>,
    /// The `×` edge before it if its direction is not decided.
    undirected: Option<Edge>,
}

/// The error message for sums that are too large for exact arithmetic.
pub const TOO_LARGE: &str = "the numbers are too large, expected sums of costs below 2^58";

/// The segments of a leaf, and the scaled part of the score that does not depend on the edges that they pass.
pub struct LeafSegments {
    segments: Vec<Segment>,
    constant: i64,
}

/// The largest contribution of the score at the start to the score at the goal; `None` if the number is too large.
fn highest_start(layout: &Layout, decided: &Decided) -> Option<i64> {
    let passed = decided.sequence.iter().chain(&decided.coming);
    let mut factors = passed.map(|edge| layout.factor(*edge));
    let start = factors.try_fold(layout.start_score, i64::checked_mul)?;
    decided.open.iter().try_fold(start, |score, edge| {
        let factor = layout.factor(*edge);
        score.checked_mul(if score >= 0 {
            factor.max(1)
        } else {
            factor.min(1)
        })
    })
}

/// The vertices at which the `×` edge after the segment is entered and left; the goal after the last segment.
fn ends_after(layout: &Layout, decided: &Decided, segment: usize) -> (Vertex, Vertex) {
    match decided.sequence.get(segment).map(|edge| layout.ends[*edge]) {
        Some((low, high)) if decided.forward[segment] == Some(false) => (high, low),
        Some(ends) => ends,
        None => (layout.goal, layout.goal),
    }
}

impl LeafSegments {
    /// The segments of the trails that `decided` allows; `None` if it allows none.
    ///
    /// # Errors
    /// [`TOO_LARGE`].
    pub fn of(
        layout: &Layout,
        decided: &Decided,
        scale: i64,
    ) -> Result<Option<Self>, &'static str> {
        let product = |edges: &[Edge]| -> Option<i64> {
            let mut factors = edges.iter().map(|edge| layout.factor(*edge));
            factors.try_fold(1_i64, i64::checked_mul)
        };
        let steps = decided.sequence.as_slice();
        let count = steps.len() + 1;
        let to_come: Vec<Edge> = [decided.coming.as_slice(), &decided.open].concat();
        let coming = product(&decided.coming).ok_or(TOO_LARGE)?;
        let constant = highest_start(layout, decided).and_then(|start| start.checked_mul(scale));
        let constant = constant.ok_or(TOO_LARGE)?;
        let mut segments = Vec::new();
        let mut from = layout.start;
        for index in 0..count {
            let remainder = index + 1 == count;
            let (to, next) = ends_after(layout, decided, index);
            let undirected = [index.checked_sub(1), Some(index)].map(|at| decided.undirected(at?));
            // The largest and the smallest product of factors that multiplies an addition before the goal.
            let (most, least) = if remainder {
                let mut most = to_come.iter().map(|edge| layout.factor(*edge).max(1));
                let most = most.try_fold(1_i64, i64::checked_mul);
                let least = to_come.iter().map(|edge| layout.factor(*edge).min(1));
                (most.ok_or(TOO_LARGE)?, least.min().unwrap_or(1))
            } else {
                let weight = product(&steps[index..]).and_then(|steps| steps.checked_mul(coming));
                let weight = weight.ok_or(TOO_LARGE)?;
                (weight, weight)
            };
            let cost = |edge: Edge| -> Result<Option<i64>, &'static str> {
                if !layout.free[edge] || decided.forbids(index, edge) {
                    return Ok(None);
                }
                Ok(match layout.operations[edge] {
                    EdgeOperation::Multiply(1) => Some(0),
                    EdgeOperation::Multiply(_) => {
                        let may = remainder && to_come.contains(&edge);
                        (may || undirected.contains(&Some(edge))).then_some(0)
                    }
                    EdgeOperation::Add(addend) => {
                        let weight = if addend >= 0 { most } else { least };
                        let cost = addend
                            .checked_mul(weight)
                            .and_then(|cost| cost.checked_mul(scale));
                        Some(cost.ok_or(TOO_LARGE)?)
                    }
                })
            };
            let mut costs = (0..layout.ends.len())
                .map(cost)
                .collect::<Result<Vec<_>, _>>()?;
            if !layout.keep_passable(&mut costs, (from, to)) {
                return Ok(None);
            }
            let mut odd = vec![false; layout.vertices];
            odd[from] ^= true;
            odd[to] ^= true;
            let mut forced = Vec::new();
            for edge in decided.forced(index, remainder) {
                let Some(cost) = costs[edge].take() else {
                    return Ok(None);
                };
                odd[layout.ends[edge].0] ^= true;
                odd[layout.ends[edge].1] ^= true;
                forced.push((edge, cost));
            }
            segments.push(Segment {
                ends: (from, to),
                costs,
                forced,
                odd,
                undirected: undirected[0],
            });
            from = next;
        }
        Ok(Some(Self { segments, constant }))
    }

    /// Returns whether the leaf has no trail: a segment or the union of all segments has no edge set with the right odd
    /// vertices, or more segments need an edge at a vertex than can pass one there.
    pub fn impossible(&self, layout: &Layout) -> bool {
        let without = |segment: &Segment| {
            let costs: Vec<_> = segment.costs.iter().map(|cost| cost.map(|_| 0)).collect();
            scan::best(layout, &costs, &segment.odd).is_none()
        };
        let (costs, odd) = self.union(&vec![0; layout.ends.len()]);
        let crowded = (0..layout.vertices).any(|vertex| {
            let needed = self
                .segments
                .iter()
                .filter(|segment| segment.odd[vertex])
                .count();
            let at =
                |edge: &usize| layout.ends[*edge].0 == vertex || layout.ends[*edge].1 == vertex;
            let usable = |edge: usize| {
                let may = |segment: &&Segment| segment.costs[edge].is_some();
                let most = if self.is_undirected(edge) { 2 } else { 1 };
                self.segments.iter().filter(may).count().min(most)
            };
            needed > (0..costs.len()).filter(at).map(usable).sum()
        });
        crowded || self.segments.iter().any(without) || scan::best(layout, &costs, &odd).is_none()
    }

    /// Returns whether two segments may pass this edge, because its direction is not decided.
    fn is_undirected(&self, edge: Edge) -> bool {
        let mut segments = self.segments.iter();
        segments.any(|segment| segment.undirected == Some(edge))
    }

    /// The costs, at these prices, and the odd vertices of the union of all segments without the forced and undirected
    /// edges.
    fn union(&self, prices: &[i64]) -> (Vec<Option<i64>>, Vec<bool>) {
        let usable = |edge: usize| {
            let may = |segment: &Segment| segment.costs[edge].is_some();
            self.segments.iter().any(may) && !self.is_undirected(edge)
        };
        let costs = prices.iter().enumerate();
        let costs = costs.map(|(edge, price)| usable(edge).then_some(*price));
        let vertices = self.segments.first().map_or(0, |segment| segment.odd.len());
        let odd = |vertex: usize| {
            self.segments
                .iter()
                .filter(|segment| segment.odd[vertex])
                .count()
                % 2
                == 1
        };
        (costs.collect(), (0..vertices).map(odd).collect())
    }

    /// The scaled upper bound of these prices and cuts on every trail of the leaf; `None` if there is no trail.
    ///
    /// # Errors
    /// A cut that does not hold for every trail, or [`TOO_LARGE`].
    pub fn bound(
        &self,
        layout: &Layout,
        decided: &Decided,
        prices: &[i64],
        cuts: impl Iterator<Item = PricedCut>,
    ) -> Result<Option<i64>, String> {
        let mut total = i128::from(self.constant);
        let mut reduced = Vec::with_capacity(self.segments.len());
        for segment in &self.segments {
            let mut costs = Vec::with_capacity(prices.len());
            for (edge, (cost, price)) in segment.costs.iter().zip(prices).enumerate() {
                let reduced = cost.map(|cost| match segment.undirected {
                    Some(undirected) if undirected == edge => cost.checked_add(*price),
                    _ => cost.checked_sub(*price),
                });
                costs.push(reduced.map(|cost| cost.ok_or(TOO_LARGE)).transpose()?);
            }
            for (_, cost) in &segment.forced {
                total += i128::from(*cost);
            }
            reduced.push(costs);
        }
        for cut in cuts {
            let segment = &self.segments[cut.segment];
            segment.check(layout, decided, &cut)?;
            let costs = &mut reduced[cut.segment];
            let mut add = |edge: Edge, amount: i64| -> Result<(), String> {
                if let Some(cost) = &mut costs[edge] {
                    *cost = cost.checked_add(amount).ok_or(TOO_LARGE)?;
                } else if segment.forced.iter().any(|(forced, _)| *forced == edge) {
                    total += i128::from(amount);
                }
                Ok(())
            };
            for edge in &cut.boundary {
                add(*edge, cut.price)?;
            }
            match cut.edge {
                Some(edge) => add(edge, cut.price.checked_mul(-2).ok_or(TOO_LARGE)?)?,
                None => total -= 2 * i128::from(cut.price),
            }
        }
        for (segment, costs) in self.segments.iter().zip(&reduced) {
            match best(layout, costs, &segment.odd)? {
                Some(best) => total += i128::from(best),
                None => return Ok(None),
            }
        }
        let (costs, odd) = self.union(prices);
        match best(layout, &costs, &odd)? {
            Some(best) => total += i128::from(best),
            None => return Ok(None),
        }
        Ok(Some(i64::try_from(total).map_err(|_| TOO_LARGE)?))
    }

    /// The number of segments.
    pub fn count(&self) -> usize {
        self.segments.len()
    }
}

fn best(layout: &Layout, costs: &[Option<i64>], odd: &[bool]) -> Result<Option<i64>, String> {
    let sizes = costs.iter().flatten().map(|cost| i128::from(*cost).abs());
    if sizes.sum::<i128>() > i128::from(scan::MOST) {
        return Err(TOO_LARGE.to_owned());
    }
    Ok(scan::best(layout, costs, odd))
}

impl Segment {
    /// Checks that every trail of the leaf satisfies `cut` in this segment.
    ///
    /// A segment crosses the boundary of a vertex set without its ends an even number of times. It crosses the boundary
    /// at least once, hence at least twice, if it passes an edge at one of these vertices, or if a decision says so.
    fn check(&self, layout: &Layout, decided: &Decided, cut: &PricedCut) -> Result<(), String> {
        let side = layout
            .sides(&cut.boundary)
            .ok_or("the boundary of a cut is none of a set of vertices")?;
        if side[self.ends.0] != side[self.ends.1] {
            return Err("the boundary of a cut separates the ends of its segment".to_owned());
        }
        match cut.edge {
            Some(edge) => {
                let (one, two) = layout.ends[edge];
                if side[one] == side[self.ends.0] && side[two] == side[self.ends.0] {
                    return Err(format!("edge {edge} of a cut is not beyond its boundary"));
                }
            }
            None => {
                if !decided.crosses(cut.segment, &cut.boundary) {
                    return Err("a cut says `crosses` where nothing is decided so".to_owned());
                }
            }
        }
        Ok(())
    }
}
