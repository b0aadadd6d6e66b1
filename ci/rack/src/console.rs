//! What a kernel says on its console when something is wrong with it.

/// How such a line begins, behind the time: warnings, lockdep's, KASAN's and UBSAN's findings, assertions, tasks that hang, and what a
/// file system finds wrong with itself.
const COMPLAINTS: [&str; 9] = [
    "WARNING: ",
    "BUG: ",
    "kernel BUG at ",
    "INFO: task ",
    "INFO: rcu",
    "INFO: trying to register",
    "UBSAN: ",
    "EXT4-fs error",
    "Internal error",
];

/// The lines of a console that complain, without their times.
pub fn complaints(console: &str) -> Vec<String> {
    let lines = console.lines().map(|line| match line.split_once("] ") {
        Some((time, said)) if time.starts_with('[') => said,
        _ => line,
    });
    let complains = |line: &&str| COMPLAINTS.iter().any(|begin| line.contains(begin));
    lines
        .filter(complains)
        .map(|line| line.trim().to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_kernel_complains_of_is_seen() {
        let console = "\
[    0.013742] smp: Brought up 1 node, 2 CPUs\r
[   12.201883] ------------[ cut here ]------------\r
[   12.202113] kernel BUG at fs/jbd2/commit.c:771!\r
[   12.202311] Oops: invalid opcode: 0000 [#1] SMP\r
[   14.000001] WARNING: possible circular locking dependency detected\r
[   15.870021] BUG: KASAN: slab-use-after-free in jbd2_hand_over+0x4c/0x90\r
[   40.000311] INFO: task f3:81 blocked for more than 30 seconds.\r
[   41.000000] EXT4-fs error (device nbd0): ext4_lookup:1855: inode #2: comm t: bad entry\r
[   42.000000] Page cache invalidation failure on direct I/O.  Possible data corruption due to collision with buffered I/O!\r
";
        assert_eq!(
            complaints(console),
            [
                "kernel BUG at fs/jbd2/commit.c:771!",
                "WARNING: possible circular locking dependency detected",
                "BUG: KASAN: slab-use-after-free in jbd2_hand_over+0x4c/0x90",
                "INFO: task f3:81 blocked for more than 30 seconds.",
                "EXT4-fs error (device nbd0): ext4_lookup:1855: inode #2: comm t: bad entry",
            ]
        );
    }
}
