//! `wavelane selftest`: every kernel, path and type against its CPU twin on this device.

mod compare;
mod data;
mod progress;
mod scans;
mod table;

use std::time::Instant;

use serde_json::{Value, json};
use wavelane::device::Capabilities;
use wavelane::{Context, Error, FloatResult, Path, Reduce, Tensor};
use wavelane_reference::{Element, Op, Values, reduce, reduce_bound};

use crate::arguments::{Global, SelftestArguments};
use crate::report::{self, Ending, Failure};
use crate::{convert, device, run};
use data::Case;
use progress::Progress;
use table::{Counts, Finding, Row};

pub fn run(global: &Global, arguments: &SelftestArguments) -> Result<Ending, Failure> {
    let started = Instant::now();
    let options = run::context_options(global)?;
    let mut context = run::context(global, &options)?;
    let paths = context.path().map_or_else(|| Path::ALL.to_vec(), |path| vec![path]);
    let mut progress = Progress::new((Op::ALL.len() + scans::OPERATORS) * Element::ALL.len());
    let mut rows = Vec::new();
    for op in Op::ALL {
        for element in Element::ALL {
            progress.step(&format!("reduce {} {}", op.name(), element.name()));
            if !(matches!(op, Op::And | Op::Or | Op::Xor) && element.is_float()) {
                rows.extend(check(&mut context, &paths, op, element, arguments.quick)?);
            }
        }
    }
    rows.extend(scans::check(&mut context, &paths, arguments.quick, &mut progress)?);
    progress.finish();
    // The table goes by kernel, and by path.
    rows.sort_by_key(|row| (row.kernel != "reduce", row.kernel, paths.iter().position(|path| path.name() == row.path)));

    let counts = Counts::of(&rows);
    let capabilities = context.device().capabilities();
    let seconds = started.elapsed().as_secs_f64();
    if arguments.json {
        let report = json!({
            "device": identity(capabilities),
            "quick": arguments.quick,
            "validated": global.validate,
            "seconds": seconds,
            "counts": counts,
            "rows": rows,
        });
        report::print(&format!("{report:#}\n"))?;
    } else {
        report::print(&format!("{}\n\n{}in {seconds:.1} s\n", headline(capabilities), table::text(&rows)))?;
    }
    device::check_validation(&context.validation_messages())?;
    if counts.ok + counts.failed == 0 {
        return Err(Failure::new(
            "nothing could be checked: the device can take none of the paths asked for".to_owned(),
            "leave --path out, or use --path lsm, which every device can take".to_owned(),
        ));
    }
    Ok(if counts.failed == 0 { Ending::Done } else { Ending::Bad })
}

/// Checks an operation on a type, path after path, computing what the CPU says only once.
fn check(context: &mut Context, paths: &[Path], op: Op, element: Element, quick: bool) -> Result<Vec<Row>, Failure> {
    let row = |path: Path, finding| Row { kernel: "reduce", path: path.name(), op: op.name(), element, finding };
    let mut open: Vec<(Path, usize)> = Vec::new();
    let mut rows = Vec::new();
    for &path in paths {
        match unavailable(context, path, op, element) {
            Some(reason) => rows.push(row(path, Finding::Skipped { reason })),
            None => open.push((path, 0)),
        }
    }
    for case in data::cases(op, element, quick) {
        if open.is_empty() {
            break;
        }
        let input = data::values(&case, op, element);
        let expected = Expected::of(&case, op, &input);
        let dtype = convert::dtype(element);
        let tensor = Tensor::new(dtype, case.shape.clone(), input.to_bytes()).map_err(convert::failure)?;
        let mut still_open = Vec::new();
        for (path, checks) in open {
            context.set_path(Some(path));
            match check_case(context, &case, op, &tensor, &expected) {
                Ok(made) => still_open.push((path, checks + made)),
                Err(Trouble::Fatal(error)) => return Err(convert::failure(error)),
                Err(Trouble::Wrong(text)) => rows.push(row(path, Finding::Failed { detail: format!("{}: {text}", case.text()) })),
            }
        }
        open = still_open;
    }
    rows.extend(open.into_iter().map(|(path, checks)| row(path, Finding::Ok { checks })));
    Ok(rows)
}

/// Why the device cannot do an operation on a type by a path, if it cannot.
fn unavailable(context: &Context, path: Path, op: Op, element: Element) -> Option<String> {
    let device = context.device();
    let reduce = Reduce::new(convert::reduce_op(op), convert::dtype(element), &[1]);
    match reduce.schedule(device.capabilities(), device.quirks(), Some(path)) {
        Err(Error::PathUnavailable { missing, .. }) => Some(missing),
        Err(Error::TypeUnsupported { feature, .. }) => Some(format!("the device has no {feature}")),
        _ => None,
    }
}

/// What the CPU says of a case.
struct Expected {
    values: Result<Values, wavelane_reference::Error>,
    /// Bounds for results in f32 and in f64.
    bounds: [Vec<f64>; 2],
}

impl Expected {
    fn of(case: &Case, op: Op, input: &Values) -> Expected {
        let values = reduce(op, input, &case.shape, case.axis, case.nan, case.wide);
        let bounds = [Element::F32, Element::F64]
            .map(|result| reduce_bound(op, input, &case.shape, case.axis, case.nan, result).unwrap_or_default());
        Expected { values, bounds }
    }
}

/// What ends the checks of a row, or of everything.
enum Trouble {
    Wrong(String),
    Fatal(Error),
}

/// Runs a case, with every type of result that there is, and returns how many checks were made.
fn check_case(context: &Context, case: &Case, op: Op, tensor: &Tensor, expected: &Expected) -> Result<usize, Trouble> {
    let double = context.device().capabilities().features.shader_float64;
    let choice = matches!(op, Op::Mean | Op::Var | Op::Norm1 | Op::Norm2) && !tensor.dtype().is_float() && double;
    let results: &[FloatResult] = if choice { &[FloatResult::F32, FloatResult::F64] } else { &[FloatResult::F32] };
    for &float_result in results {
        let reduce = Reduce {
            op: convert::reduce_op(op),
            dtype: tensor.dtype(),
            shape: case.shape.clone(),
            axis: case.axis,
            nan: convert::nan_policy(case.nan),
            wide: case.wide,
            float_result,
            counted: false,
        };
        let first = context.reduce(&reduce, tensor);
        let (got, want) = match (first, &expected.values) {
            (Ok(outcome), Ok(want)) => (outcome.tensor, want),
            (Err(Error::EmptyReduction { .. }), Err(wavelane_reference::Error::Empty { .. })) => continue,
            (Err(error), _) if is_fatal(&error) => return Err(Trouble::Fatal(error)),
            (Err(error), Ok(_)) => return Err(Trouble::Wrong(error.to_string())),
            (Err(error), Err(want)) => return Err(Trouble::Wrong(format!("`{error}` where the CPU says `{want}`"))),
            (Ok(_), Err(want)) => return Err(Trouble::Wrong(format!("a result where the CPU says `{want}`"))),
        };
        let element = convert::element(got.dtype());
        let values = Values::from_bytes(element, got.bytes()).ok_or_else(|| Trouble::Wrong("bytes of half an element".to_owned()))?;
        let bounds = &expected.bounds[usize::from(element == Element::F64)];
        compare::compare(&values, want, bounds).map_err(Trouble::Wrong)?;
        if case.is_large() {
            let again = context.reduce(&reduce, tensor).map_err(Trouble::Fatal)?;
            if again.tensor.bytes() != got.bytes() {
                return Err(Trouble::Wrong("a second run gives other bits".to_owned()));
            }
        }
    }
    Ok(results.len())
}

/// After these nothing on the device can be believed.
fn is_fatal(error: &Error) -> bool {
    use wavelane::{device, record};
    matches!(error, Error::Device(device::Error::DeviceLost { .. }) | Error::Record(record::Error::DeviceLost { .. }))
}

fn identity(capabilities: &Capabilities) -> Value {
    json!({
        "name": capabilities.device_name,
        "type": capabilities.device_type,
        "api_version": capabilities.api_version.to_string(),
        "driver": capabilities.driver_name,
        "driver_info": capabilities.driver_info,
        "subgroup_size": capabilities.subgroup.size,
        "profile": capabilities.profile,
    })
}

fn headline(capabilities: &Capabilities) -> String {
    let profile = capabilities.profile.as_ref().map(|profile| format!(", as {profile}")).unwrap_or_default();
    format!(
        "{}{profile}: Vulkan {}, driver {} {}, subgroups of {}",
        capabilities.device_name, capabilities.api_version, capabilities.driver_name, capabilities.driver_info, capabilities.subgroup.size
    )
}
