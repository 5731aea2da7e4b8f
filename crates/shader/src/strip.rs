//! Takes out of a module what only a debugger reads, and keeps the names that reflection needs.

use crate::error::Error;
use crate::words::{HEADER, instructions};
use rspirv::spirv::Op;
use std::collections::HashSet;

/// Drops source text, line numbers and the names of functions and local variables; keeps the names of types, members,
/// specialization constants and module-scope variables.
///
/// The compiler has to run with debug information for the names to be there at all, and that brings the source text and
/// line numbers along, so an edited comment would change the bytes. After this it does not.
pub fn strip(module: &str, words: &[u32]) -> Result<Vec<u32>, Error> {
    let list = instructions(words).map_err(|problem| Error::spirv(module, problem))?;
    let mut named: HashSet<u32> = HashSet::new();
    for instruction in list.iter().take_while(|instruction| instruction.opcode != Some(Op::Function)) {
        let position = match instruction.opcode {
            Some(op) if op.is_type() => 1,
            Some(Op::Variable) => 2,
            Some(Op::SpecConstant | Op::SpecConstantTrue | Op::SpecConstantFalse | Op::SpecConstantComposite | Op::SpecConstantOp) => 2,
            _ => continue,
        };
        named.extend(instruction.words.get(position).copied());
    }
    let mut out = words[..HEADER].to_vec();
    for instruction in &list {
        let keep = match instruction.opcode {
            Some(Op::Line | Op::NoLine | Op::String | Op::ModuleProcessed) => false,
            Some(Op::Source | Op::SourceContinued | Op::SourceExtension) => false,
            Some(Op::Name) => instruction.words.get(1).is_some_and(|id| named.contains(id)) && instruction.words.get(2) != Some(&0),
            _ => true,
        };
        if keep {
            out.extend_from_slice(instruction.words);
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn op(opcode: Op, operands: &[u32]) -> Vec<u32> {
        let mut words = vec![((operands.len() as u32 + 1) << 16) | opcode as u32];
        words.extend_from_slice(operands);
        words
    }

    #[test]
    fn only_the_names_that_reflection_needs_stay() {
        let header = [rspirv::spirv::MAGIC_NUMBER, 0x0001_0300, 0, 10, 0];
        let a = u32::from_le_bytes(*b"a\0\0\0");
        let spec = op(Op::SpecConstant, &[1, 2, 7]);
        let kept = [op(Op::Name, &[2, a]), op(Op::TypeInt, &[1, 32, 0]), spec, op(Op::Function, &[1, 3, 0, 4]), op(Op::FunctionEnd, &[])];
        let mut full: Vec<u32> = header.to_vec();
        full.extend(op(Op::String, &[9, a]));
        full.extend(op(Op::Source, &[2, 450]));
        full.extend(op(Op::Name, &[3, a]));
        full.extend(op(Op::Name, &[1, 0]));
        full.extend(&kept[0]);
        full.extend(op(Op::Line, &[9, 1, 1]));
        full.extend(kept[1..].concat());
        let expected: Vec<u32> = header.iter().copied().chain(kept.concat()).collect();
        assert_eq!(strip("test", &full).unwrap(), expected);
        assert_eq!(strip("test", &expected).unwrap(), expected);
    }

    #[test]
    fn a_torn_module_is_an_error() {
        assert!(strip("m.spv", &[1, 2]).unwrap_err().to_string().contains("m.spv: 2 words are shorter"));
        assert!(strip("m.spv", &[0; 9]).unwrap_err().to_string().contains("magic number"));
        let header = [rspirv::spirv::MAGIC_NUMBER, 0x0001_0300, 0, 10, 0];
        for tail in [0u32, 0x0005_0000] {
            let words: Vec<u32> = header.iter().copied().chain([tail]).collect();
            assert!(strip("m.spv", &words).unwrap_err().to_string().contains("impossible length"));
        }
    }
}
