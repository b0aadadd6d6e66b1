//! Kernels, as packages of the system's own package manager and mirror: found by name, checked by their signatures, kept.
//!
//! A suite's lists lie in a folder of their own, so that the system's are neither read nor changed.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};
use interlock_capture::place::run_to_end;
use interlock_checker::note;

use crate::kernels::Kernel;
use crate::modules;

/// Who signs the suites.
const KEYRING: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

/// What a kernel's packages are called before its name, and behind it.
const PREFIXES: [&str; 2] = ["linux-image-", "linux-binary-"];
const SUFFIX: &str = "-cloud-amd64";

/// A kernel that is here.
#[derive(Debug, Clone)]
pub struct Here {
    /// Its release: `6.12.107`.
    pub release: String,
    /// Its image.
    pub image: PathBuf,
    /// Its modules, in the order in which they are loaded.
    pub modules: Vec<PathBuf>,
}

/// Finds the kernel, from its packages if it is not kept below `kept` already.
///
/// # Errors
/// Where it cannot be had: with what is missing.
pub fn find(kernel: &Kernel, kept: &Path) -> Result<Here> {
    let dir = kept.join("kernels").join(&kernel.version);
    if !dir.exists() {
        if let Some((source, cure)) = kernel.cure() {
            bail!("it is not built yet: `interlock cures --source {source} {cure}` does that");
        }
        ensure!(
            !kernel.suite.is_empty(),
            "no suite of packages has it: build it with what is needed of it built in (virtio, nbd, loop, null_blk, ext4, XFS, kprobes), \
             and put its bzImage as `vmlinuz`, its release in a file `release`, and an empty folder `modules` into {}",
            dir.display()
        );
        fetch(kernel, kept, &dir)?;
    }
    let mut modules: Vec<PathBuf> = fs::read_dir(dir.join("modules"))?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    modules.sort();
    Ok(Here {
        release: fs::read_to_string(dir.join("release"))?.trim().to_owned(),
        image: dir.join("vmlinuz"),
        modules,
    })
}

fn fetch(kernel: &Kernel, kept: &Path, dir: &Path) -> Result<()> {
    let suite = Suite::open(&kernel.suite, kept)?;
    let (name, names) = suite.packages(&kernel.name)?;
    note!("{}: {}", kernel.version, names.join(", "));
    fs::create_dir_all(kept)?;
    let work = tempfile::tempdir_in(kept)?;
    let root = suite.unpacked(&names, work.path())?;
    let new = work.path().join("kernel");
    fs::create_dir_all(new.join("modules"))?;
    let places = [
        format!("boot/vmlinuz-{name}"),
        format!("usr/lib/modules/{name}/vmlinuz"),
    ];
    let images = places.iter().map(|place| root.join(place));
    let image = images.into_iter().find(|image| image.exists());
    let image = image.with_context(|| format!("the packages of {name} have no vmlinuz"))?;
    fs::copy(&image, new.join("vmlinuz"))?;
    modules::collect(&root, &name, &new.join("modules"))?;
    fs::write(new.join("release"), suite.release(&names[0])?)?;
    fs::create_dir_all(dir.parent().context("a folder is in a folder")?)?;
    fs::rename(new, dir).with_context(|| format!("{} cannot be made", dir.display()))
}

/// A suite of packages.
pub(crate) struct Suite {
    config: PathBuf,
    name: String,
}

impl Suite {
    /// Reads the suite's lists, which are kept below `kept`.
    pub(crate) fn open(name: &str, kept: &Path) -> Result<Suite> {
        ensure!(
            Path::new(KEYRING).exists(),
            "there is no {KEYRING} (of package debian-archive-keyring), by which packages are checked"
        );
        let dir = kept.join("apt").join(name);
        for part in ["lists/partial", "archives/partial"] {
            fs::create_dir_all(dir.join(part))?;
        }
        fs::write(dir.join("status"), "")?;
        // Its own lists; what is in quotes may be any path.
        let line = format!("deb [signed-by={KEYRING}] {} {name} main\n", mirror()?);
        fs::write(dir.join("sources.list"), line)?;
        let at = |part: &str| dir.join(part).display().to_string();
        let config = [
            ("Dir::Etc::sourcelist", at("sources.list")),
            ("Dir::Etc::sourceparts", "/dev/null".to_owned()),
            ("Dir::State", at("")),
            ("Dir::State::status", at("status")),
            ("Dir::Cache", at("")),
            ("Acquire::Languages", "none".to_owned()),
            ("APT::Architecture", "amd64".to_owned()),
            ("APT::Sandbox::User", "root".to_owned()),
        ];
        let lines = config.map(|(key, value)| format!("{key} \"{value}\";\n"));
        let suite = Suite {
            config: dir.join("apt.conf"),
            name: name.to_owned(),
        };
        fs::write(&suite.config, lines.concat())?;
        note!("packages of {name}");
        suite.apt("apt-get", &["-q", "update"])?;
        Ok(suite)
    }

    fn apt(&self, program: &str, args: &[&str]) -> Result<String> {
        let mut command = Command::new(program);
        run_to_end(command.env("APT_CONFIG", &self.config).args(args))
    }

    /// The newest kernel whose name begins so, and its packages.
    fn packages(&self, prefix: &str) -> Result<(String, Vec<String>)> {
        let mut newest: Option<(Vec<u64>, String)> = None;
        let mut all = Vec::new();
        for before in PREFIXES {
            let names = self.apt("apt-cache", &["pkgnames", &format!("{before}{prefix}")])?;
            for name in names.lines().filter(|name| name.ends_with(SUFFIX)) {
                all.push(name.to_owned());
                let found = (numbers(name), name[before.len()..].to_owned());
                newest = newest.max(Some(found));
            }
        }
        let (_, name) = newest.with_context(|| {
            format!("{} has no package linux-image-{prefix}*{SUFFIX}", self.name)
        })?;
        let binary = format!("linux-binary-{name}");
        Ok(match all.contains(&binary) {
            // From 6.19 on the modules are apart.
            true => (name.clone(), vec![binary, format!("linux-modules-{name}")]),
            false => (name.clone(), vec![format!("linux-image-{name}")]),
        })
    }

    /// Downloads packages into `work`, and unpacks them there into one folder.
    pub(crate) fn unpacked(&self, names: &[String], work: &Path) -> Result<PathBuf> {
        let mut command = Command::new("apt-get");
        command.env("APT_CONFIG", &self.config).current_dir(work);
        run_to_end(command.args(["-q", "download"]).args(names))?;
        let root = work.join("root");
        for entry in fs::read_dir(work)? {
            let path = entry?.path();
            if path.extension() == Some(OsStr::new("deb")) {
                run_to_end(Command::new("dpkg-deb").arg("-x").arg(&path).arg(&root))?;
            }
        }
        Ok(root)
    }

    /// A package's version, up to the distribution's own.
    fn release(&self, name: &str) -> Result<String> {
        let shown = self.apt("apt-cache", &["show", "--no-all-versions", name])?;
        let line = shown
            .lines()
            .find_map(|line| line.strip_prefix("Version: "));
        let version = line.with_context(|| format!("{name} has no version"))?;
        Ok(version.split('-').next().unwrap_or_default().to_owned())
    }
}

/// The numbers in a name, by which it is older or newer.
fn numbers(name: &str) -> Vec<u64> {
    let parts = name.split(|letter: char| !letter.is_ascii_digit());
    parts.filter_map(|part| part.parse().ok()).collect()
}

/// Where this system's own packages come from.
fn mirror() -> Result<String> {
    let format = [
        "indextargets",
        "--format",
        "$(REPO_URI) $(RELEASE)",
        "Created-By: Packages",
    ];
    let targets = run_to_end(Command::new("apt-get").args(format))?;
    let own = |line: &&str| {
        let (uri, release) = line.split_once(' ').unwrap_or_default();
        uri.trim_end_matches('/').ends_with("/debian") && !release.contains("security")
    };
    let found = targets
        .lines()
        .find(own)
        .and_then(|line| line.split(' ').next());
    let uri =
        found.context("this system's packages are not a Debian mirror's, which has the kernels")?;
    Ok(uri.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_newer_kernel_has_greater_numbers() {
        assert!(
            numbers("linux-image-6.12.107+deb13-cloud-amd64")
                > numbers("linux-image-6.12.94+deb13-cloud-amd64")
        );
        assert!(
            numbers("linux-image-5.10.0-32-cloud-amd64")
                > numbers("linux-image-5.10.0-9-cloud-amd64")
        );
    }

    #[test]
    fn of_a_kernel_that_no_suite_has_the_place_is_told() {
        let kept = tempfile::tempdir().expect("a folder");
        let kernel = Kernel::unpackaged("4.19");
        let told = find(&kernel, kept.path()).expect_err("it is not there");
        let place = kept.path().join("kernels/4.19");
        assert!(
            told.to_string().contains(&place.display().to_string()),
            "{told}"
        );
        fs::create_dir_all(place.join("modules")).expect("a folder");
        fs::write(place.join("release"), "4.19.108\n").expect("a file");
        let here = find(&kernel, kept.path()).expect("it is there");
        assert_eq!(here.release, "4.19.108");
    }
}
