//! Specialization constants, what is computed from them, and the local size.

use super::globals::Globals;
use super::{Scalar, SpecializationConstant, layout};
use crate::expression::{Expression, Operation};
use rspirv::dr::Operand;
use rspirv::spirv::{BuiltIn, Decoration, ExecutionMode, Op};
use std::collections::BTreeMap;

/// How deep constants and types may nest. Real ones stay far below; a module that refers to itself does not.
pub(super) const MAX_DEPTH: u32 = 64;

/// How many nodes one expression may have, so that a chain of doublings ends in an error.
const MAX_NODES: usize = 4096;

/// The constants with a `SpecId`. Of several with one id, which `local_size_x_id` gives rise to, the named one counts.
pub(super) fn declared(globals: &Globals) -> Result<Vec<SpecializationConstant>, String> {
    let mut found: BTreeMap<u32, SpecializationConstant> = BTreeMap::new();
    for opcode in [Op::SpecConstant, Op::SpecConstantTrue, Op::SpecConstantFalse] {
        for instruction in globals.all(opcode) {
            let result = instruction.result_id.unwrap_or_default();
            let Some(id) = spec_id(globals, result) else { continue };
            let name = Some(globals.name(result)).filter(|name| !name.is_empty());
            let label = name.clone().unwrap_or_else(|| format!("with constant_id {id}"));
            let scalar = layout::scalar(globals, instruction.result_type.unwrap_or_default())
                .filter(|scalar| matches!(scalar, Scalar::Bool | Scalar::U32 | Scalar::I32 | Scalar::F32))
                .ok_or_else(|| format!("the specialization constant {label} has a type other than bool, uint, int and float"))?;
            let default = match instruction.operands.first() {
                Some(Operand::LiteralBit32(value)) => *value,
                _ => u32::from(opcode == Op::SpecConstantTrue),
            };
            let constant = SpecializationConstant { id, name, scalar, default };
            match found.get_mut(&id) {
                None => drop(found.insert(id, constant)),
                Some(before) if before.scalar != scalar => {
                    return Err(format!("two specialization constants {label} differ in their type"));
                }
                Some(before) if before.name.is_none() => *before = constant,
                Some(before) if constant.name.is_some() && *before != constant => {
                    return Err(format!("two specialization constants with constant_id {id} differ"));
                }
                Some(_) => {}
            }
        }
    }
    Ok(found.into_values().collect())
}

fn spec_id(globals: &Globals, id: u32) -> Option<u32> {
    globals.decoration(id, Decoration::SpecId)?.first().copied()
}

/// The workgroup's size: what decorates it wins over the execution modes, as SPIR-V says.
pub(super) fn local_size(globals: &Globals) -> Result<[Expression; 3], String> {
    let entry_point = globals.entry_point()?.id;
    let ids = if let Some(id) = globals.built_in(BuiltIn::WorkgroupSize) {
        constituents(globals, id)?
    } else if let Some(ids) = globals.execution_mode(entry_point, ExecutionMode::LocalSizeId) {
        ids
    } else if let Some(literals) = globals.execution_mode(entry_point, ExecutionMode::LocalSize) {
        let [x, y, z] = literals[..] else { return Err("LocalSize has not three values".into()) };
        return Ok([x, y, z].map(Expression::Literal));
    } else {
        return Err("the entry point has no local size".into());
    };
    let [x, y, z] = ids[..] else { return Err("the workgroup's size has not three values".into()) };
    Ok([value(globals, x)?, value(globals, y)?, value(globals, z)?])
}

fn constituents(globals: &Globals, id: u32) -> Result<Vec<u32>, String> {
    let instruction = globals.definition(id)?;
    match instruction.class.opcode {
        Op::ConstantComposite | Op::SpecConstantComposite => Ok(instruction.operands.iter().filter_map(Operand::id_ref_any).collect()),
        other => Err(format!("%{id} should be a composite constant and is an Op{other:?}")),
    }
}

/// The value of a constant of at most 32 bits.
pub(super) fn value(globals: &Globals, id: u32) -> Result<Expression, String> {
    Walk { globals, nodes: 0 }.value(id, 0)
}

struct Walk<'a> {
    globals: &'a Globals,
    nodes: usize,
}

impl Walk<'_> {
    fn value(&mut self, id: u32, depth: u32) -> Result<Expression, String> {
        self.nodes += 1;
        if depth > MAX_DEPTH || self.nodes > MAX_NODES {
            return Err(format!("the constant %{id} refers to itself or is too large an expression"));
        }
        if let Some(spec) = self.globals.spec_operation(id) {
            return self.operation(id, spec.opcode, &spec.operands, spec.result_type, depth);
        }
        let instruction = self.globals.definition(id)?;
        match (instruction.class.opcode, instruction.operands.first()) {
            (Op::SpecConstant | Op::SpecConstantTrue | Op::SpecConstantFalse, _) if spec_id(self.globals, id).is_some() => {
                Ok(Expression::Constant(spec_id(self.globals, id).unwrap_or_default()))
            }
            (Op::Constant | Op::SpecConstant, Some(Operand::LiteralBit32(value))) => Ok(Expression::Literal(*value)),
            (Op::ConstantTrue | Op::SpecConstantTrue, _) => Ok(Expression::Literal(1)),
            (Op::ConstantFalse | Op::SpecConstantFalse | Op::ConstantNull, _) => Ok(Expression::Literal(0)),
            (other, _) => Err(format!("a size depends on %{id}, an Op{other:?} that is not of 32 bits or not supported")),
        }
    }

    fn operation(&mut self, id: u32, opcode: Op, operands: &[u32], result_type: u32, depth: u32) -> Result<Expression, String> {
        match opcode {
            // Conversions between int and uint keep the bits; other widths do not come this far.
            Op::UConvert | Op::SConvert | Op::Bitcast | Op::CopyObject if layout::scalar(self.globals, result_type).is_some() => {
                let operand = operands.first().ok_or_else(|| format!("%{id} has no operand"))?;
                self.value(*operand, depth + 1)
            }
            Op::CompositeExtract => {
                let [composite, index] = operands else { return Err(format!("%{id} extracts from a nested composite")) };
                let parts = constituents(self.globals, *composite)?;
                let part = parts.get(*index as usize).ok_or_else(|| format!("%{id} extracts a component that does not exist"))?;
                self.value(*part, depth + 1)
            }
            opcode => {
                let operation =
                    operation(opcode).ok_or_else(|| format!("a size depends on %{id}, an Op{opcode:?} that is not supported"))?;
                if operands.len() != operation.operands() {
                    return Err(format!("%{id}, an Op{opcode:?}, has {} operands", operands.len()));
                }
                let mut values = operands.iter().map(|operand| self.value(*operand, depth + 1)).collect::<Result<Vec<_>, _>>()?;
                if matches!(opcode, Op::UGreaterThan | Op::SGreaterThan | Op::UGreaterThanEqual | Op::SGreaterThanEqual) {
                    values.reverse();
                }
                Ok(Expression::apply(operation, values))
            }
        }
    }
}

fn operation(opcode: Op) -> Option<Operation> {
    Some(match opcode {
        Op::IAdd => Operation::Add,
        Op::ISub => Operation::Subtract,
        Op::IMul => Operation::Multiply,
        Op::UDiv => Operation::DivideUnsigned,
        Op::SDiv => Operation::DivideSigned,
        Op::UMod => Operation::RemainderUnsigned,
        Op::SRem => Operation::RemainderSigned,
        Op::SMod => Operation::ModuloSigned,
        Op::SNegate => Operation::Negate,
        Op::Not => Operation::Not,
        Op::BitwiseAnd => Operation::And,
        Op::BitwiseOr => Operation::Or,
        Op::BitwiseXor => Operation::Xor,
        Op::ShiftLeftLogical => Operation::ShiftLeft,
        Op::ShiftRightLogical => Operation::ShiftRightLogical,
        Op::ShiftRightArithmetic => Operation::ShiftRightArithmetic,
        Op::IEqual | Op::LogicalEqual => Operation::Equal,
        Op::INotEqual | Op::LogicalNotEqual => Operation::NotEqual,
        // "Greater" is "less" with its operands exchanged.
        Op::ULessThan | Op::UGreaterThan => Operation::LessUnsigned,
        Op::SLessThan | Op::SGreaterThan => Operation::LessSigned,
        Op::ULessThanEqual | Op::UGreaterThanEqual => Operation::LessEqualUnsigned,
        Op::SLessThanEqual | Op::SGreaterThanEqual => Operation::LessEqualSigned,
        Op::LogicalAnd => Operation::LogicalAnd,
        Op::LogicalOr => Operation::LogicalOr,
        Op::LogicalNot => Operation::LogicalNot,
        Op::Select => Operation::Select,
        _ => return None,
    })
}
