//! The same figures under one name and in one unit, whatever the driver calls them.

use super::{ExecutableStatistics, Statistic};

/// What limits how much of an executable runs at once, and what it costs, as far as the driver says: `None` where it does not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExecutableSummary {
    /// Lanes of a subgroup.
    pub subgroup_size: Option<u32>,
    /// Registers of 32 bits that each lane takes.
    pub registers: Option<u64>,
    /// Registers that the lanes of a subgroup share.
    pub subgroup_registers: Option<u64>,
    /// Registers that had to live in memory, or the instructions that put them there, whichever the driver counts. Anything but 0 is slow.
    pub spills: Option<u64>,
    /// Bytes of private memory, of a lane or of a subgroup, whichever the driver counts.
    pub private_bytes: Option<u64>,
    /// Bytes of shared memory that a workgroup takes.
    pub shared_memory_bytes: Option<u64>,
    /// Instructions in the code.
    pub instructions: Option<u64>,
    /// Bytes of code.
    pub code_bytes: Option<u64>,
    /// Subgroups that fit on a processor of the device at once, by registers and shared memory.
    pub resident_subgroups: Option<u64>,
    /// Invocations that fit on a processor at once, where the driver counts those.
    pub resident_invocations: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Figure {
    Registers,
    SubgroupRegisters,
    Spills,
    PrivateBytes,
    SharedMemoryBytes,
    Instructions,
    CodeBytes,
    ResidentSubgroups,
    ResidentInvocations,
}

/// A driver's name, what it stands for, and what to multiply and divide by to come to our unit.
type Row = (&'static str, Figure, u64, u64);

/// Names as the drivers spell them. Several share some of theirs, in the same unit.
const ROWS: &[Row] = &[
    // NVIDIA
    ("Register Count", Figure::Registers, 1, 1),
    ("Binary Size", Figure::CodeBytes, 1, 1),
    ("Stack Size", Figure::PrivateBytes, 1, 1),
    ("Shared Memory Size", Figure::SharedMemoryBytes, 1, 1),
    // NVK
    ("Number of GPRs", Figure::Registers, 1, 1),
    ("Spills to memory", Figure::Spills, 1, 1),
    ("SLM size", Figure::PrivateBytes, 1, 1),
    ("Max warps/SM", Figure::ResidentSubgroups, 1, 1),
    // RADV
    ("VGPRs", Figure::Registers, 1, 1),
    ("SGPRs", Figure::SubgroupRegisters, 1, 1),
    ("Spilled VGPRs", Figure::Spills, 1, 1),
    ("Spilled SGPRs", Figure::Spills, 1, 1),
    ("LDS size", Figure::SharedMemoryBytes, 1, 1),
    ("Scratch size", Figure::PrivateBytes, 1, 1),
    ("Subgroups per SIMD", Figure::ResidentSubgroups, 1, 1),
    // ANV, whose registers are a subgroup's and not a lane's
    ("Workgroup Memory Size", Figure::SharedMemoryBytes, 1, 1),
    ("Scratch Memory Size", Figure::PrivateBytes, 1, 1),
    // PanVK
    ("Registers used", Figure::Registers, 1, 1),
    // Honeykrisp, in registers of 16 bits
    ("GPRs", Figure::Registers, 1, 2),
    ("Scratch", Figure::PrivateBytes, 1, 1),
    // V3DV
    ("TMU Spills", Figure::Spills, 1, 1),
    ("Spill Size", Figure::PrivateBytes, 1, 1),
    // PowerVR
    ("Spill count", Figure::Spills, 1, 1),
    ("Temp count", Figure::Registers, 1, 1),
    ("Inst group count", Figure::Instructions, 1, 1),
    // Several
    ("Instruction Count", Figure::Instructions, 1, 1),
    ("Instructions", Figure::Instructions, 1, 1),
    ("Code size", Figure::CodeBytes, 1, 1),
    ("Spills", Figure::Spills, 1, 1),
    ("Threads", Figure::ResidentInvocations, 1, 1),
];

/// Turnip, which uses others' names and counts in words of code and in registers of four words.
const TURNIP: &[Row] = &[
    ("Registers used", Figure::Registers, 4, 1),
    ("STP Count", Figure::Spills, 1, 1),
    ("Max Waves Per Core", Figure::ResidentSubgroups, 1, 1),
    ("Instruction Count", Figure::Instructions, 1, 1),
    ("Code size", Figure::CodeBytes, 4, 1),
];

impl ExecutableStatistics {
    /// The figures that most drivers give in some way, under one name and in one unit. What a driver names otherwise than those known here is
    /// left out; [`ExecutableStatistics::statistics`] has it all.
    pub fn summary(&self) -> ExecutableSummary {
        let turnip = self.statistics.iter().any(|statistic| statistic.name == "Half-registers used");
        let rows = if turnip { TURNIP } else { ROWS };
        let figure = |wanted| figure(rows, &self.statistics, wanted);
        ExecutableSummary {
            subgroup_size: (self.subgroup_size > 0).then_some(self.subgroup_size),
            registers: figure(Figure::Registers),
            subgroup_registers: figure(Figure::SubgroupRegisters),
            spills: figure(Figure::Spills),
            private_bytes: figure(Figure::PrivateBytes),
            shared_memory_bytes: figure(Figure::SharedMemoryBytes),
            instructions: figure(Figure::Instructions),
            code_bytes: figure(Figure::CodeBytes),
            resident_subgroups: figure(Figure::ResidentSubgroups),
            resident_invocations: figure(Figure::ResidentInvocations),
        }
    }
}

/// The sum of what goes by this figure's names: registers of two kinds can be spilled.
fn figure(rows: &[Row], statistics: &[Statistic], wanted: Figure) -> Option<u64> {
    let named = |statistic: &Statistic| {
        let row = rows.iter().find(|(name, figure, ..)| *figure == wanted && name.eq_ignore_ascii_case(&statistic.name))?;
        Some(statistic.value.as_u64()?.saturating_mul(row.2).div_ceil(row.3))
    };
    statistics.iter().filter_map(named).reduce(u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::super::StatisticValue;
    use super::*;

    /// Figures of the shared-memory module `rows.f32.f32`, as Mesa 26's drivers gave them.
    fn recorded(subgroup_size: u32, figures: &[(&str, u64)]) -> ExecutableSummary {
        let statistics = figures
            .iter()
            .map(|&(name, value)| Statistic { name: name.into(), description: String::new(), value: StatisticValue::U64(value) })
            .collect();
        ExecutableStatistics { name: "compute".into(), description: String::new(), subgroup_size, statistics }.summary()
    }

    #[test]
    fn adreno_750_by_turnip() {
        let summary = recorded(
            128,
            &[
                ("Max Waves Per Core", 16),
                ("Instruction Count", 552),
                ("Code size", 868),
                ("NOPs Count", 210),
                ("Registers used", 6),
                ("Half-registers used", 0),
                ("STP Count", 0),
                ("LDP Count", 0),
                ("Preamble Instruction Count", 57),
            ],
        );
        let expected = ExecutableSummary {
            subgroup_size: Some(128),
            registers: Some(24),
            spills: Some(0),
            instructions: Some(552),
            code_bytes: Some(3472),
            resident_subgroups: Some(16),
            ..Default::default()
        };
        assert_eq!(summary, expected);
    }

    #[test]
    fn navi_21_by_radv() {
        let figures = [
            ("Driver pipeline hash", 2_391_022_898_348_160_489),
            ("SGPRs", 108),
            ("VGPRs", 24),
            ("Spilled SGPRs", 3),
            ("Spilled VGPRs", 4),
            ("Code size", 1788),
            ("LDS size", 2048),
            ("Scratch size", 0),
            ("Subgroups per SIMD", 32),
            ("Instructions", 378),
            ("Pre-Sched VGPRs", 20),
        ];
        let expected = ExecutableSummary {
            subgroup_size: Some(64),
            registers: Some(24),
            subgroup_registers: Some(108),
            // Of both kinds; the module itself spills none.
            spills: Some(7),
            private_bytes: Some(0),
            shared_memory_bytes: Some(2048),
            instructions: Some(378),
            code_bytes: Some(1788),
            resident_subgroups: Some(32),
            ..Default::default()
        };
        assert_eq!(recorded(64, &figures), expected);
    }

    #[test]
    fn ampere_by_nvk() {
        let figures = [
            ("Instruction count", 483),
            ("Static cycle count", 16220),
            ("Max warps/SM", 48),
            ("Spills to memory", 0),
            ("Fills from memory", 0),
            ("Spills to reg", 0),
            ("Code size", 7728),
            ("Number of GPRs", 40),
            ("SLM size", 0),
        ];
        let expected = ExecutableSummary {
            subgroup_size: Some(32),
            registers: Some(40),
            spills: Some(0),
            private_bytes: Some(0),
            instructions: Some(483),
            code_bytes: Some(7728),
            resident_subgroups: Some(48),
            ..Default::default()
        };
        assert_eq!(recorded(32, &figures), expected);
    }

    #[test]
    fn apple_m1_by_honeykrisp() {
        let figures =
            [("Instructions", 280), ("Code size", 1860), ("GPRs", 55), ("Uniforms", 106), ("Scratch", 0), ("Threads", 1024), ("Spills", 0)];
        let expected = ExecutableSummary {
            registers: Some(28),
            spills: Some(0),
            private_bytes: Some(0),
            instructions: Some(280),
            code_bytes: Some(1860),
            resident_invocations: Some(1024),
            ..Default::default()
        };
        assert_eq!(recorded(0, &figures), expected);
    }

    #[test]
    fn unknown_names_and_values_without_meaning_are_left_out() {
        let odd = |name: &str, value| Statistic { name: name.into(), description: String::new(), value };
        let statistics = vec![
            odd("Registers", StatisticValue::U64(9)),
            odd("Instructions", StatisticValue::I64(-1)),
            odd("VGPRs", StatisticValue::F64(f64::NAN)),
            odd("Code size", StatisticValue::F64(96.0)),
        ];
        let executable = ExecutableStatistics { name: String::new(), description: String::new(), subgroup_size: 0, statistics };
        assert_eq!(executable.summary(), ExecutableSummary { code_bytes: Some(96), ..Default::default() });
    }
}
