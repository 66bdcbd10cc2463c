//! Macros that declare tables (settings, the words of a choice, the names of an enumeration's values, counters and
//! measures), and macros for errors with a formatted message.

/// Declares settings, one per line: constant, type, key, default, range, sentence. A `const NAME;` before them also
/// declares the table of all of them. `settings![A B]` is a table of settings that were declared before.
///
/// ```
/// ikeru_core::settings! {
///     /// The settings of the question.
///     pub const SETTINGS;
///     STEPS: usize = "steps", 48, 0..=1_000_000, "exact number of steps";
///     GOD: bool = "god", true, "whether the poverty god counts";
///     TARGET: Option<i64> = "target", 0..=99, "a vertex; by default none";
/// }
/// const SOME: &[ikeru_core::SettingInfo] = ikeru_core::settings![GOD STEPS];
/// assert_eq!((SETTINGS.len(), SOME.len()), (3, 2));
/// ```
#[macro_export]
macro_rules! settings {
    ($(#[$meta:meta])* $table_vis:vis const $table:ident; $($(#[$row_meta:meta])* $vis:vis $name:ident: $type:ty = $($value:expr),+;)+) => {
        $crate::settings! { $($(#[$row_meta])* $vis $name: $type = $($value),+;)+ }
        $(#[$meta])*
        $table_vis const $table: &[$crate::SettingInfo] = $crate::settings![$($name)+];
    };
    ($($(#[$meta:meta])* $vis:vis $name:ident: $type:ty = $($value:expr),+;)+) => {
        $($(#[$meta])* $vis const $name: $crate::Setting<$type> = $crate::Setting::<$type>::new($($value),+);)+
    };
    ($($name:ident)+) => { &[$($name.info()),+] };
}

/// A table of [`Generator`](crate::Generator)s, one per line: the name, the parameters, the function, the sentence.
///
/// ```text
/// generators! { "path.open" (WIDTH HEIGHT QUERIES) open, "nothing but plain ground"; }
/// ```
#[macro_export]
macro_rules! generators {
    ($($name:literal ($($parameter:ident)*) $generate:expr, $about:literal;)+) => {
        &[$($crate::Generator {
            name: $name,
            about: $about,
            parameters: &[$($parameter.info()),*],
            generate: $generate,
        }),+]
    };
}

/// Declares enumerations with a word for each value.
///
/// ```
/// ikeru_core::choices! {
///     enum Rule { Never = "never", Always = "always" }
/// }
/// assert_eq!(ikeru_core::Choice::word(Rule::Always), "always");
/// ```
#[macro_export]
macro_rules! choices {
    ($($(#[$meta:meta])* $vis:vis enum $name:ident { $($(#[$value_meta:meta])* $value:ident = $word:literal),+ $(,)? })+) => {$(
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        $vis enum $name { $($(#[$value_meta])* $value),+ }

        impl $crate::Choice for $name {
            const WORDS: &'static [(&'static str, Self)] = &[$(($word, Self::$value)),+];
        }
    )+};
}

/// Declares an enumeration whose values have names: `ALL` are the values in their order, `name` is the name of one,
/// `named` the value of a name.
///
/// ```
/// ikeru_core::names! {
///     enum Side { Left = "left", Right = "right" }
/// }
/// assert_eq!(Side::ALL.map(Side::name), ["left", "right"]);
/// assert!(matches!(Side::named("right"), Some(Side::Right)));
/// ```
#[macro_export]
macro_rules! names {
    ($(#[$meta:meta])* $vis:vis enum $enum:ident { $($(#[$value_meta:meta])* $value:ident = $name:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        $vis enum $enum { $($(#[$value_meta])* $value),+ }

        impl $enum {
            /// Every value, in the order of the declaration.
            $vis const ALL: [Self; [$($name),+].len()] = [$(Self::$value),+];

            /// The name of the value.
            $vis const fn name(self) -> &'static str {
                match self { $(Self::$value => $name),+ }
            }

            /// The value of a name; `None` for any other word.
            $vis fn named(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|value| value.name() == name)
            }
        }
    };
}

/// A table of [`Measure`](crate::Measure)s, one per line: the better direction, the name, the sentence.
///
/// ```
/// let counters = ikeru_core::measures! { lower nodes: "boards tried"; neither depth: "pieces placed"; };
/// assert_eq!(counters[0].name, "nodes");
/// ```
#[macro_export]
macro_rules! measures {
    ($($better:ident $name:ident: $about:literal;)*) => {
        &[$($crate::Measure::$better(stringify!($name), $about)),*]
    };
}

/// An [`InputError`](crate::InputError) with a formatted message, of a line of the input or of the whole input.
///
/// ```
/// let (line, found) = (3, "x");
/// let error = ikeru_core::input_error!(line, "`{found}`, expected a number");
/// assert_eq!(error.in_file("f"), "f:3: `x`, expected a number");
/// ```
#[macro_export]
macro_rules! input_error {
    ($message:literal $($argument:tt)*) => { $crate::InputError::new(format!($message $($argument)*)) };
    ($line:expr, $message:literal $($argument:tt)*) => {
        $crate::InputError::at($line, format!($message $($argument)*))
    };
}

/// Returns an [`input_error!`](crate::input_error).
#[macro_export]
macro_rules! refuse {
    ($($argument:tt)+) => { return Err($crate::input_error!($($argument)+)) };
}

/// Returns a [`Refusal::Skip`](crate::Refusal::Skip) with a formatted message: the variant cannot answer this instance.
#[macro_export]
macro_rules! skip {
    ($($argument:tt)+) => { return Err($crate::Refusal::skip(format!($($argument)+))) };
}
