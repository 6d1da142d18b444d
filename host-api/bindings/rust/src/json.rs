//! As much of JSON as calls and their results need.

use std::fmt;

/// A JSON value. Objects keep the order of their keys; if a key occurs twice, its last value is used.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    Number(f64),
    String(String),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

/// Deeper nesting is refused, so that no text can exhaust the stack.
const DEEPEST: usize = 200;

impl Json {
    /// The value of a JSON text; `None` if the text is not JSON.
    pub fn parse(text: &str) -> Option<Json> {
        let mut reader = Reader { text: text.as_bytes(), at: 0 };
        let value = reader.value(0)?;
        reader.blanks();
        (reader.at == text.len()).then_some(value)
    }

    /// The member `key`; `None` if there is no such member, or the value is not an object.
    pub fn get(&self, key: &str) -> Option<&Json> {
        match self {
            Json::Object(members) => members.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value),
            _ => None,
        }
    }

    pub fn as_str(&self) -> Option<&str> {
        match self {
            Json::String(text) => Some(text),
            _ => None,
        }
    }

    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Json::Bool(value) => Some(*value),
            _ => None,
        }
    }

    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Json::Number(value) => Some(*value),
            _ => None,
        }
    }

    pub fn as_array(&self) -> Option<&[Json]> {
        match self {
            Json::Array(values) => Some(values),
            _ => None,
        }
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Json {
        Json::String(text.to_owned())
    }
}

impl From<String> for Json {
    fn from(text: String) -> Json {
        Json::String(text)
    }
}

impl From<bool> for Json {
    fn from(value: bool) -> Json {
        Json::Bool(value)
    }
}

impl From<i32> for Json {
    fn from(value: i32) -> Json {
        Json::Number(value.into())
    }
}

impl From<f64> for Json {
    fn from(value: f64) -> Json {
        Json::Number(value)
    }
}

/// The JSON text. A number that JSON does not have (infinite, or NaN) is `null`.
impl fmt::Display for Json {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Json::Null => out.write_str("null"),
            Json::Bool(value) => write!(out, "{}", value),
            Json::Number(value) if value.is_finite() => write!(out, "{}", value),
            Json::Number(_) => out.write_str("null"),
            Json::String(text) => write_string(out, text),
            Json::Array(values) => {
                out.write_str("[")?;
                for (i, value) in values.iter().enumerate() {
                    write!(out, "{}{}", if i == 0 { "" } else { "," }, value)?;
                }
                out.write_str("]")
            }
            Json::Object(members) => {
                out.write_str("{")?;
                for (i, (key, value)) in members.iter().enumerate() {
                    out.write_str(if i == 0 { "" } else { "," })?;
                    write_string(out, key)?;
                    write!(out, ":{}", value)?;
                }
                out.write_str("}")
            }
        }
    }
}

fn write_string(out: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    out.write_str("\"")?;
    for c in text.chars() {
        match c {
            '"' => out.write_str("\\\"")?,
            '\\' => out.write_str("\\\\")?,
            c if c < ' ' => write!(out, "\\u{:04x}", c as u32)?,
            c => write!(out, "{}", c)?,
        }
    }
    out.write_str("\"")
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    fn expect(&mut self, word: &str) -> Option<()> {
        self.text[self.at..].starts_with(word.as_bytes()).then(|| self.at += word.len())
    }

    fn value(&mut self, depth: usize) -> Option<Json> {
        if depth > DEEPEST {
            return None;
        }
        self.blanks();
        match self.peek()? {
            b'n' => self.expect("null").map(|_| Json::Null),
            b't' => self.expect("true").map(|_| Json::Bool(true)),
            b'f' => self.expect("false").map(|_| Json::Bool(false)),
            b'"' => self.string().map(Json::String),
            b'[' => {
                let mut values = Vec::new();
                self.members(b']', |reader| {
                    values.push(reader.value(depth + 1)?);
                    Some(())
                })?;
                Some(Json::Array(values))
            }
            b'{' => {
                let mut members = Vec::new();
                self.members(b'}', |reader| {
                    reader.blanks();
                    let key = reader.string()?;
                    reader.blanks();
                    reader.expect(":")?;
                    members.push((key, reader.value(depth + 1)?));
                    Some(())
                })?;
                Some(Json::Object(members))
            }
            _ => self.number(),
        }
    }

    /// The members between brackets, separated by commas.
    fn members(&mut self, end: u8, mut one: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.at += 1;
        self.blanks();
        if self.peek()? == end {
            self.at += 1;
            return Some(());
        }
        loop {
            one(self)?;
            self.blanks();
            let next = self.peek()?;
            self.at += 1;
            match next {
                b',' => {}
                next if next == end => return Some(()),
                _ => return None,
            }
        }
    }

    fn number(&mut self) -> Option<Json> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')) {
            self.at += 1;
        }
        std::str::from_utf8(&self.text[start..self.at]).ok()?.parse().ok().map(Json::Number)
    }

    fn string(&mut self) -> Option<String> {
        self.expect("\"")?;
        let mut bytes = Vec::new();
        loop {
            let byte = self.peek()?;
            self.at += 1;
            match byte {
                b'"' => return String::from_utf8(bytes).ok(),
                b'\\' => {
                    let c = self.escape()?;
                    bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                }
                0..=0x1f => return None,
                byte => bytes.push(byte),
            }
        }
    }

    fn escape(&mut self) -> Option<char> {
        let byte = self.peek()?;
        self.at += 1;
        Some(match byte {
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let first = self.hex()?;
                if !(0xd800..0xdc00).contains(&first) {
                    return char::from_u32(first);
                }
                self.expect("\\u")?;
                let second = self.hex()?;
                if !(0xdc00..0xe000).contains(&second) {
                    return None;
                }
                return char::from_u32(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00));
            }
            b'"' | b'\\' | b'/' => byte as char,
            _ => return None,
        })
    }

    fn hex(&mut self) -> Option<u32> {
        let digits = self.text.get(self.at..self.at + 4)?;
        if !digits.iter().all(u8::is_ascii_hexdigit) {
            return None;
        }
        self.at += 4;
        u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::Json;

    #[test]
    fn what_is_read_is_written_again() {
        for text in [r#"{"a":[1,2.5,-3,true,false,null],"b":{"c":"x\"\\\u0001ä€😀"},"d":{},"e":[]}"#, "\"\"", "0"] {
            assert_eq!(Json::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(Json::parse(" [ 1 , \"\\ud83d\\ude00\\n\\/\" ] ").unwrap().to_string(), "[1,\"😀\\u000a/\"]");
        assert_eq!(Json::parse(r#"{"a":1,"a":2}"#).unwrap().get("a"), Some(&Json::Number(2.0)));
    }

    #[test]
    fn what_is_no_json_is_refused() {
        for text in ["", "{", "[1,]", "{\"a\"}", "\"", "\"\\x\"", "\"\\ud800\"", "\"\\u12\"", "nul", "1 2", "-", "[1}", "\"\n\""] {
            assert_eq!(Json::parse(text), None, "{}", text);
        }
        assert_eq!(Json::parse(&"[".repeat(1_000_000)), None);
    }
}
