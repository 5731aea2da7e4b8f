//! The checks of one kernel, operator and type, path after path, and what becomes of them.

use wavelane::{Context, Error, Path, Tensor};
use wavelane_reference::{self as reference, Element, Values};

use super::compare::{compare, same_bits};
use super::table::{Finding, Row};
use crate::convert;
use crate::report::Failure;

type Checks = dyn Fn(&mut Trial) -> Result<(), Trouble>;

/// What is to be checked of one kernel, operator and type.
pub struct Job {
    pub kernel: &'static str,
    pub op: &'static str,
    pub element: Element,
    /// Whether invocations exchange nothing, so that all paths are one.
    one_path: bool,
    checks: Box<Checks>,
}

impl Job {
    pub fn new(
        kernel: &'static str,
        op: &'static str,
        element: Element,
        checks: impl Fn(&mut Trial) -> Result<(), Trouble> + 'static,
    ) -> Job {
        Job { kernel, op, element, one_path: false, checks: Box::new(checks) }
    }

    pub fn of_one_path(self) -> Job {
        Job { one_path: true, ..self }
    }

    /// A row for each path. Only what ends everything is an error.
    pub fn run(&self, context: &mut Context, paths: &[Path]) -> Result<Vec<Row>, Failure> {
        let open = paths.iter().filter(|&&path| !self.one_path || path == Path::SharedMemory).map(|&path| (path, 0)).collect();
        let mut trial = Trial { context, open, closed: Vec::new() };
        match (self.checks)(&mut trial) {
            Ok(()) => {}
            Err(Trouble::Fatal(error)) => return Err(convert::failure(error)),
            Err(trouble) => trial.close_all(&trouble),
        }
        let Trial { open, closed, .. } = trial;
        let row = |path: Path, finding| Row { kernel: self.kernel, path: path.name(), op: self.op, element: self.element, finding };
        let open = open.into_iter().map(|(path, checks)| row(path, Finding::Ok { checks }));
        Ok(closed.into_iter().map(|(path, finding)| row(path, finding)).chain(open).collect())
    }
}

/// What ends the checks of a path, or of everything.
pub enum Trouble {
    Cannot(String),
    Wrong(String),
    Fatal(Error),
}

impl Trouble {
    fn finding(&self) -> Option<Finding> {
        match self {
            Trouble::Cannot(reason) => Some(Finding::Skipped { reason: reason.clone() }),
            Trouble::Wrong(detail) => Some(Finding::Failed { detail: detail.clone() }),
            Trouble::Fatal(_) => None,
        }
    }

    /// With what was computed in front.
    fn of(self, label: &str) -> Trouble {
        match self {
            Trouble::Wrong(text) => Trouble::Wrong(format!("{label}: {text}")),
            other => other,
        }
    }
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Trouble {
        match error {
            Error::PathUnavailable { missing, .. } => Trouble::Cannot(missing),
            Error::TypeUnsupported { feature, .. } | Error::FeatureMissing { feature, .. } => {
                Trouble::Cannot(format!("the device has no {feature}"))
            }
            error if is_fatal(&error) => Trouble::Fatal(error),
            error => Trouble::Wrong(error.to_string()),
        }
    }
}

impl From<reference::Error> for Trouble {
    fn from(error: reference::Error) -> Trouble {
        Trouble::Wrong(format!("the CPU says `{error}`"))
    }
}

impl From<String> for Trouble {
    fn from(text: String) -> Trouble {
        Trouble::Wrong(text)
    }
}

/// After these nothing on the device can be believed.
pub fn is_fatal(error: &Error) -> bool {
    use wavelane::{device, record};
    matches!(error, Error::Device(device::Error::DeviceLost { .. }) | Error::Record(record::Error::DeviceLost { .. }))
}

/// The paths on which all checks so far have passed, and how the others ended.
pub struct Trial<'a> {
    context: &'a mut Context,
    open: Vec<(Path, usize)>,
    closed: Vec<(Path, Finding)>,
}

impl Trial<'_> {
    /// Whether no path is left, so that nothing more has to be computed.
    pub fn is_over(&self) -> bool {
        self.open.is_empty()
    }

    /// Makes a check on every path that is left. It says how many checks it was, or why the path is done.
    pub fn on_each(&mut self, label: &str, check: impl Fn(&Context) -> Result<usize, Trouble>) -> Result<(), Trouble> {
        for (path, checks) in std::mem::take(&mut self.open) {
            self.context.set_path(Some(path));
            match check(self.context).map_err(|trouble| trouble.of(label)) {
                Ok(made) => self.open.push((path, checks + made)),
                Err(trouble) => match trouble.finding() {
                    Some(finding) => self.closed.push((path, finding)),
                    None => return Err(trouble),
                },
            }
        }
        Ok(())
    }

    fn close_all(&mut self, trouble: &Trouble) {
        let finding = trouble.finding();
        self.closed.extend(std::mem::take(&mut self.open).into_iter().filter_map(|(path, _)| Some((path, finding.clone()?))));
    }
}

/// An array of values in C order.
pub fn tensor(values: &Values, shape: &[usize]) -> Result<Tensor, Trouble> {
    Ok(Tensor::new(convert::dtype(values.element()), shape.to_vec(), values.to_bytes())?)
}

/// Requires results to be the twin's within bounds, which are asked for once their type is known.
pub fn near(got: &Tensor, want: &Values, bounds: impl Fn(Element) -> Result<Vec<f64>, reference::Error>) -> Result<(), Trouble> {
    let got = values_of(got)?;
    let result = if got.element() == Element::F64 { Element::F64 } else { Element::F32 };
    Ok(compare(&got, want, &bounds(result)?)?)
}

/// Requires results to have the twin's bits.
pub fn same(what: &str, got: &Tensor, want: &Values) -> Result<(), Trouble> {
    Ok(same_bits(&values_of(got)?, want).map_err(|text| format!("{what}: {text}"))?)
}

/// Requires positions, counts and the like to be the twin's.
pub fn same_words(what: &str, got: Option<&Tensor>, want: &[u32]) -> Result<(), Trouble> {
    let got = got.ok_or_else(|| format!("{what}: none came"))?;
    same(what, got, &Values::U32(want.to_vec()))
}

fn values_of(tensor: &Tensor) -> Result<Values, Trouble> {
    let element = convert::element(tensor.dtype());
    Ok(Values::from_bytes(element, tensor.bytes()).ok_or_else(|| "bytes of half an element".to_owned())?)
}
