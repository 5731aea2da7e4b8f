//! `wavelane run merge`.

use std::path::Path;

use wavelane::Merge;

use super::context_options;
use super::search::one_dimension;
use super::session::{Session, moved, moved_tensor, same_kind};
use super::sort::{Values, narrowed};
use crate::arguments::{Global, RunMerge};
use crate::npy::{self, Array};
use crate::outputs::Outputs;
use crate::report::{Ending, Failure};
use crate::{files, numpy};

pub fn merge(global: &Global, arguments: &RunMerge) -> Result<Ending, Failure> {
    let options = context_options(global)?;
    let inputs = [
        ("the first array", Some(&arguments.first)),
        ("the second array", Some(&arguments.second)),
        ("--values", arguments.values.as_ref()),
        ("--second-values", arguments.second_values.as_ref()),
    ];
    files::check(&inputs, &[("-o", arguments.output.as_ref()), ("--out-values", arguments.out_values.as_ref())])?;
    let [first, second] = [npy::read(&arguments.first)?, npy::read(&arguments.second)?];
    same_kind("elements", &second, &first)?;
    let kind = first.kind;
    let lengths = [one_dimension(&first.shape)?, one_dimension(&second.shape)?];
    let mut merge = Merge { descending: arguments.descending, ..Merge::new(moved(kind), lengths[0], lengths[1]) };
    let values = match (&arguments.values, &arguments.second_values) {
        (Some(first), Some(second)) => Some(values_of([first, second], lengths)?),
        _ => None,
    };
    if let Some([values, _]) = &values {
        merge = merge.with_values(values.tensor.dtype());
    }
    let (first, second) = (moved_tensor(first)?, moved_tensor(second)?);
    let session = Session::open(global, &options)?;
    let given = values.as_ref().map(|[first, second]| [&first.tensor, &second.tensor]);
    let merged = session.finish(session.context.merge(&merge, [&first, &second], given))?;
    let shape = vec![lengths[0] + lengths[1]];
    let mut outputs = Outputs::default();
    if let (Some([values, _]), Some(tensor)) = (&values, &merged.values) {
        let kind = values.kind;
        let array = Array { kind, shape: shape.clone(), bytes: narrowed(tensor.bytes(), kind) };
        outputs.file(arguments.out_values.as_deref(), array);
    }
    let bytes = merged.keys.map_or_else(Vec::new, |keys| keys.bytes().to_vec());
    outputs.file_or_text(arguments.output.as_deref(), Array { kind, shape, bytes });
    outputs.write()?;
    Ok(Ending::Done)
}

/// The values of both arrays, of one type.
fn values_of(paths: [&impl AsRef<Path>; 2], [first, second]: [usize; 2]) -> Result<[Values; 2], Failure> {
    let values = [Values::read("--values", paths[0].as_ref(), &[first])?, Values::read("--second-values", paths[1].as_ref(), &[second])?];
    if values[0].kind != values[1].kind {
        return Err(Failure::new(
            format!("second values of type {} do not fit values of {}", values[1].kind.name(), values[0].kind.name()),
            format!("convert one of them: {}", numpy::CONVERT),
        ));
    }
    Ok(values)
}
