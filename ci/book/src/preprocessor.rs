//! The pages that the chapters lack, for mdBook.

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use interlock_pages::{Chapter, Page, complete};
use mdbook_driver::book::{self, Book, BookItem, SectionNumber};
use mdbook_preprocessor::{Preprocessor, PreprocessorContext};

/// Adds them behind the chapters.
pub(crate) struct Pages {
    /// The repository's.
    pub(crate) root: PathBuf,
}

impl Preprocessor for Pages {
    fn name(&self) -> &str {
        "interlock-pages"
    }

    fn run(&self, _: &PreprocessorContext, mut book: Book) -> Result<Book> {
        let mut chapters: Vec<Chapter> = book.chapters().filter_map(chapter).collect();
        let added = complete(&self.root, &mut chapters)?;
        let mut texts = Ok(());
        book.for_each_chapter_mut(|shown| {
            let own = chapters
                .iter()
                .find(|chapter| shown.path.as_ref() == Some(&chapter.page));
            match own {
                Some(chapter) => shown.content.clone_from(&chapter.text),
                None => texts = Err(shown.name.clone()),
            }
        });
        texts.map_err(|name| anyhow!("the chapter `{name}` has no file"))?;
        // only what has a number is shown below another page
        let is_numbered = |item: &&BookItem| matches!(item, BookItem::Chapter(chapter) if chapter.number.is_some());
        let numbered = book.items.iter().filter(is_numbered).count() as u32;
        let pages = added.specifications.into_iter().chain([added.sources]);
        let items = pages
            .zip(numbered + 1..)
            .map(|(page, number)| item(page, &[], &[number]));
        book.push_item(BookItem::PartTitle("Specifications and sources".to_owned()));
        book.items.extend(items);
        Ok(book)
    }
}

/// A chapter that has a file.
fn chapter(chapter: &book::Chapter) -> Option<Chapter> {
    Some(Chapter {
        title: chapter.name.clone(),
        file: Path::new("docs").join(chapter.source_path.as_ref()?),
        page: chapter.path.clone()?,
        text: chapter.content.clone(),
    })
}

fn item(page: Page, above: &[String], number: &[u32]) -> BookItem {
    let mut chapter = book::Chapter::new(&page.title, page.text, page.page, above.to_vec());
    let above = [above, &[page.title]].concat();
    let below = page.below.into_iter().zip(1..);
    let below = below.map(|(page, place)| item(page, &above, &[number, &[place]].concat()));
    chapter.sub_items = below.collect();
    chapter.number = Some(SectionNumber::new(number));
    BookItem::Chapter(chapter)
}
