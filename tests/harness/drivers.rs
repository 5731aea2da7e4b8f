//! Which Vulkan drivers this machine has, and how a process is told to use one of them.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Failed, Trial};
use wavelane_device::{Instance, InstanceOptions, Validation};

use super::process;

/// A driver, in one of its settings.
#[derive(Clone, Debug)]
pub struct Driver {
    /// `lavapipe-8`, `swiftshader-4`, `nvidia`, …: the number is the subgroup size, where the driver's setting gives it.
    pub name: String,
    /// The subgroup size that the driver must have.
    pub subgroup_size: Option<u32>,
    manifest: Option<PathBuf>,
    variables: Vec<(&'static str, OsString)>,
}

impl Driver {
    /// No driver: for what is the same on all of them.
    pub fn none(environment: &[(&'static str, &'static str)]) -> Driver {
        let variables = environment.iter().map(|(key, value)| (*key, OsString::from(value))).collect();
        Driver { name: "none".to_owned(), subgroup_size: None, manifest: None, variables }
    }

    /// In a child: the driver that the parent set up.
    pub fn from_environment(name: String) -> Driver {
        let subgroup_size = name.rsplit_once('-').and_then(|(_, size)| size.parse().ok());
        Driver { name, subgroup_size, manifest: None, variables: Vec::new() }
    }

    /// What a process needs in its environment to use this driver.
    pub fn environment(&self) -> Vec<(&'static str, OsString)> {
        // The device-selection layer of Mesa reorders devices, and has no say in tests.
        let mut variables = vec![("NODEVICE_SELECT", OsString::from("1"))];
        if let Some(manifest) = &self.manifest {
            // Loaders before 1.3.207 know only the second name.
            variables.push(("VK_DRIVER_FILES", manifest.into()));
            variables.push(("VK_ICD_FILENAMES", manifest.into()));
        }
        let layers = fetched().join("explicit_layer.d");
        if layers.is_dir() && std::env::var_os("VK_LAYER_PATH").is_none() {
            variables.push(("VK_LAYER_PATH", layers.into()));
        }
        variables.extend(self.variables.iter().cloned());
        variables
    }

    /// Whether both are one driver in different settings.
    pub fn is_another(&self, other: &Driver) -> bool {
        self.manifest.is_some() && self.manifest == other.manifest
    }

    /// Whether this driver tries a combination that others try, too, by the combination's number. Those of GPUs try all of them, and so does lavapipe with subgroups of 8; each of the
    /// other settings, which take most of their time for compiling, tries a third, another one on each.
    pub fn has_turn(&self, number: usize) -> bool {
        let turn = match self.subgroup_size {
            Some(4) => 1,
            Some(16) => 2,
            _ => return true,
        };
        super::every() || number % 3 == turn
    }

    fn lavapipe(manifest: &Path, subgroup_size: u32) -> Driver {
        let mut variables = vec![("LP_NATIVE_VECTOR_WIDTH", OsString::from((subgroup_size * 32).to_string()))];
        if subgroup_size != 8 {
            // Compiling takes most of the time of a trial. One setting has LLVM optimise as it does for users; the others do without.
            variables.push(("GALLIVM_PERF", "nopt".into()));
        }
        Driver {
            name: format!("lavapipe-{subgroup_size}"),
            subgroup_size: Some(subgroup_size),
            manifest: Some(manifest.to_owned()),
            variables,
        }
    }
}

/// Where `scripts/setup --tests` unpacks SwiftShader and the validation layer.
fn fetched() -> PathBuf {
    // Other packages of the workspace use the harness too, and what is fetched lies at its root.
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = package.ancestors().find(|folder| folder.join("scripts/setup").is_file()).unwrap_or(package);
    root.join("target/vulkan")
}

/// The drivers to test on. With `only`, those that can matter for a trial of this name.
pub fn discover(only: Option<&str>) -> Vec<Driver> {
    let mut drivers = Vec::new();
    let manifests = manifests();
    let named = |part: &str| manifests.iter().find(|path| stem(path).contains(part));
    let swiftshader = named("swiftshader");
    let wanted = names("WAVELANE_TEST_DRIVERS");
    if let Some(manifest) = named("lvp") {
        // A subgroup of 4 is SwiftShader's size, and is left to it where it is there.
        let asked_for_4 = wanted.contains("lavapipe-4") || names("WAVELANE_TEST_REQUIRE").contains("lavapipe-4");
        let with_4 = swiftshader.is_none() || asked_for_4;
        drivers.extend(with_4.then(|| Driver::lavapipe(manifest, 4)));
        drivers.extend([8, 16].map(|size| Driver::lavapipe(manifest, size)));
    }
    if let Some(manifest) = swiftshader {
        let name = "swiftshader-4".to_owned();
        drivers.push(Driver { name, subgroup_size: Some(4), manifest: Some(manifest.clone()), variables: Vec::new() });
    }
    for manifest in manifests.iter().filter(|path| !stem(path).contains("lvp") && !stem(path).contains("swiftshader")) {
        drivers.push(Driver { name: stem(manifest), subgroup_size: None, manifest: Some(manifest.clone()), variables: Vec::new() });
    }
    drivers.retain(|driver| wanted.is_empty() || wanted.contains(&driver.name));
    drivers.retain(|driver| only.is_none_or(|trial| trial.starts_with(&format!("{}::", driver.name)) || !trial.contains("::")));
    // A distribution installs drivers for GPUs that the machine may not have; software drivers must work, and show it in their trials.
    drivers.retain(|driver| driver.subgroup_size.is_some() || process::run_probe(driver).succeeded());
    drivers
}

/// Trials that fail when there is no driver, or not one that was required.
pub fn presence_trials(drivers: &[Driver]) -> Vec<Trial> {
    let found: Vec<String> = drivers.iter().map(|driver| driver.name.clone()).collect();
    let mut trials = Vec::new();
    for name in names("WAVELANE_TEST_REQUIRE") {
        let found = found.clone();
        trials.push(Trial::test(format!("required_driver_{name}"), move || {
            if found.contains(&name) {
                return Ok(());
            }
            Err(Failed::from(format!("required driver {name} is not here; found: {}; run scripts/setup --tests", found.join(", "))))
        }));
    }
    trials.push(Trial::test("a_vulkan_driver_is_present", move || {
        if found.is_empty() {
            return Err(Failed::from("no Vulkan driver found to test on; run scripts/setup --tests, or install mesa-vulkan-drivers"));
        }
        Ok(())
    }));
    trials
}

/// The probe's part: success if the driver in the environment has a device to compute on.
pub fn probe() -> ExitCode {
    let options = InstanceOptions { application_name: "wavelane tests".to_owned(), validation: Validation::Off };
    match Instance::new(&options).and_then(|instance| instance.adapters()) {
        Ok(adapters) if !adapters.is_empty() => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

fn names(variable: &str) -> BTreeSet<String> {
    let text = std::env::var(variable).unwrap_or_default();
    text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// Driver manifests: the caller's choice, or the loader's own folders and ours. Of two with one name the first counts.
fn manifests() -> Vec<PathBuf> {
    let chosen = ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"].into_iter().find_map(std::env::var_os);
    let mut files: Vec<PathBuf> = match chosen {
        Some(list) => std::env::split_paths(&list).collect(),
        None => folders().iter().flat_map(|folder| json_files(folder)).collect(),
    };
    let mut seen = BTreeSet::new();
    files.retain(|file| file.is_file() && for_this_machine(file) && seen.insert(stem(file)));
    files
}

fn folders() -> Vec<PathBuf> {
    let home = std::env::home_dir().unwrap_or_default();
    let one = |variable: &str, default: PathBuf| std::env::var_os(variable).map_or(default, PathBuf::from);
    let many = |variable: &str, default: &str| {
        let list = std::env::var_os(variable).unwrap_or_else(|| OsString::from(default));
        std::env::split_paths(&list).collect::<Vec<_>>()
    };
    let mut roots = vec![one("XDG_CONFIG_HOME", home.join(".config"))];
    roots.extend(many("XDG_CONFIG_DIRS", "/etc/xdg"));
    roots.extend(["/usr/local/etc", "/etc"].map(PathBuf::from));
    roots.push(one("XDG_DATA_HOME", home.join(".local/share")));
    roots.extend(many("XDG_DATA_DIRS", "/usr/local/share:/usr/share"));
    let mut folders: Vec<PathBuf> = roots.into_iter().map(|root| root.join("vulkan/icd.d")).collect();
    folders.push(fetched().join("icd.d"));
    folders
}

fn json_files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    files
}

/// `radeon` of `radeon_icd.x86_64.json`.
fn stem(manifest: &Path) -> String {
    let name = manifest.file_name().unwrap_or_default().to_string_lossy();
    let name = name.split('.').next().unwrap_or_default();
    name.strip_suffix("_icd").unwrap_or(name).to_owned()
}

/// False for `radeon_icd.i686.json` in a 64-bit process.
fn for_this_machine(manifest: &Path) -> bool {
    let name = manifest.file_name().unwrap_or_default().to_string_lossy();
    match name.split('.').collect::<Vec<_>>()[..] {
        [_, machine, _] => machine == std::env::consts::ARCH,
        _ => true,
    }
}
