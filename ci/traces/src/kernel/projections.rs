//! The projection of each area.

use anyhow::{Result, bail};

use super::dio::Dio;
use super::writeback::Writeback;
use super::{Projection, Source, jbd2, rwsem};

/// Makes one for a file.
pub type Make = fn(Source) -> Result<Box<dyn Projection>>;

/// That of an area.
///
/// # Errors
/// If the area has none.
pub fn of_area(area: &str) -> Result<Make> {
    match area {
        "dio" => Ok(Dio::projection),
        "jbd2" => Ok(jbd2::Journal::make),
        "rwsem" => Ok(rwsem::Projection::make),
        "writeback" => Ok(Writeback::projection),
        _ => bail!("there are no kernel traces of an area `{area}`"),
    }
}
