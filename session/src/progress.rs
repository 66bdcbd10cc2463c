//! The progress display of a run: an overall bar with the time left, and a line per running cell. It is written to
//! stderr, and hidden without a terminal.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use ikeru_reports::records::Record;
use ikeru_reports::{units, visible};

use crate::campaign::running_scores::RunningScores;
use crate::output;

/// A bar over `length` in the form of `template`.
pub fn plain(length: u64, template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template);
    ProgressBar::new(length).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// Draws a spinner again and again, if it is seen: that needs a thread, of which the system may have no further one.
pub fn tick(spinner: &ProgressBar) {
    if !spinner.is_hidden() {
        spinner.enable_steady_tick(Duration::from_millis(200));
    }
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
    /// The expected seconds of one sample, by experiment.
    each: HashMap<String, f64>,
    /// The experiments of commands with scores.
    running: Mutex<HashMap<String, RunningScores>>,
    /// The expected seconds of the samples that were taken, and of those that are left.
    seconds: Mutex<[f64; 2]>,
}

impl Progress {
    /// Bars for `samples`, `done` of which are finished. `each` has the expected seconds of one sample by experiment, `seconds`
    /// those of all samples, and `running` the experiments whose scores are told as they come.
    pub fn new(
        (samples, done): (u64, u64),
        each: HashMap<String, f64>,
        seconds: f64,
        running: HashMap<String, RunningScores>,
    ) -> Self {
        let all = MultiProgress::new();
        let template = "{msg}{wide_bar} {pos}/{len} samples{prefix}";
        let overall = all.add(plain(samples, template));
        overall.set_position(done.min(samples));
        let share = samples.saturating_sub(done) as f64 / samples.max(1) as f64;
        let seconds = Mutex::new([0.0, share * seconds]);
        Self {
            all,
            overall,
            each,
            running: Mutex::new(running),
            seconds,
        }
    }

    /// A hidden display, for tests and benches.
    pub fn hidden() -> Self {
        let all = MultiProgress::with_draw_target(ProgressDrawTarget::hidden());
        let overall = all.add(ProgressBar::hidden());
        Self {
            all,
            overall,
            each: HashMap::new(),
            running: Mutex::default(),
            seconds: Mutex::default(),
        }
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

    /// Writes a warning on stderr, above the bars.
    pub fn warn(&self, why: &str) {
        self.aside(|| output::warn(why));
    }

    /// Does work that writes on stderr, or shows a bar of its own.
    pub fn aside<T>(&self, work: impl FnOnce() -> T) -> T {
        self.all.suspend(work)
    }

    /// One line that lasts as long as a worker; [`tell`](Self::tell) sets its text.
    pub fn line(&self) -> ProgressBar {
        let line = self.all.add(ProgressBar::new_spinner());
        tick(&line);
        line
    }

    /// Shows on `line` which cell runs; does nothing if the display is hidden.
    pub fn tell(&self, line: &ProgressBar, [experiment, label, instance]: [&str; 3]) {
        if !self.overall.is_hidden() {
            line.set_message(format!("{experiment} {label} on {instance}"));
        }
    }

    /// Adds samples of an experiment to the expected number.
    pub fn expect(&self, more: u64, experiment: &str) {
        self.overall.inc_length(more);
        if let Ok(mut seconds) = self.seconds.lock() {
            seconds[1] += more as f64 * self.each.get(experiment).unwrap_or(&0.0);
        }
    }

    /// Counts one more finished sample. If scores are compared, a terminal gets a line for it.
    pub fn advance(&self, record: &Record) {
        let experiment = record.experiment;
        if let (false, Ok(mut running)) = (self.overall.is_hidden(), self.running.lock())
            && let Some(running) = running.get_mut(experiment)
        {
            self.say(&visible(&running.line(record)));
        }
        self.overall.inc(1);
        let each = self.each.get(experiment).unwrap_or(&0.0);
        if let Ok(mut seconds) = self.seconds.lock() {
            let [taken, left] = *seconds;
            let [taken, left] = [taken + each, (left - each).max(0.0)];
            *seconds = [taken, left];
            // The pace counts as the expected one for a fiftieth of the samples: a few samples say little about it.
            let known = 0.02 * (taken + left);
            let pace = (self.overall.elapsed().as_secs_f64() + known) / (taken + known);
            if pace.is_finite() {
                let left = match pace * left {
                    ..1.0 => String::new(),
                    left => format!(", {} left", units::about(1e9 * left)),
                };
                self.overall.set_prefix(left);
            }
        }
    }

    /// Removes the bars.
    pub fn finish(&self) {
        self.overall.finish_and_clear();
    }
}
