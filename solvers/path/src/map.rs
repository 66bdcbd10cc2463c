//! Maps: rows of letters, and the terrain of each letter.

use ikeru_core::{InputError, refuse};

/// The number of map rows between two readings of the clock: at most 131,072 cells.
pub const ROWS_PER_LOOK: u32 = 16;

/// A cell of the map: column and row, counted from 0 at the upper left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cell {
    /// Column.
    pub x: u16,
    /// Row.
    pub y: u16,
}

impl Cell {
    /// Column `x`, row `y`.
    pub const fn new(x: u16, y: u16) -> Self {
        Self { x, y }
    }

    /// The neighbour one step in `direction`. A step beyond the left or upper edge wraps around.
    #[inline]
    pub fn step(self, direction: Heading) -> Self {
        let (dx, dy) = direction.offset();
        Self {
            x: self.x.wrapping_add_signed(dx),
            y: self.y.wrapping_add_signed(dy),
        }
    }
}

impl std::fmt::Display for Cell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{},{}", self.x, self.y)
    }
}

/// One of the eight directions of a step, numbered clockwise from north; odd numbers are diagonal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Heading(pub u8);

impl Heading {
    /// North, north-east, east, … north-west.
    pub const ALL: [Self; 8] = [
        Self(0),
        Self(1),
        Self(2),
        Self(3),
        Self(4),
        Self(5),
        Self(6),
        Self(7),
    ];

    /// The change of column and row; rows are counted downward.
    #[inline]
    pub const fn offset(self) -> (i16, i16) {
        const OFFSETS: [(i16, i16); 8] = [
            (0, -1),
            (1, -1),
            (1, 0),
            (1, 1),
            (0, 1),
            (-1, 1),
            (-1, 0),
            (-1, -1),
        ];
        OFFSETS[(self.0 & 7) as usize]
    }

    /// Returns whether a step in this direction changes both column and row.
    #[inline]
    pub const fn is_diagonal(self) -> bool {
        self.0 & 1 == 1
    }

    /// The direction after `eighths` of a full turn clockwise.
    #[inline]
    pub const fn turned(self, eighths: u8) -> Self {
        Self((self.0 + eighths) & 7)
    }

    /// The direction of a step by `(dx, dy)`, each -1, 0 or 1 and not both 0.
    pub fn of(dx: i32, dy: i32) -> Option<Self> {
        Self::ALL.into_iter().find(|direction| {
            let (x, y) = direction.offset();
            (i32::from(x), i32::from(y)) == (dx, dy)
        })
    }
}

/// The terrain of a letter of the map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Terrain {
    /// `.` or `G`: open ground; and `E`, a place for deliveries on the maps of the League of Robot Runners.
    Plain,
    /// `=`: a road; an addition to the published format.
    Road,
    /// `S`: swamp.
    Swamp,
    /// `T`: trees.
    Forest,
    /// `^`: a mountain; an addition to the published format.
    Mountain,
    /// `W`: water.
    Sea,
    /// `@` or `O`: a wall, or a cell outside the map.
    Wall,
}

impl Terrain {
    /// Every terrain that a unit may enter, in the order of [`Terrain::index`].
    pub const OPEN: [Self; 6] = [
        Self::Plain,
        Self::Road,
        Self::Swamp,
        Self::Forest,
        Self::Mountain,
        Self::Sea,
    ];

    /// The index in [`Terrain::OPEN`]; one past its end for a wall.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The word in settings and messages.
    pub const fn name(self) -> &'static str {
        [
            "plain", "road", "swamp", "forest", "mountain", "sea", "wall",
        ][self.index()]
    }

    /// The terrain of a map letter.
    #[inline]
    pub const fn of(letter: u8) -> Option<Self> {
        Some(match letter {
            b'.' | b'G' | b'E' => Self::Plain,
            b'=' => Self::Road,
            b'S' => Self::Swamp,
            b'T' => Self::Forest,
            b'^' => Self::Mountain,
            b'W' => Self::Sea,
            b'@' | b'O' => Self::Wall,
            _ => return None,
        })
    }

    /// The letter that generators write for this terrain.
    pub const fn letter(self) -> u8 {
        [b'.', b'=', b'S', b'T', b'^', b'W', b'@'][self.index()]
    }
}

/// A map as rows of letters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TerrainMap {
    width: u16,
    height: u16,
    letters: Vec<u8>,
}

/// The longest side of a map: distances along a line fit 16 bits, cells 26.
pub const LONGEST_SIDE: usize = 8192;

impl TerrainMap {
    /// A map of `letters`, row by row; [`Terrain::of`] must know each letter.
    ///
    /// # Errors
    /// If a side is 0 or longer than [`LONGEST_SIDE`], or the letters do not fill the map.
    pub fn new(width: usize, height: usize, letters: Vec<u8>) -> Result<Self, InputError> {
        for (side, length) in [("width", width), ("height", height)] {
            if !(1..=LONGEST_SIDE).contains(&length) {
                refuse!("{side} is {length}, expected 1 to {LONGEST_SIDE}");
            }
        }
        if letters.len() != width * height {
            refuse!(
                "{} letters do not fill a map of {width}×{height}",
                letters.len()
            );
        }
        Ok(Self {
            width: width as u16,
            height: height as u16,
            letters,
        })
    }

    /// A map filled with one terrain.
    ///
    /// # Errors
    /// As [`TerrainMap::new`].
    pub fn filled(width: usize, height: usize, terrain: Terrain) -> Result<Self, InputError> {
        // The sides are checked before anything is allocated.
        if width.max(height) > LONGEST_SIDE {
            return Self::new(width, height, Vec::new());
        }
        Self::new(width, height, vec![terrain.letter(); width * height])
    }

    /// Columns.
    pub fn width(&self) -> usize {
        usize::from(self.width)
    }

    /// Rows.
    pub fn height(&self) -> usize {
        usize::from(self.height)
    }

    /// The letters, row by row.
    pub fn letters(&self) -> &[u8] {
        &self.letters
    }

    /// Returns whether `cell` is on the map.
    #[inline]
    pub fn contains(&self, cell: Cell) -> bool {
        cell.x < self.width && cell.y < self.height
    }

    /// The terrain of `cell`; a cell outside the map is a wall.
    #[inline]
    pub fn terrain(&self, cell: Cell) -> Terrain {
        if !self.contains(cell) {
            return Terrain::Wall;
        }
        let letter = self.letters[usize::from(cell.y) * self.width() + usize::from(cell.x)];
        Terrain::of(letter).unwrap_or(Terrain::Wall)
    }

    /// Sets the terrain of `cell`.
    pub fn set(&mut self, cell: Cell, terrain: Terrain) {
        let width = self.width();
        self.letters[usize::from(cell.y) * width + usize::from(cell.x)] = terrain.letter();
    }

    /// All cells, row by row.
    pub fn cells(&self) -> impl Iterator<Item = Cell> + use<> {
        let (width, height) = (self.width, self.height);
        (0..height).flat_map(move |y| (0..width).map(move |x| Cell { x, y }))
    }
}
