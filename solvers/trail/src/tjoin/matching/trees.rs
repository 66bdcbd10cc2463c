//! Alternating trees, blossoms and the matching.

use super::flood::{Flood, FloodEvent, Link, NONE};

/// A node of a tree: an inner region and the outer region matched with it; the root has no inner region.
#[derive(Debug, Clone, Copy)]
struct TreeNode {
    inner: u32,
    outer: u32,
    /// From the inner to the outer region.
    across: Link,
    parent: u32,
    /// From the inner region to the outer region of the parent.
    up: Link,
    first_child: u32,
    sibling: u32,
    /// The number of the last walk that passed the node.
    seen: u32,
}

/// The trees over the regions.
#[derive(Debug)]
pub struct Trees {
    pub flood: Flood,
    nodes: Vec<TreeNode>,
    /// Trees that are not matched yet.
    left: usize,
    walks: u32,
    cycle: Vec<(u32, Link)>,
    stack: Vec<u32>,
}

impl Trees {
    pub fn new(flood: Flood) -> Self {
        Self {
            flood,
            nodes: Vec::new(),
            left: 0,
            walks: 0,
            cycle: Vec::new(),
            stack: Vec::new(),
        }
    }

    /// Matches all vertices of T and adds the paths to `set`, modulo 2; `None` if they cannot be matched.
    pub fn run(&mut self, set: &mut [u64]) -> Option<()> {
        self.nodes.clear();
        self.walks = 0;
        self.flood.begin();
        // Region 0 is that of the vertices without a region.
        self.left = self.flood.used - 1;
        for region in 1..self.flood.used as u32 {
            let node = self.node(NONE, region, Link::default(), NONE, Link::default());
            self.flood.regions[region as usize].node = node;
        }
        while self.left > 0 {
            match self.flood.run()? {
                FloodEvent::Hit(one, two, link) => self.hit(one, two, link),
                FloodEvent::Imploded(region) => {
                    let node = self.nodes[self.flood.regions[region as usize].node as usize];
                    let link = self.flood.join(node.up.turned(), node.across);
                    let outer = self.nodes[node.parent as usize].outer;
                    self.hit(outer, node.outer, link);
                }
                FloodEvent::Shattered(blossom) => self.shatter(blossom),
            }
        }
        self.collect(set);
        Some(())
    }

    fn node(&mut self, inner: u32, outer: u32, across: Link, parent: u32, up: Link) -> u32 {
        let node = self.nodes.len() as u32;
        self.nodes.push(TreeNode {
            inner,
            outer,
            across,
            parent,
            up,
            first_child: NONE,
            sibling: NONE,
            seen: 0,
        });
        self.adopt(parent, node);
        for region in [inner, outer] {
            if region != NONE {
                self.flood.regions[region as usize].node = node;
            }
        }
        node
    }

    /// Makes `child` a child of `parent`.
    fn adopt(&mut self, parent: u32, child: u32) {
        self.nodes[child as usize].parent = parent;
        if parent != NONE {
            let first = std::mem::replace(&mut self.nodes[parent as usize].first_child, child);
            self.nodes[child as usize].sibling = first;
        }
    }

    /// Takes the children of `node` from it, and adds them to the stack.
    fn release(&mut self, node: u32) {
        let mut child = std::mem::replace(&mut self.nodes[node as usize].first_child, NONE);
        while child != NONE {
            self.stack.push(child);
            child = self.nodes[child as usize].sibling;
        }
    }

    fn hit(&mut self, one: u32, two: u32, link: Link) {
        let node = |region: u32| self.flood.regions[region as usize].node;
        match (node(one), node(two)) {
            (NONE, _) => self.take(two, one, link.turned()),
            (_, NONE) => self.take(one, two, link),
            (first, second) => match self.common(first, second) {
                NONE => {
                    self.augment(first);
                    self.augment(second);
                    self.pair(one, two, link);
                    self.left -= 2;
                }
                ancestor => self.contract(ancestor, [first, second], link),
            },
        }
    }

    /// A tree with the outer region `outer` takes a matched pair with the region `inner`.
    fn take(&mut self, outer: u32, inner: u32, link: Link) {
        let region = &mut self.flood.regions[inner as usize];
        let (other, across) = (region.matched, region.match_link);
        region.matched = NONE;
        self.flood.regions[other as usize].matched = NONE;
        let parent = self.flood.regions[outer as usize].node;
        self.node(inner, other, across, parent, link.turned());
        self.flood.shrink_from_now(inner);
        self.flood.grow(other);
    }

    /// Marks the path from `node` to the root with the number of a new walk.
    fn mark(&mut self, mut node: u32) -> u32 {
        self.walks += 1;
        while node != NONE {
            self.nodes[node as usize].seen = self.walks;
            node = self.nodes[node as usize].parent;
        }
        self.walks
    }

    /// The lowest node above both nodes, or [`NONE`] if they are in different trees.
    fn common(&mut self, one: u32, two: u32) -> u32 {
        let walk = self.mark(one);
        let mut node = two;
        while node != NONE && self.nodes[node as usize].seen != walk {
            node = self.nodes[node as usize].parent;
        }
        node
    }

    fn pair(&mut self, one: u32, two: u32, link: Link) {
        for (region, other, link) in [(one, two, link), (two, one, link.turned())] {
            let region = &mut self.flood.regions[region as usize];
            (region.matched, region.match_link, region.node) = (other, link, NONE);
        }
        self.flood.rest(one);
        self.flood.rest(two);
    }

    /// Turns a tree whose outer region at `node` gets a partner outside into matched pairs.
    fn augment(&mut self, node: u32) {
        let walk = self.mark(node);
        let mut root = node;
        while self.nodes[root as usize].parent != NONE {
            root = self.nodes[root as usize].parent;
        }
        self.stack.push(root);
        while let Some(at) = self.stack.pop() {
            let TreeNode {
                inner,
                outer,
                across,
                parent,
                up,
                seen,
                ..
            } = self.nodes[at as usize];
            if seen != walk {
                self.pair(inner, outer, across);
            } else if parent != NONE {
                self.pair(inner, self.nodes[parent as usize].outer, up);
            }
            self.release(at);
        }
    }

    /// Contracts the cycle of the paths from two nodes of a tree to `ancestor`, closed by `link` from the outer region
    /// of the first node to that of the second.
    fn contract(&mut self, ancestor: u32, [first, second]: [u32; 2], link: Link) {
        self.walks += 1;
        let mut cycle = std::mem::take(&mut self.cycle);
        cycle.clear();
        let mut at = second;
        while at != ancestor {
            let node = &mut self.nodes[at as usize];
            node.seen = self.walks;
            let TreeNode {
                inner,
                across,
                parent,
                up,
                ..
            } = *node;
            cycle.push((inner, across));
            cycle.push((self.nodes[parent as usize].outer, up.turned()));
            at = parent;
        }
        cycle.reverse();
        cycle.push((self.nodes[second as usize].outer, link.turned()));
        at = first;
        while at != ancestor {
            let node = &mut self.nodes[at as usize];
            node.seen = self.walks;
            cycle.push((node.outer, node.across.turned()));
            cycle.push((node.inner, node.up));
            at = node.parent;
        }
        // The children of the contracted nodes become children of the ancestor.
        for end in [first, second] {
            at = end;
            while at != ancestor {
                self.release(at);
                at = self.nodes[at as usize].parent;
            }
        }
        self.release(ancestor);
        while let Some(child) = self.stack.pop() {
            if self.nodes[child as usize].seen != self.walks {
                self.adopt(ancestor, child);
            }
        }
        for (region, _) in &cycle {
            self.flood.regions[*region as usize].node = NONE;
        }
        let blossom = self.flood.wrap(&cycle);
        self.flood.regions[blossom as usize].node = ancestor;
        self.nodes[ancestor as usize].outer = blossom;
        self.cycle = cycle;
    }

    /// Divides an inner blossom of radius 0: the regions on the way from the parent to the outer region stay in the
    /// tree, the others are matched.
    fn shatter(&mut self, blossom: u32) {
        let cycle = std::mem::take(&mut self.flood.regions[blossom as usize].cycle);
        let at = self.flood.regions[blossom as usize].node;
        let TreeNode {
            across, up, parent, ..
        } = self.nodes[at as usize];
        let index = |source: u32| {
            let inside = self.flood.inside(blossom, source);
            cycle
                .iter()
                .position(|(region, _)| *region == inside)
                .unwrap_or(0)
        };
        let (top, low, size) = (index(up.from), index(across.from), cycle.len());
        for (region, _) in &cycle {
            self.flood.unwrap(*region);
        }
        // The way has an odd number of regions.
        let ahead = (low + size - top) % size;
        let forward = ahead % 2 == 0;
        let steps = if forward { ahead } else { size - ahead };
        let way = |step: usize| {
            if forward {
                (top + step) % size
            } else {
                (top + size - step) % size
            }
        };
        // The link from the region at one step to that at the next.
        let link = |step: usize| {
            if forward {
                cycle[way(step)].1
            } else {
                cycle[way(step + 1)].1.turned()
            }
        };
        let (mut above, mut upward) = (parent, up);
        // The node leaves its parent and returns at the end of the way.
        self.release(parent);
        while let Some(child) = self.stack.pop() {
            if child != at {
                self.adopt(parent, child);
            }
        }
        for step in (0..steps).step_by(2) {
            let (inner, outer) = (cycle[way(step)].0, cycle[way(step + 1)].0);
            above = self.node(inner, outer, link(step), above, upward);
            upward = link(step + 1).turned();
            self.flood.shrink_from_now(inner);
            self.flood.grow(outer);
        }
        let inner = cycle[low].0;
        self.nodes[at as usize].inner = inner;
        self.nodes[at as usize].up = upward;
        self.flood.regions[inner as usize].node = at;
        self.adopt(above, at);
        self.flood.shrink_from_now(inner);
        let rest = if forward { low } else { top };
        for step in (1..size - steps).step_by(2) {
            let (one, link) = cycle[(rest + step) % size];
            let two = cycle[(rest + step + 1) % size].0;
            self.pair(one, two, link);
        }
    }

    /// Adds the paths of the matching to `set`, modulo 2.
    fn collect(&self, set: &mut [u64]) {
        let regions = &self.flood.regions[..self.flood.used];
        let mut pairs: Vec<(u32, u32, Link)> = Vec::new();
        for (one, region) in regions.iter().enumerate() {
            if region.parent == NONE && region.matched != NONE && region.matched > one as u32 {
                pairs.push((one as u32, region.matched, region.match_link));
            }
        }
        while let Some((one, two, link)) = pairs.pop() {
            self.flood.toggle(link, set);
            for (mut region, source) in [(one, link.from), (two, link.to)] {
                while !regions[region as usize].cycle.is_empty() {
                    let cycle = &regions[region as usize].cycle;
                    let inside = self.flood.inside(region, source);
                    let at = cycle
                        .iter()
                        .position(|(inner, _)| *inner == inside)
                        .unwrap_or(0);
                    for step in (1..cycle.len()).step_by(2) {
                        let (one, link) = cycle[(at + step) % cycle.len()];
                        pairs.push((one, cycle[(at + step + 1) % cycle.len()].0, link));
                    }
                    region = inside;
                }
            }
        }
    }
}
