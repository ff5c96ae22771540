//! Writes a small PDF with lines of text, for example the signed document of a generated agreement.
//!
//! It has one standard font. Letters outside Windows-1252 become `?`.

use crate::value::limits::PDF_LINES_MAX;

const LINES_PER_PAGE: usize = 44;
const LINE_LETTERS_MAX: usize = 88;
const FIRST_PAGE_OBJECT: usize = 4;

/// A document with these lines, in pages. Long lines are wrapped; at most [`PDF_LINES_MAX`] are written.
pub(crate) fn document(lines: &[String]) -> Vec<u8> {
    let wrapped: Vec<String> =
        lines.iter().flat_map(|line| wrap(line)).take(PDF_LINES_MAX).collect();
    let pages: Vec<&[String]> =
        if wrapped.is_empty() { vec![&[]] } else { wrapped.chunks(LINES_PER_PAGE).collect() };
    let page_objects = (0..pages.len()).map(|page| FIRST_PAGE_OBJECT + 2 * page);
    let kids: Vec<String> = page_objects.map(|object| format!("{object} 0 R")).collect();

    let mut objects = vec![
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        format!("<< /Type /Pages /Kids [{}] /Count {} >>", kids.join(" "), pages.len())
            .into_bytes(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
            .to_vec(),
    ];
    for (page, lines) in pages.iter().enumerate() {
        let contents = FIRST_PAGE_OBJECT + 2 * page + 1;
        let page = format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] \
             /Resources << /Font << /F1 3 0 R >> >> /Contents {contents} 0 R >>"
        );
        let operators = page_operators(lines);
        let head = format!("<< /Length {} >>\nstream\n", operators.len());
        objects.push(page.into_bytes());
        objects.push([head.as_bytes(), &operators, b"endstream"].concat());
    }
    file(&objects)
}

/// The PDF operators for one page.
fn page_operators(lines: &[String]) -> Vec<u8> {
    let mut operators = b"BT /F1 11 Tf 16 TL 60 780 Td\n".to_vec();
    for line in lines {
        operators.push(b'(');
        for byte in line.chars().map(windows_1252) {
            if matches!(byte, b'(' | b')' | b'\\') {
                operators.push(b'\\');
            }
            operators.push(byte);
        }
        operators.extend_from_slice(b") Tj T*\n");
    }
    operators.extend_from_slice(b"ET\n");
    operators
}

fn wrap(line: &str) -> Vec<String> {
    let letters: Vec<char> = line.chars().collect();
    if letters.is_empty() {
        return vec![String::new()];
    }
    letters.chunks(LINE_LETTERS_MAX).map(|chunk| chunk.iter().collect()).collect()
}

fn windows_1252(letter: char) -> u8 {
    match letter {
        ' '..='~' => letter as u8,
        '\u{a0}'..='\u{ff}' => letter as u8,
        '€' => 0x80,
        '‘' => 0x91,
        '’' => 0x92,
        '“' => 0x93,
        '”' => 0x94,
        '–' => 0x96,
        '—' => 0x97,
        _ => b'?',
    }
}

/// A file with these objects, which are numbered from 1, and the table of their places.
fn file(objects: &[Vec<u8>]) -> Vec<u8> {
    let size = objects.len() + 1;
    let mut file = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n".to_vec();
    let mut table = format!("xref\n0 {size}\n0000000000 65535 f \n");
    for (number, object) in (1..).zip(objects) {
        table.push_str(&format!("{:010} 00000 n \n", file.len()));
        let head = format!("{number} 0 obj\n");
        file.extend([head.as_bytes(), object, b"\nendobj\n"].concat());
    }
    let start = file.len();
    table
        .push_str(&format!("trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n"));
    file.extend(table.into_bytes());
    file
}
