//! Sizes of types by the rules of std430, which are what a workgroup's shared memory is counted with.

use super::globals::Globals;
use super::{Scalar, constants};
use crate::expression::{Expression, Operation};
use rspirv::dr::Operand;
use rspirv::spirv::Op;

/// A type's size in bytes and its alignment.
pub(super) struct Layout {
    pub(super) bytes: Expression,
    pub(super) alignment: u32,
}

/// The scalar that a type is, if it is one that Rust has too.
pub(super) fn scalar(globals: &Globals, id: u32) -> Option<Scalar> {
    let instruction = globals.definition(id).ok()?;
    match (instruction.class.opcode, instruction.operands.as_slice()) {
        (Op::TypeBool, _) => Some(Scalar::Bool),
        (Op::TypeInt, [Operand::LiteralBit32(32), Operand::LiteralBit32(0)]) => Some(Scalar::U32),
        (Op::TypeInt, [Operand::LiteralBit32(32), Operand::LiteralBit32(1)]) => Some(Scalar::I32),
        (Op::TypeInt, [Operand::LiteralBit32(64), Operand::LiteralBit32(0)]) => Some(Scalar::U64),
        (Op::TypeInt, [Operand::LiteralBit32(64), Operand::LiteralBit32(1)]) => Some(Scalar::I64),
        (Op::TypeFloat, [Operand::LiteralBit32(32), ..]) => Some(Scalar::F32),
        (Op::TypeFloat, [Operand::LiteralBit32(64), ..]) => Some(Scalar::F64),
        _ => None,
    }
}

/// A scalar, or a vector of scalars and how many.
pub(super) fn vector(globals: &Globals, id: u32) -> Option<(Scalar, u32)> {
    let instruction = globals.definition(id).ok()?;
    match (instruction.class.opcode, instruction.operands.as_slice()) {
        (Op::TypeVector, [Operand::IdRef(component), Operand::LiteralBit32(count @ 2..=4)]) => Some((scalar(globals, *component)?, *count)),
        _ => Some((scalar(globals, id)?, 1)),
    }
}

pub(super) fn of_type(globals: &Globals, id: u32) -> Result<Layout, String> {
    Walk { globals, types: 0 }.of_type(id, 0)
}

struct Walk<'a> {
    globals: &'a Globals,
    types: usize,
}

/// How many types one type may be made of, so that structures of structures of … end in an error.
const MAX_TYPES: usize = 4096;

impl Walk<'_> {
    fn of_type(&mut self, id: u32, depth: u32) -> Result<Layout, String> {
        self.types += 1;
        if depth > constants::MAX_DEPTH || self.types > MAX_TYPES {
            return Err(format!("the type %{id} contains itself or is too large"));
        }
        let instruction = self.globals.definition(id)?;
        match (instruction.class.opcode, instruction.operands.as_slice()) {
            (Op::TypeBool, _) => Ok(fixed(4)),
            (Op::TypeInt | Op::TypeFloat, [Operand::LiteralBit32(bits), ..]) => Ok(fixed(bits / 8)),
            (Op::TypePointer, _) => Ok(fixed(8)),
            (Op::TypeVector, [Operand::IdRef(component), Operand::LiteralBit32(count)]) => {
                let component = self.of_type(*component, depth + 1)?;
                let bytes = times(component.bytes, Expression::Literal(*count));
                Ok(Layout { bytes, alignment: component.alignment.saturating_mul(if *count == 2 { 2 } else { 4 }) })
            }
            (Op::TypeMatrix, [Operand::IdRef(column), Operand::LiteralBit32(count)]) => {
                Ok(array(self.of_type(*column, depth + 1)?, Expression::Literal(*count)))
            }
            (Op::TypeArray, [Operand::IdRef(element), Operand::IdRef(length)]) => {
                let length = constants::value(self.globals, *length)?;
                Ok(array(self.of_type(*element, depth + 1)?, length))
            }
            (Op::TypeStruct, members) => {
                let mut whole = Layout { bytes: Expression::Literal(0), alignment: 1 };
                for member in members.iter().filter_map(Operand::id_ref_any) {
                    let member = self.of_type(member, depth + 1)?;
                    let offset = round_up(whole.bytes, member.alignment);
                    whole.bytes = Expression::apply(Operation::AddSizes, vec![offset, member.bytes]);
                    whole.alignment = whole.alignment.max(member.alignment);
                }
                Ok(Layout { bytes: round_up(whole.bytes, whole.alignment), ..whole })
            }
            (other, _) => Err(format!("the type %{id}, an Op{other:?}, has no size in shared memory")),
        }
    }
}

fn fixed(bytes: u32) -> Layout {
    Layout { bytes: Expression::Literal(bytes), alignment: bytes.max(1) }
}

fn array(element: Layout, length: Expression) -> Layout {
    Layout { bytes: times(length, round_up(element.bytes, element.alignment)), alignment: element.alignment }
}

fn times(a: Expression, b: Expression) -> Expression {
    Expression::apply(Operation::MultiplySizes, vec![a, b])
}

fn round_up(bytes: Expression, alignment: u32) -> Expression {
    Expression::apply(Operation::RoundUp, vec![bytes, Expression::Literal(alignment)])
}
