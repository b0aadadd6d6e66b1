//! What serde reads from a file, told from the Rust source that declares it: each field's name, what it takes, and its doc comment.

use anyhow::{Context, Result, bail, ensure};
use syn::{Attribute, Expr, Fields, GenericArgument, Item, ItemEnum, Lit, PathArguments, Type};

use crate::markdown;

/// Where types are declared, and what types that are told elsewhere, and constants of doc comments, are called.
pub struct Declared {
    items: Vec<Item>,
    words: Vec<(&'static str, String)>,
}

impl Declared {
    /// The types of these sources.
    ///
    /// # Errors
    ///
    /// When a text is not Rust.
    pub fn read(sources: &[&str], words: Vec<(&'static str, String)>) -> Result<Self> {
        let mut items = Vec::new();
        for source in sources {
            items.extend(syn::parse_file(source)?.items);
        }
        Ok(Self { items, words })
    }

    /// The struct's fields as a Markdown table: name, what it takes, whether it must be there and what it is without, and what it says.
    ///
    /// # Errors
    ///
    /// When there is no such struct, or a field has no doc comment.
    pub fn table(&self, name: &str, heading: &str) -> Result<String> {
        let fields = self.items.iter().find_map(|item| match item {
            Item::Struct(item) if item.ident == name => Some(&item.fields),
            _ => None,
        });
        let Some(Fields::Named(fields)) = fields else {
            bail!("there is no struct {name} with fields");
        };
        let rows = fields.named.iter().map(|field| {
            let serde = Serde::read(&field.attrs)?;
            let ident = field.ident.as_ref().context("a field has a name")?;
            let shown = match (serde.flatten, &serde.rename) {
                (true, _) => "any other".to_owned(),
                (false, Some(other)) => format!("`{other}`"),
                (false, None) => format!("`{ident}`"),
            };
            let doc = self.doc(&field.attrs)?;
            ensure!(!doc.is_empty(), "{name}.{ident} has no doc comment");
            let (says, without) = match doc.split_once(" Default: ") {
                Some((says, without)) => (says, without.trim_end_matches('.')),
                None => (doc.as_str(), ""),
            };
            let (takes, optional) = match argument(&field.ty, "Option") {
                Some(inner) => (self.takes(inner)?, true),
                None if serde.flatten => (self.of_table(&field.ty)?, true),
                None => (self.takes(&field.ty)?, serde.default),
            };
            let without = if optional { without } else { "**needed**" };
            Ok(vec![shown, takes, without.to_owned(), says.to_owned()])
        });
        let rows = rows.collect::<Result<Vec<_>>>()?;
        let headings = [heading, "what it takes", "without it", "what it says"];
        Ok(markdown::table(&headings, headings.len(), rows))
    }

    /// What a value of a type is, in words.
    fn takes(&self, ty: &Type) -> Result<String> {
        if let Some(inner) = ["Spanned", "Option"].iter().find_map(|of| argument(ty, of)) {
            return self.takes(inner);
        }
        if let Some(inner) = argument(ty, "Vec") {
            return Ok(format!("list of {}", plural(&self.takes(inner)?)));
        }
        if argument(ty, "BTreeMap").is_some() {
            return Ok(format!("table of {}", plural(&self.of_table(ty)?)));
        }
        let path = match ty {
            Type::Path(path) => path.path.segments.last().context("a type has a name")?,
            Type::Tuple(tuple) if tuple.elems.len() == 2 => {
                let first = self.takes(&tuple.elems[0])?;
                return Ok(format!("pair of {}", plural(&first)));
            }
            _ => bail!("a field of this type is told in no words"),
        };
        let name = path.ident.to_string();
        let told = self.words.iter().find(|(word, _)| *word == name);
        Ok(match name.as_str() {
            _ if let Some((_, words)) = told => words.clone(),
            "String" => "text".to_owned(),
            "bool" => "`true` or `false`".to_owned(),
            "u32" | "u64" | "usize" => "number".to_owned(),
            _ => self.one_of(&name)?,
        })
    }

    /// What a table's values are.
    fn of_table(&self, ty: &Type) -> Result<String> {
        let value = arguments(ty, "BTreeMap").and_then(|arguments| arguments.into_iter().nth(1));
        self.takes(value.context("a table has keys and values")?)
    }

    /// The names of an enum's variants, or what each of them takes.
    fn one_of(&self, name: &str) -> Result<String> {
        let found = self.items.iter().find_map(|item| match item {
            Item::Enum(item) if item.ident == name => Some(item),
            _ => None,
        });
        let ItemEnum {
            attrs, variants, ..
        } = found.with_context(|| format!("nobody says what {name} is"))?;
        let serde = Serde::read(attrs)?;
        let each = variants.iter().map(|variant| match &variant.fields {
            Fields::Unit => {
                let variant = variant.ident.to_string();
                let shown = renamed(&variant, serde.rename_all.as_deref())?;
                Ok(format!("`{shown}`"))
            }
            fields => {
                let field = fields.iter().next().context("a variant has a field")?;
                self.takes(&field.ty)
            }
        });
        let mut each = each.collect::<Result<Vec<_>>>()?;
        let last = each.pop().context("an enum has a variant")?;
        if each.is_empty() {
            return Ok(last);
        }
        Ok(format!("{} or {last}", each.join(", ")))
    }

    /// A doc comment as one line. A link of rustdoc's, `[NAME](PATH)` between backticks, is the word for that name, or the name.
    fn doc(&self, attrs: &[Attribute]) -> Result<String> {
        let mut lines = Vec::new();
        for attr in attrs.iter().filter(|attr| attr.path().is_ident("doc")) {
            let Expr::Lit(value) = &attr.meta.require_name_value()?.value else {
                bail!("a doc comment is a text");
            };
            if let Lit::Str(line) = &value.lit {
                lines.push(line.value().trim().to_owned());
            }
        }
        let mut rest = lines.join(" ");
        let mut told = String::new();
        while let Some((before, after)) = rest.split_once("[`") {
            let (name, behind) = after.split_once("`]").context("a link ends")?;
            let behind = match behind.strip_prefix('(') {
                Some(path) => path.split_once(')').context("a link ends")?.1,
                None => behind,
            };
            let word = self.words.iter().find(|(word, _)| *word == name);
            told += before;
            told += &word.map_or_else(|| format!("`{name}`"), |(_, word)| word.clone());
            rest = behind.to_owned();
        }
        Ok(told + &rest)
    }
}

/// What the attributes say to serde.
#[derive(Default)]
struct Serde {
    default: bool,
    flatten: bool,
    rename: Option<String>,
    rename_all: Option<String>,
}

impl Serde {
    fn read(attrs: &[Attribute]) -> Result<Self> {
        let mut read = Self::default();
        for attr in attrs.iter().filter(|attr| attr.path().is_ident("serde")) {
            attr.parse_nested_meta(|meta| {
                let value = match meta.value() {
                    Ok(value) => Some(value.parse::<syn::LitStr>()?.value()),
                    Err(_) => None,
                };
                read.default |= meta.path.is_ident("default");
                read.flatten |= meta.path.is_ident("flatten");
                if meta.path.is_ident("rename") {
                    read.rename = value;
                } else if meta.path.is_ident("rename_all") {
                    read.rename_all = value;
                }
                Ok(())
            })?;
        }
        Ok(read)
    }
}

/// A variant's name in a file.
fn renamed(variant: &str, rule: Option<&str>) -> Result<String> {
    Ok(match rule {
        None => variant.to_owned(),
        Some("lowercase") => variant.to_lowercase(),
        Some("camelCase") => {
            let (first, rest) = variant.split_at(1);
            first.to_lowercase() + rest
        }
        Some("kebab-case") => {
            let words = variant.char_indices().map(|(at, letter)| {
                let dash = if at > 0 && letter.is_uppercase() {
                    "-"
                } else {
                    ""
                };
                format!("{dash}{}", letter.to_lowercase())
            });
            words.collect()
        }
        Some(other) => bail!("names are not read by the rule {other}"),
    })
}

/// The types between the angle brackets of a type of this name.
fn arguments<'a>(ty: &'a Type, name: &str) -> Option<Vec<&'a Type>> {
    let Type::Path(path) = ty else { return None };
    let last = path
        .path
        .segments
        .last()
        .filter(|last| last.ident == name)?;
    let PathArguments::AngleBracketed(given) = &last.arguments else {
        return None;
    };
    let types = given.args.iter().filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    });
    Some(types.collect())
}

/// The first of them.
fn argument<'a>(ty: &'a Type, name: &str) -> Option<&'a Type> {
    arguments(ty, name)?.into_iter().next()
}

/// Several of what the words tell: `texts`, `lists of texts`, `[rows](#a-row)`.
fn plural(words: &str) -> String {
    let end = words.find([']', ' ']).unwrap_or(words.len());
    let (noun, rest) = words.split_at(end);
    format!("{noun}s{rest}")
}
