//! Kernels of several releases in guests: counterexamples played to them, random programs, workloads, traces.
//!
//! A kernel comes as a package ([`packages`], by `kernels.toml`) and boots in QEMU ([`guest`]) with this very program as its first
//! process ([`init`]), which does what it is asked ([`order`], [`serve`]). A counterexample becomes a [`plan`] ([`mod@derive`]); the
//! guest plays it ([`play`]) on a disk of the project's own, which holds back what the plan says ([`keeper`]); what was
//! acknowledged and is not there is told by the history alone ([`history`], [`verdict`]). [`rack`] asks every kernel everything and
//! writes it down ([`record`], [`page`]), [`replay`] plays one plan, [`hunt`] random ones; [`cures`] builds kernels with patches and asks them.

pub mod call;
pub mod chance;
pub mod console;
pub mod content;
pub mod cure;
pub mod cures;
pub mod derive;
pub mod figures;
pub mod guest;
pub mod history;
pub mod hunt;
pub mod init;
pub mod initramfs;
pub mod keeper;
pub mod kernels;
pub mod modules;
pub mod mounted;
pub mod order;
pub mod packages;
pub mod page;
pub mod part;
pub mod plan;
pub mod plans;
pub mod play;
pub mod played;
pub mod program;
pub mod qemu;
pub mod rack;
pub mod record;
pub mod replay;
pub mod serve;
pub mod traces;
pub mod verdict;
pub mod workload;
