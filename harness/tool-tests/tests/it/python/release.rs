//! `release/build`: the artefacts are complete, work after unpacking, and have the same bytes each time.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::support::{Output, binary, program, root, script};

/// Unpacks the image like a container engine, and checks every digest.
const UNPACK_IMAGE: &str = "\
import hashlib, json, sys, tarfile
from pathlib import Path
image, layout, rootfs = sys.argv[1:]
tarfile.open(image).extractall(layout)
def blob(descriptor):
    data = (Path(layout) / 'blobs/sha256' / descriptor['digest'][7:]).read_bytes()
    assert 'sha256:' + hashlib.sha256(data).hexdigest() == descriptor['digest']
    assert len(data) == descriptor['size']
    return data
manifest = json.loads(blob(json.loads((Path(layout) / 'index.json').read_text())['manifests'][0]))
config = json.loads(blob(manifest['config']))
assert config['config']['User'].startswith('65532')
for layer in manifest['layers']:
    blob(layer)
    tarfile.open(Path(layout) / 'blobs/sha256' / layer['digest'][7:]).extractall(rootfs)
print(sum(layer['size'] for layer in manifest['layers']))
";

/// Checks that each folder in a .deb comes before its files, because dpkg creates no other folders.
const CHECK_DEB: &str = "\
import io, os, sys, tarfile
deb, at = open(sys.argv[1], 'rb').read(), 8
while at < len(deb):
    size = int(deb[at + 48:at + 58])
    last, at = deb[at + 60:at + 60 + size], at + 60 + size + size % 2
known = {'.'}
for member in tarfile.open(fileobj=io.BytesIO(last)):
    assert os.path.dirname(member.name) in known, member.name
    known.add(member.name)
assert './usr/bin/moot' in known
";

fn build(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let [moot, out] = [binary(), folder].map(|path| path.display().to_string());
    let words = ["bash", "release/build", "--binary", &moot, "--out", &out];
    let output = script(&words, root(), &[("SOURCE_DATE_EPOCH", "1700000000")]);
    assert_eq!(output.code, Some(0), "{}{}", output.stdout, output.stderr);
    fs::read_dir(folder)
        .expect("it was made")
        .map(|entry| {
            let path = entry.expect("readable").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            (name, fs::read(&path).expect("readable"))
        })
        .collect()
}

#[track_caller]
fn succeeds(words: &[&str], folder: &Path) -> String {
    let Output { code, stdout, stderr } = script(words, folder, &[]);
    assert_eq!(code, Some(0), "{words:?}: {stdout}{stderr}");
    stdout
}

#[test]
fn the_artefacts_work_and_are_the_same_each_time() {
    let python = program(&[&["python3", "--version"]], "python3");
    let dir = tempfile::tempdir().expect("a folder");
    let (first, second) = (dir.path().join("a"), dir.path().join("b"));
    let artefacts = build(&first);
    assert!(artefacts == build(&second), "two builds differ");
    let ends = |end: &str| {
        artefacts.keys().find(|name| name.ends_with(end)).unwrap_or_else(|| panic!("no {end}"))
    };
    succeeds(&["sha256sum", "--check", "SHA256SUMS"], &first);

    // The archive, unpacked: the binary, its man pages and completions, and the licences of all crates.
    fs::create_dir(dir.path().join("archive")).expect("writable");
    succeeds(
        &["tar", "-xzf", ends(".tar.gz"), "-C", "../archive", "--strip-components", "1"],
        &first,
    );
    let archive = dir.path().join("archive");
    assert!(succeeds(&["./moot", "--version"], &archive).starts_with("moot "));
    for file in ["man/moot.1", "man/moot-run.1", "completions/moot.bash", "completions/moot.zsh"] {
        assert!(archive.join(file).is_file(), "{file}");
    }
    let licences = fs::read_to_string(archive.join("LICENSES.txt")).expect("it is text");
    for name in ["tokio", "serde_json", "rustls", "ring"] {
        assert!(licences.contains(&format!("\n{name} ")), "{name}");
    }
    // The completions of bash offer commands.
    let ask = "source completions/moot.bash; COMP_WORDS=(moot sel); COMP_CWORD=1; _moot moot sel moot; \
               echo \"${COMPREPLY[@]}\"";
    assert!(succeeds(&["bash", "-c", ask], &archive).contains("selftest"));

    // The image: each digest is correct. It runs (as root) without any other file.
    let image = ends("-oci.tar");
    succeeds(&[python, "-c", UNPACK_IMAGE, image, "../layout", "../rootfs"], &first);
    if succeeds(&["id", "-u"], &first).trim() == "0" {
        let user = ["chroot", "--userspec=65532:65532", "rootfs", "/moot"];
        // The user of the image can write to the place of a volume.
        for words in [&["run", "04_03*", "--quiet"][..], &["man", "/state"]] {
            succeeds(&[&user[..], words].concat(), dir.path());
        }
    }
    let names: Vec<&String> = artefacts.keys().collect();
    assert_eq!(names.len(), 4, "{names:?}");
    succeeds(&[python, "-c", CHECK_DEB, ends(".deb")], &first);
}
