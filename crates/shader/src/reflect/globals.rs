//! Everything of a module that stands before its functions, indexed by id.

use crate::words::{HEADER, instructions};
use rspirv::binary::{Consumer, ParseAction, parse_words};
use rspirv::dr::{Instruction, ModuleHeader, Operand};
use rspirv::spirv::{BuiltIn, Decoration, ExecutionMode, ExecutionModel, Op};
use std::collections::HashMap;

/// The instructions before the first function.
pub(crate) struct Globals {
    pub(crate) version: (u8, u8),
    instructions: Vec<Instruction>,
    by_id: HashMap<u32, usize>,
    spec_operations: HashMap<u32, SpecOperation>,
}

/// An `OpSpecConstantOp`, taken apart by hand: the parser reads only one of each optional operand.
pub(crate) struct SpecOperation {
    pub(crate) result_type: u32,
    pub(crate) opcode: Op,
    pub(crate) operands: Vec<u32>,
}

/// The one entry point.
pub(crate) struct EntryPoint {
    pub(crate) id: u32,
    pub(crate) name: String,
}

#[derive(Default)]
struct Collector(Vec<Instruction>);

impl Consumer for Collector {
    fn initialize(&mut self) -> ParseAction {
        ParseAction::Continue
    }

    fn finalize(&mut self) -> ParseAction {
        ParseAction::Continue
    }

    fn consume_header(&mut self, _: ModuleHeader) -> ParseAction {
        ParseAction::Continue
    }

    fn consume_instruction(&mut self, instruction: Instruction) -> ParseAction {
        self.0.push(instruction);
        ParseAction::Continue
    }
}

impl Globals {
    pub(crate) fn read(words: &[u32]) -> Result<Globals, String> {
        let raw = instructions(words)?;
        let mut prefix = words[..HEADER].to_vec();
        let mut spec_operations = HashMap::new();
        for instruction in raw.iter().take_while(|instruction| instruction.opcode != Some(Op::Function)) {
            if instruction.opcode != Some(Op::SpecConstantOp) {
                prefix.extend_from_slice(instruction.words);
                continue;
            }
            let [_, result_type, id, opcode, operands @ ..] = instruction.words else {
                return Err("an OpSpecConstantOp is too short".into());
            };
            let opcode = Op::from_u32(*opcode).ok_or_else(|| format!("an OpSpecConstantOp has the unknown opcode {opcode}"))?;
            spec_operations.insert(*id, SpecOperation { result_type: *result_type, opcode, operands: operands.to_vec() });
        }
        let mut collector = Collector::default();
        parse_words(&prefix, &mut collector).map_err(|state| state.to_string())?;
        let ids = collector.0.iter().enumerate().filter_map(|(index, instruction)| Some((instruction.result_id?, index)));
        Ok(Globals {
            version: ((words[1] >> 16) as u8, (words[1] >> 8) as u8),
            by_id: ids.collect(),
            instructions: collector.0,
            spec_operations,
        })
    }

    /// All instructions with this opcode.
    pub(crate) fn all(&self, opcode: Op) -> impl Iterator<Item = &Instruction> {
        self.instructions.iter().filter(move |instruction| instruction.class.opcode == opcode)
    }

    /// The instruction that defines an id; not for `OpSpecConstantOp`.
    pub(crate) fn definition(&self, id: u32) -> Result<&Instruction, String> {
        let index = self.by_id.get(&id).ok_or_else(|| format!("the id %{id} is used but not defined before the functions"))?;
        Ok(&self.instructions[*index])
    }

    pub(crate) fn spec_operation(&self, id: u32) -> Option<&SpecOperation> {
        self.spec_operations.get(&id)
    }

    pub(crate) fn capabilities(&self) -> Vec<String> {
        let operands = self.all(Op::Capability).filter_map(|instruction| instruction.operands.first());
        operands.filter_map(|operand| if let Operand::Capability(name) = operand { Some(format!("{name:?}")) } else { None }).collect()
    }

    pub(crate) fn extensions(&self) -> Vec<String> {
        self.all(Op::Extension).filter_map(|instruction| string(instruction.operands.first())).collect()
    }

    pub(crate) fn entry_point(&self) -> Result<EntryPoint, String> {
        let mut found = None;
        for instruction in self.all(Op::EntryPoint) {
            let [Operand::ExecutionModel(model), Operand::IdRef(id), Operand::LiteralString(name), ..] = instruction.operands.as_slice()
            else {
                return Err("an OpEntryPoint has unexpected operands".into());
            };
            if *model != ExecutionModel::GLCompute {
                return Err(format!("the entry point {name:?} is for {model:?}, and only GLCompute is understood"));
            }
            if found.is_some() {
                return Err("there is more than one entry point".into());
            }
            found = Some(EntryPoint { id: *id, name: name.clone() });
        }
        found.ok_or_else(|| "there is no entry point".into())
    }

    /// The operands of an execution mode of an entry point, as words.
    pub(crate) fn execution_mode(&self, entry_point: u32, mode: ExecutionMode) -> Option<Vec<u32>> {
        let candidates = self.all(Op::ExecutionMode).chain(self.all(Op::ExecutionModeId));
        candidates.into_iter().find_map(|instruction| match instruction.operands.as_slice() {
            [Operand::IdRef(id), Operand::ExecutionMode(found), rest @ ..] if *id == entry_point && *found == mode => {
                rest.iter().map(word).collect()
            }
            _ => None,
        })
    }

    pub(crate) fn name(&self, id: u32) -> String {
        let names = self.all(Op::Name).filter(|instruction| instruction.operands.first() == Some(&Operand::IdRef(id)));
        names.filter_map(|instruction| string(instruction.operands.get(1))).next().unwrap_or_default()
    }

    pub(crate) fn member_name(&self, id: u32, member: u32) -> String {
        let wanted = [Operand::IdRef(id), Operand::LiteralBit32(member)];
        let mut names = self.all(Op::MemberName).filter(|instruction| instruction.operands.starts_with(&wanted));
        let name = names.find_map(|instruction| string(instruction.operands.get(2))).unwrap_or_default();
        if name.is_empty() { format!("member_{member}") } else { name }
    }

    /// The words behind a decoration of an id, if it has it.
    pub(crate) fn decoration(&self, id: u32, decoration: Decoration) -> Option<Vec<u32>> {
        self.all(Op::Decorate).find_map(|instruction| match instruction.operands.as_slice() {
            [Operand::IdRef(target), Operand::Decoration(found), rest @ ..] if *target == id && *found == decoration => {
                rest.iter().map(word).collect()
            }
            _ => None,
        })
    }

    /// Likewise for a member of a structure.
    pub(crate) fn member_decoration(&self, id: u32, member: u32, decoration: Decoration) -> Option<Vec<u32>> {
        self.all(Op::MemberDecorate).find_map(|instruction| match instruction.operands.as_slice() {
            [Operand::IdRef(target), Operand::LiteralBit32(at), Operand::Decoration(found), rest @ ..]
                if *target == id && *at == member && *found == decoration =>
            {
                rest.iter().map(word).collect()
            }
            _ => None,
        })
    }

    /// The id that is decorated as a built-in.
    pub(crate) fn built_in(&self, built_in: BuiltIn) -> Option<u32> {
        let wanted = [Operand::Decoration(Decoration::BuiltIn), Operand::BuiltIn(built_in)];
        let mut decorations = self.all(Op::Decorate).filter(|instruction| instruction.operands.get(1..) == Some(&wanted));
        decorations.find_map(|instruction| instruction.operands.first().and_then(Operand::id_ref_any))
    }
}

/// An operand that is one word.
fn word(operand: &Operand) -> Option<u32> {
    match operand {
        Operand::LiteralBit32(value) => Some(*value),
        Operand::BuiltIn(value) => Some(*value as u32),
        operand => operand.id_ref_any(),
    }
}

fn string(operand: Option<&Operand>) -> Option<String> {
    if let Some(Operand::LiteralString(text)) = operand { Some(text.clone()) } else { None }
}
