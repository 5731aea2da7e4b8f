//! Sums of floats whose error does not grow with the count.

/// A sum that carries what each addition loses (Neumaier).
#[derive(Clone, Copy, Default)]
pub(crate) struct Sum {
    sum: f64,
    lost: f64,
}

impl Sum {
    pub(crate) fn add(self, x: f64) -> Sum {
        let next = self.sum + x;
        let lost = if self.sum.abs() >= x.abs() { (self.sum - next) + x } else { (x - next) + self.sum };
        Sum { sum: next, lost: self.lost + lost }
    }

    pub(crate) fn total(self) -> f64 {
        // With an infinity or NaN in the sum, what was lost is itself NaN.
        if self.sum.is_finite() { self.sum + self.lost } else { self.sum }
    }
}

pub(crate) fn sum(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(Sum::default(), Sum::add).total()
}
