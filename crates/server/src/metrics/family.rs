//! Counters and histograms with labels.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A counter per set of label values.
#[derive(Debug)]
pub(super) struct Counters<const N: usize>(Mutex<BTreeMap<[String; N], u64>>);

impl<const N: usize> Default for Counters<N> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<const N: usize> Counters<N> {
    pub(super) fn add(&self, labels: [&str; N]) {
        *lock(&self.0).entry(labels.map(str::to_owned)).or_default() += 1;
    }

    pub(super) fn write(&self, out: &mut String, name: &str, help: &str, labels: [&str; N]) {
        head(out, name, help, "counter");
        for (values, count) in lock(&self.0).iter() {
            sample(out, name, &paired(labels, values), *count);
        }
    }
}

/// A histogram per set of label values.
#[derive(Debug)]
pub(super) struct Histograms<const N: usize> {
    bounds: &'static [u64],
    of: Mutex<BTreeMap<[String; N], Histogram>>,
}

#[derive(Debug, Clone)]
struct Histogram {
    /// Observations at or below each bound, and in the end all.
    below: Vec<u64>,
    /// In millionths.
    sum: u128,
}

impl<const N: usize> Histograms<N> {
    pub(super) fn new(bounds: &'static [u64]) -> Self {
        Self {
            bounds,
            of: Mutex::default(),
        }
    }

    /// An observation, in the unit of the bounds, and in millionths of the unit that is written.
    pub(super) fn observe(&self, labels: [&str; N], value: u64, millionths: u128) {
        let mut of = lock(&self.of);
        let histogram = of.entry(labels.map(str::to_owned)).or_insert_with(|| Histogram {
            below: vec![0; self.bounds.len() + 1],
            sum: 0,
        });
        let bounds = self.bounds.iter().copied().chain([u64::MAX]);
        for (count, bound) in histogram.below.iter_mut().zip(bounds) {
            *count += u64::from(value <= bound);
        }
        histogram.sum += millionths;
    }

    /// `in_thousandths` says that the bounds are thousandths of the unit that is written.
    pub(super) fn write(
        &self,
        out: &mut String,
        name: &str,
        help: &str,
        labels: [&str; N],
        in_thousandths: bool,
    ) {
        head(out, name, help, "histogram");
        let bound = |bound: u64| match in_thousandths {
            true => format!("{}.{:03}", bound / 1000, bound % 1000),
            false => bound.to_string(),
        };
        let bounds: Vec<String> = self
            .bounds
            .iter()
            .map(|of| bound(*of))
            .chain(["+Inf".into()])
            .collect();
        for (values, histogram) in lock(&self.of).iter() {
            let labels = paired(labels, values);
            for (count, le) in histogram.below.iter().zip(&bounds) {
                let mut labels = labels.clone();
                labels.push(("le", le));
                sample(out, &format!("{name}_bucket"), &labels, *count);
            }
            let sum = format!("{}.{:06}", histogram.sum / 1_000_000, histogram.sum % 1_000_000);
            sample(out, &format!("{name}_sum"), &labels, sum);
            let all = histogram.below.last().copied().unwrap_or_default();
            sample(out, &format!("{name}_count"), &labels, all);
        }
    }
}

/// `# HELP` and `# TYPE`.
pub(super) fn head(out: &mut String, name: &str, help: &str, kind: &str) {
    writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}").expect("writing to a String does not fail");
}

/// One line.
pub(super) fn sample(out: &mut String, name: &str, labels: &[(&str, &str)], value: impl std::fmt::Display) {
    let escaped = |text: &str| {
        text.replace('\\', "\\\\")
            .replace('"', "\\\"")
            .replace('\n', "\\n")
    };
    let labels: Vec<String> = labels
        .iter()
        .map(|(name, value)| format!("{name}=\"{}\"", escaped(value)))
        .collect();
    let labels = match labels.is_empty() {
        true => String::new(),
        false => format!("{{{}}}", labels.join(",")),
    };
    writeln!(out, "{name}{labels} {value}").expect("writing to a String does not fail");
}

fn paired<'a, const N: usize>(labels: [&'a str; N], values: &'a [String; N]) -> Vec<(&'a str, &'a str)> {
    labels
        .into_iter()
        .zip(values.iter().map(String::as_str))
        .collect()
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn histograms_are_cumulative_and_in_base_units() {
        let histograms = Histograms::<1>::new(&[5, 10]);
        for (millis, micros) in [(5, 5_000), (7, 7_000), (11, 11_500)] {
            histograms.observe(["a\"b"], millis, micros);
        }
        let mut out = String::new();
        histograms.write(&mut out, "x_seconds", "Help.", ["route"], true);
        let expected = "# HELP x_seconds Help.\n# TYPE x_seconds histogram\n\
                        x_seconds_bucket{route=\"a\\\"b\",le=\"0.005\"} 1\n\
                        x_seconds_bucket{route=\"a\\\"b\",le=\"0.010\"} 2\n\
                        x_seconds_bucket{route=\"a\\\"b\",le=\"+Inf\"} 3\n\
                        x_seconds_sum{route=\"a\\\"b\"} 0.023500\n\
                        x_seconds_count{route=\"a\\\"b\"} 3\n";
        assert_eq!(out, expected);
    }
}
