//! The progress display of a run: an overall bar with the time left, and a line per running cell. It is written to
//! stderr, and hidden without a terminal.

use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar over `length` in the form of `template`.
pub fn plain(length: u64, template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template);
    ProgressBar::new(length).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// Does `work` and shows a bar over `length` in the form of `template`; `quiet` hides it.
pub fn under_bar<T>(
    (length, template): (u64, &str),
    quiet: bool,
    work: impl FnOnce(&ProgressBar) -> T,
) -> T {
    let bar = plain(length, template);
    if quiet {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    let done = work(&bar);
    bar.finish_and_clear();
    done
}

/// The bars of one run.
pub struct Progress {
    all: MultiProgress,
    overall: ProgressBar,
}

impl Progress {
    /// Bars for `samples`, `done` of which are finished.
    pub fn new(samples: u64, done: u64) -> Self {
        let all = MultiProgress::new();
        let overall = all.add(plain(
            samples,
            "{msg}{wide_bar} {pos}/{len} samples, {eta} left",
        ));
        overall.set_position(done.min(samples));
        // The estimate uses only the samples of this session.
        overall.reset_eta();
        Self { all, overall }
    }

    /// A hidden display, for tests and benches.
    pub fn hidden() -> Self {
        let all = MultiProgress::with_draw_target(ProgressDrawTarget::hidden());
        let overall = all.add(ProgressBar::hidden());
        Self { all, overall }
    }

    /// Shows the running experiment, its number and the number of experiments.
    pub fn stage(&self, number: usize, count: usize, name: &str) {
        if count > 1 {
            let place = format!("experiment {number} of {count}, {name} ");
            self.overall.set_message(place);
        }
    }

    /// Shows the purpose of the samples.
    pub fn message(&self, text: &str) {
        self.overall.set_message(text.to_owned());
    }

    /// Writes a line above the bars; does nothing if the display is hidden.
    pub fn say(&self, line: &str) {
        let _ = self.all.println(line);
    }

    /// One line that lasts as long as a worker; [`tell`](Self::tell) sets its text.
    pub fn line(&self) -> ProgressBar {
        let line = self.all.add(ProgressBar::new_spinner());
        line.enable_steady_tick(Duration::from_millis(200));
        line
    }

    /// Shows on `line` which cell runs; does nothing if the display is hidden.
    pub fn tell(&self, line: &ProgressBar, [experiment, label, instance]: [&str; 3]) {
        if !self.overall.is_hidden() {
            line.set_message(format!("{experiment} {label} on {instance}"));
        }
    }

    /// Adds samples to the expected number.
    pub fn expect(&self, more: u64) {
        self.overall.inc_length(more);
    }

    /// Counts one more finished sample.
    pub fn advance(&self) {
        self.overall.inc(1);
    }

    /// Removes the bars.
    pub fn finish(&self) {
        self.overall.finish_and_clear();
    }
}
