//! Regions on the board: where they have arrived, and when they meet next.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hint::select_unpredictable;

use crate::tjoin::grid::Edge;

/// No region, vertex, path or node.
pub const NONE: u32 = u32::MAX;

/// No event.
const NEVER: i64 = i64::MAX;

/// The time of the next event of a vertex or region, and the earliest of its entries in the queue. An event that comes
/// later than expected is queued again when its entry is due, so there are few entries.
#[derive(Debug, Clone, Copy)]
struct Alarm {
    wanted: i64,
    queued: i64,
}

const SILENT: Alarm = Alarm {
    wanted: NEVER,
    queued: NEVER,
};

/// The path along which two vertices of T may be matched: a sum of edges modulo 2.
#[derive(Debug, Clone, Copy)]
struct JoinPath {
    edge: Edge,
    parts: [u32; 2],
}

/// A path without an edge of its own.
const NO_EDGE: Edge = Edge::MAX;

/// A vertex of the board.
#[derive(Debug, Clone, Copy)]
struct FloodPlace {
    /// The outermost region that has arrived, or [`NOBODY`].
    top: u32,
    /// The vertex at which its innermost region arrived before.
    below: u32,
    /// The radii of the regions from the innermost one to the one below `top`, less the radius at which the innermost
    /// one arrived.
    wrapped: i64,
    alarm: Alarm,
    /// The path from the source, and the source's region.
    path: u32,
    source: u32,
}

/// The region of the vertices at which none has arrived: its radius is 0.
const NOBODY: u32 = 0;

const EMPTY: FloodPlace = FloodPlace {
    top: NOBODY,
    below: NONE,
    wrapped: 0,
    alarm: SILENT,
    path: NONE,
    source: NONE,
};

/// A neighbour.
#[derive(Debug, Clone, Copy)]
struct Neighbour {
    /// Twice the weight of the edge between; [`NEVER`] if there is none.
    weight: i64,
    vertex: u32,
    edge: Edge,
}

/// A ball around a vertex of T, or a blossom.
#[derive(Debug, Clone)]
pub struct Region {
    /// The vertex at which it arrived last, and, on its way, all others.
    shell: u32,
    alarm: Alarm,
    /// The blossom that contains it, or [`NONE`].
    pub parent: u32,
    /// The cycle of a blossom: each region with the link to the next one.
    pub cycle: Vec<(u32, Link)>,
    /// The region matched with it, or [`NONE`].
    pub matched: u32,
    pub match_link: Link,
    /// Its node in a tree, or [`NONE`].
    pub node: u32,
}

/// A radius over the time: `base + slope · time`.
#[derive(Debug, Clone, Copy)]
struct Radius {
    base: i64,
    slope: i64,
}

/// A path between two regions, with the innermost region (of one vertex of T) at each end.
#[derive(Debug, Clone, Copy, Default)]
pub struct Link {
    pub from: u32,
    pub to: u32,
    path: u32,
}

impl Link {
    pub fn turned(self) -> Self {
        Self {
            from: self.to,
            to: self.from,
            ..self
        }
    }
}

/// An event that concerns the trees.
#[derive(Debug, Clone, Copy)]
pub enum FloodEvent {
    /// Two regions meet.
    Hit(u32, u32, Link),
    /// A region of one vertex has shrunk to nothing.
    Imploded(u32),
    /// A blossom has shrunk to nothing.
    Shattered(u32),
}

/// The slot of an edge among those around its first end; the next slot is that of its second end.
fn slot(edge: usize, horizontal: usize) -> usize {
    2 * usize::from(edge >= horizontal)
}

/// An entry of the queue.
fn key(time: i64, entry: u32) -> Reverse<u128> {
    Reverse((time as u128) << 32 | u128::from(entry))
}

/// The regions on the board.
#[derive(Debug)]
pub struct Flood {
    places: Vec<FloodPlace>,
    around: Vec<[Neighbour; 4]>,
    /// True for the vertices of T.
    odd: Vec<bool>,
    ends: Vec<(u32, u32)>,
    /// The number of horizontal edges, which have the lowest numbers.
    horizontal: usize,
    /// The regions in use, and after them those of earlier calls, whose memory is kept.
    pub regions: Vec<Region>,
    radii: Vec<Radius>,
    pub used: usize,
    paths: Vec<JoinPath>,
    /// The times of alarms and their vertices, or regions after them.
    // PERF: comparing one number takes 0.9 of the time of comparing a pair, because it has no branch.
    queue: BinaryHeap<Reverse<u128>>,
    now: i64,
    /// Vertices to be visited.
    area: Vec<u32>,
}

impl Flood {
    pub fn new(columns: usize, rows: usize) -> Self {
        let nobody = Neighbour {
            weight: NEVER,
            vertex: 0,
            edge: 0,
        };
        let mut around = vec![[nobody; 4]; columns * rows];
        let right =
            (0..rows).flat_map(|row| (1..columns).map(move |at| (row * columns + at - 1, 1)));
        let down = (0..(rows - 1) * columns).map(|upper| (upper, columns));
        let mut ends = Vec::new();
        let horizontal = rows * (columns - 1);
        for (edge, (from, step)) in right.chain(down).enumerate() {
            let (to, slot) = (from + step, slot(edge, horizontal));
            for (from, to, slot) in [(from, to, slot), (to, from, slot + 1)] {
                around[from][slot] = Neighbour {
                    vertex: to as u32,
                    edge: edge as Edge,
                    ..nobody
                };
            }
            ends.push((from as u32, to as u32));
        }
        Self {
            places: vec![EMPTY; columns * rows],
            around,
            odd: vec![false; columns * rows],
            ends,
            horizontal,
            regions: Vec::new(),
            radii: Vec::new(),
            used: 0,
            paths: Vec::new(),
            queue: BinaryHeap::new(),
            now: 0,
            area: Vec::new(),
        }
    }

    pub fn bytes(&self) -> u64 {
        (size_of_val(&*self.places) + size_of_val(&*self.around) + size_of_val(&*self.ends)) as u64
    }

    pub fn clear(&mut self) {
        self.places.fill(EMPTY);
        self.odd.fill(false);
        self.radii.clear();
        (self.used, self.now) = (0, 0);
        let nobody = self.region(0);
        debug_assert_eq!(nobody, NOBODY);
        self.queue.clear();
        self.paths.clear();
    }

    pub fn flip(&mut self, vertex: u32) {
        self.odd[vertex as usize] ^= true;
    }

    pub fn flip_ends(&mut self, edge: Edge) {
        let (from, to) = self.ends[usize::from(edge)];
        self.flip(from);
        self.flip(to);
    }

    /// Sets twice the weight of an edge; `None` if it cannot be passed.
    pub fn weigh(&mut self, edge: Edge, weight: Option<i64>) {
        let (from, to) = self.ends[usize::from(edge)];
        let slot = slot(edge.into(), self.horizontal);
        self.around[from as usize][slot].weight = weight.unwrap_or(NEVER);
        self.around[to as usize][slot + 1].weight = weight.unwrap_or(NEVER);
    }

    /// Begins a region at each vertex of T.
    pub fn begin(&mut self) {
        for vertex in 0..self.places.len() {
            if self.odd[vertex] {
                let region = self.region(1);
                let path = self.path(NO_EDGE, [NONE, NONE]);
                self.cover(vertex as u32, region, path, region);
            }
        }
        for vertex in 0..self.places.len() as u32 {
            if self.odd[vertex as usize] {
                self.schedule(vertex);
            }
        }
    }

    /// A new region of radius 0.
    fn region(&mut self, slope: i64) -> u32 {
        let base = -slope * self.now;
        self.radii.push(Radius { base, slope });
        let fresh = Region {
            shell: NONE,
            alarm: SILENT,
            parent: NONE,
            cycle: Vec::new(),
            matched: NONE,
            match_link: Link::default(),
            node: NONE,
        };
        match self.regions.get_mut(self.used) {
            Some(old) => {
                let mut cycle = std::mem::take(&mut old.cycle);
                cycle.clear();
                *old = Region { cycle, ..fresh };
            }
            None => self.regions.push(fresh),
        }
        self.used += 1;
        self.used as u32 - 1
    }

    fn path(&mut self, edge: Edge, parts: [u32; 2]) -> u32 {
        self.paths.push(JoinPath { edge, parts });
        self.paths.len() as u32 - 1
    }

    /// The link along one link and then another.
    pub fn join(&mut self, one: Link, two: Link) -> Link {
        Link {
            from: one.from,
            to: two.to,
            path: self.path(NO_EDGE, [one.path, two.path]),
        }
    }

    /// Adds the edges of a link to a set, modulo 2.
    pub fn toggle(&self, link: Link, set: &mut [u64]) {
        let mut left = vec![link.path];
        while let Some(mut path) = left.pop() {
            while path != NONE {
                let JoinPath { edge, parts } = self.paths[path as usize];
                if edge != NO_EDGE {
                    set[usize::from(edge) / 64] ^= 1 << (edge % 64);
                }
                path = parts[0];
                if parts[1] != NONE {
                    left.push(parts[1]);
                }
            }
        }
    }

    /// Lets a region arrive at a vertex.
    fn cover(&mut self, vertex: u32, region: u32, path: u32, source: u32) {
        let Radius { base, slope } = self.radii[region as usize];
        let shell = &mut self.regions[region as usize].shell;
        let place = &mut self.places[vertex as usize];
        (place.path, place.source, place.top) = (path, source, region);
        place.wrapped = -(base + slope * self.now);
        place.below = std::mem::replace(shell, vertex);
    }

    /// How far the regions reach beyond a vertex: a number and its slope over the time.
    #[inline]
    fn reach(&self, place: &FloodPlace) -> (i64, i64) {
        let radius = &self.radii[place.top as usize];
        (radius.base + place.wrapped, radius.slope)
    }

    /// The next time at which the regions at a vertex and at a neighbour meet, and the neighbour's slot.
    // PERF: no branches, because the states of neighbours are unpredictable: 0.75 of the time of a T-join.
    fn next(&self, vertex: u32) -> (i64, usize) {
        let place = &self.places[vertex as usize];
        let (own, slope) = self.reach(place);
        let mut best = (NEVER, 0);
        for (slot, neighbour) in self.around[vertex as usize].iter().enumerate() {
            let other = &self.places[neighbour.vertex as usize];
            let (theirs, towards) = self.reach(other);
            let together = slope + towards;
            let apart = neighbour.weight == NEVER || other.top == place.top;
            let still = slope < 0 || towards < 0 || together == 0;
            let room = neighbour.weight.wrapping_sub(own + theirs) >> u32::from(together == 2);
            let time = select_unpredictable(apart | still, NEVER, room);
            best = select_unpredictable(time < best.0, (time, slot), best);
        }
        best
    }

    /// Sets the alarm of a vertex.
    fn schedule(&mut self, vertex: u32) {
        let (time, _) = self.next(vertex);
        let alarm = &mut self.places[vertex as usize].alarm;
        alarm.wanted = time;
        if time < alarm.queued {
            alarm.queued = time;
            self.queue.push(key(time, vertex));
        }
    }

    /// Sets the alarm of a region that shrinks.
    fn schedule_shrinking(&mut self, region: u32) {
        let own = &mut self.regions[region as usize];
        let wrapped = match own.shell {
            NONE => 0,
            vertex => self.places[vertex as usize].wrapped,
        };
        let time = self.radii[region as usize].base + wrapped;
        own.alarm.wanted = time;
        if time < own.alarm.queued {
            own.alarm.queued = time;
            let entry = self.places.len() as u32 + region;
            self.queue.push(key(time, entry));
        }
    }

    /// The next event for the trees; `None` if there is none.
    pub fn run(&mut self) -> Option<FloodEvent> {
        let places = self.places.len() as u32;
        while let Some(Reverse(due)) = self.queue.pop() {
            let (time, entry) = ((due >> 32) as i64, due as u32);
            let alarm = if entry < places {
                &mut self.places[entry as usize].alarm
            } else {
                &mut self.regions[(entry - places) as usize].alarm
            };
            if alarm.queued != time {
                continue;
            }
            alarm.queued = NEVER;
            if alarm.wanted > time {
                if alarm.wanted != NEVER {
                    alarm.queued = alarm.wanted;
                    self.queue.push(key(alarm.wanted, entry));
                }
                continue;
            }
            alarm.wanted = NEVER;
            self.now = time;
            let event = if entry < places {
                self.look(entry)
            } else {
                self.shrink(entry - places)
            };
            if event.is_some() {
                return event;
            }
        }
        None
    }

    /// What happens at a vertex now.
    fn look(&mut self, vertex: u32) -> Option<FloodEvent> {
        let (time, slot) = self.next(vertex);
        let alarm = &mut self.places[vertex as usize].alarm;
        alarm.wanted = time;
        if time != NEVER {
            alarm.queued = time;
            self.queue.push(key(time, vertex));
        }
        if time > self.now {
            return None;
        }
        debug_assert!(time == self.now, "no event is missed");
        let neighbour = self.around[vertex as usize][slot];
        let place = &self.places[vertex as usize];
        let other = &self.places[neighbour.vertex as usize];
        let (one, two) = (place.top, other.top);
        let (edge, paths) = (neighbour.edge, [place.path, other.path]);
        if one == NOBODY || two == NOBODY {
            let (from, to) = match two {
                NOBODY => (place, neighbour.vertex),
                _ => (other, vertex),
            };
            let (region, source, before) = (from.top, from.source, from.path);
            let path = self.path(edge, [before, NONE]);
            self.cover(to, region, path, source);
            self.schedule(to);
            return None;
        }
        let (from, to) = (place.source, other.source);
        let path = self.path(edge, paths);
        Some(FloodEvent::Hit(one, two, Link { from, to, path }))
    }

    /// What happens to a region that shrinks.
    fn shrink(&mut self, region: u32) -> Option<FloodEvent> {
        let own = &mut self.regions[region as usize];
        let vertex = own.shell;
        if vertex == NONE {
            return Some(FloodEvent::Shattered(region));
        }
        let place = &mut self.places[vertex as usize];
        if place.below == NONE && own.cycle.is_empty() {
            return Some(FloodEvent::Imploded(region));
        }
        own.shell = place.below;
        (place.top, place.wrapped) = (NOBODY, 0);
        self.schedule(vertex);
        self.schedule_shrinking(region);
        None
    }

    /// Calls `visit` for each vertex of a region and of those inside it.
    fn visit(&mut self, region: u32, mut visit: impl FnMut(&mut Self, u32)) {
        let mut area = std::mem::take(&mut self.area);
        area.push(region);
        while let Some(region) = area.pop() {
            let own = &self.regions[region as usize];
            area.extend(own.cycle.iter().map(|(inner, _)| *inner));
            let mut vertex = own.shell;
            while vertex != NONE {
                visit(self, vertex);
                vertex = self.places[vertex as usize].below;
            }
        }
        self.area = area;
    }

    fn set_slope(&mut self, region: u32, slope: i64) {
        let radius = &mut self.radii[region as usize];
        radius.base += (radius.slope - slope) * self.now;
        radius.slope = slope;
        self.regions[region as usize].alarm.wanted = NEVER;
    }

    pub fn grow(&mut self, region: u32) {
        self.set_slope(region, 1);
        self.visit(region, Self::schedule);
    }

    pub fn rest(&mut self, region: u32) {
        let shrank = self.radii[region as usize].slope < 0;
        self.set_slope(region, 0);
        if shrank {
            self.visit(region, Self::schedule);
        }
    }

    pub fn shrink_from_now(&mut self, region: u32) {
        self.set_slope(region, -1);
        self.schedule_shrinking(region);
        self.visit(region, |flood, vertex| {
            flood.places[vertex as usize].alarm.wanted = NEVER;
        });
    }

    /// A blossom that grows around a cycle of regions.
    pub fn wrap(&mut self, cycle: &[(u32, Link)]) -> u32 {
        let blossom = self.region(1);
        self.regions[blossom as usize]
            .cycle
            .extend_from_slice(cycle);
        for (inner, _) in cycle {
            self.set_slope(*inner, 0);
            self.regions[*inner as usize].parent = blossom;
            let radius = self.radii[*inner as usize].base;
            self.visit(*inner, |flood, vertex| {
                let place = &mut flood.places[vertex as usize];
                place.top = blossom;
                place.wrapped += radius;
            });
        }
        self.visit(blossom, Self::schedule);
        blossom
    }

    /// Makes a region that a blossom contained an outermost one again.
    pub fn unwrap(&mut self, region: u32) {
        self.regions[region as usize].parent = NONE;
        let radius = self.radii[region as usize].base;
        // The region rested inside the blossom, which shrank: when it rests again, its vertices need an alarm.
        self.set_slope(region, -1);
        self.visit(region, |flood, vertex| {
            let place = &mut flood.places[vertex as usize];
            place.top = region;
            place.wrapped -= radius;
        });
    }

    /// The region directly inside `blossom` that contains the region of a vertex.
    pub fn inside(&self, blossom: u32, mut region: u32) -> u32 {
        loop {
            let parent = self.regions[region as usize].parent;
            if parent == blossom || parent == NONE {
                return region;
            }
            region = parent;
        }
    }
}
