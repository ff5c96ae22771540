"""Writes the artefacts of a release: archive, .deb, container image (OCI). Same input, same bytes."""

import argparse
import gzip
import hashlib
import io
import json
import os
import re
import subprocess
import tarfile
from pathlib import Path

TIME = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
ROOT = Path(__file__).resolve().parent.parent
# The user of the image: not root, and not a user of the host.
IMAGE_USER = 65532
CA_CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
DEBIAN_NAMES = {"x86_64": "amd64", "aarch64": "arm64"}
OCI_NAMES = {"x86_64": "amd64", "aarch64": "arm64"}
# Allowed licences of the crates in the binary. A new one needs a decision.
ALLOWED = {
    "0BSD", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0",
    "CDLA-Permissive-2.0", "ISC", "MIT", "MIT-0", "Unicode-3.0", "Unlicense", "Zlib",
}
LICENCE_FILES = ("license", "licence", "copying", "notice", "unlicense")


def tar(entries):
    """A tar of (name, bytes or None for a folder, mode), sorted by name, with one time and owner."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for name, content, mode in sorted(entries, key=lambda entry: entry[0]):
            info = tarfile.TarInfo(name)
            info.mtime, info.mode = TIME, mode
            if content is None:
                info.type = tarfile.DIRTYPE
                archive.addfile(info)
            else:
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


def with_folders(files):
    """The entries of {path: (bytes, mode)}, with their parent folders."""
    folders = {str(parent) for path in files for parent in Path(path).parents if str(parent) != "."}
    return [(folder, None, 0o755) for folder in folders] + [
        (path, content, mode) for path, (content, mode) in files.items()
    ]


def packed(data):
    return gzip.compress(data, compresslevel=6, mtime=0)


def is_allowed(expression):
    """Whether an alternative of a licence expression is allowed. `/` is an old spelling of `OR`."""
    text = expression.replace("/", " OR ")
    for inner in re.findall(r"\(([^()]*)\)", text):
        text = text.replace(f"({inner})", "MIT" if is_allowed(inner) else "none")
    alternatives = [part.split(" AND ") for part in re.split(r"\s+OR\s+", text)]
    return any(all(name.strip() in ALLOWED for name in names) for names in alternatives)


def licences(metadata):
    """The licences of all crates in the binary."""
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    is_ours = lambda package: package["source"] is None
    start = [package["id"] for package in metadata["packages"] if package["name"] == "moot-harness"]
    seen, waiting = set(), list(start)
    while waiting:
        current = waiting.pop()
        if current in seen:
            continue
        seen.add(current)
        for dependency in nodes[current]["deps"]:
            if any(kind["kind"] is None for kind in dependency["dep_kinds"]):
                waiting.append(dependency["pkg"])
    text = ["Crates that are part of the binary, with their licences.\n"]
    for package in sorted((packages[one] for one in seen), key=lambda one: (one["name"], one["version"])):
        if is_ours(package):
            continue
        licence = package["license"] or "see its licence file"
        if not is_allowed(licence):
            raise SystemExit(f"{package['name']} {package['version']} has the licence {licence}, which is not allowed")
        if not package["source"].startswith("registry+"):
            raise SystemExit(f"{package['name']} does not come from the registry: {package['source']}")
        text.append(f"\n{'=' * 100}\n{package['name']} {package['version']}: {licence}\n{'=' * 100}\n")
        folder = Path(package["manifest_path"]).parent
        for file in sorted(folder.iterdir()):
            if file.is_file() and file.name.lower().startswith(LICENCE_FILES):
                text.append(f"\n{file.name}\n\n{file.read_text(errors='replace').strip()}\n")
    return "".join(text).encode()


def ar(members):
    """An ar archive, the outer format of a .deb."""
    out = b"!<arch>\n"
    for name, data in members:
        head = f"{name:<16}{TIME:<12}{0:<6}{0:<6}{'100644':<8}{len(data):<10}`\n"
        out += head.encode() + data + (b"\n" if len(data) % 2 else b"")
    return out


def debian(arguments, files):
    installed = {
        "usr/bin/moot": files["moot"],
        "usr/share/bash-completion/completions/moot": files["completions/moot.bash"],
        "usr/share/zsh/vendor-completions/_moot": files["completions/moot.zsh"],
        "usr/share/fish/vendor_completions.d/moot.fish": files["completions/moot.fish"],
        "usr/share/doc/moot/copyright": files["LICENSES.txt"],
    }
    for path, (content, mode) in files.items():
        if path.startswith("man/"):
            name = path.removeprefix("man/") + ".gz"
            installed[f"usr/share/man/man1/{name}"] = (packed(content), mode)
    size = sum(len(content) for content, _ in installed.values()) // 1024
    control = (
        f"Package: moot\nVersion: {arguments.version}\nArchitecture: {DEBIAN_NAMES[arguments.architecture]}\n"
        "Maintainer: The authors of Moot <moot@example.invalid>\nSection: devel\nPriority: optional\n"
        f"Installed-Size: {size}\nRecommends: ca-certificates\n"
        "Description: Conformance testing for the Legal Request Service API\n"
        " A mock of the service, and a harness that judges deployments and clients of it.\n"
    )
    sums = "".join(
        f"{hashlib.md5(content).hexdigest()}  {path}\n" for path, (content, _) in sorted(installed.items())
    )
    controls = {"./control": (control.encode(), 0o644), "./md5sums": (sums.encode(), 0o644)}
    # dpkg creates no parent folders, so each one comes before its files.
    inner = [(f"./{path}", content, mode) for path, content, mode in with_folders(installed)]
    return ar([
        ("debian-binary", b"2.0\n"),
        ("control.tar.gz", packed(tar([(path, *entry) for path, entry in controls.items()]))),
        ("data.tar.gz", packed(tar(inner))),
    ])


def libraries(binary):
    """The paths of the shared libraries of a binary. A static binary has none."""
    listed = subprocess.run(["ldd", str(binary)], capture_output=True, text=True, check=False).stdout
    paths = [word for line in listed.splitlines() for word in line.split() if word.startswith("/")]
    return {path.lstrip("/"): (Path(path).read_bytes(), 0o755) for path in paths}


def blob(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


def image(arguments, files):
    """An OCI image as a tar of its layout."""
    root = {
        "moot": files["moot"],
        "LICENSES.txt": files["LICENSES.txt"],
        "etc/passwd": (f"moot:x:{IMAGE_USER}:{IMAGE_USER}::/tmp:/none\n".encode(), 0o644),
        "etc/group": (f"moot:x:{IMAGE_USER}:\n".encode(), 0o644),
        **libraries(arguments.work / "moot"),
    }
    if CA_CERTIFICATES.is_file():
        root[str(CA_CERTIFICATES).lstrip("/")] = (CA_CERTIFICATES.read_bytes(), 0o644)
    # Temporary files, and the place of a volume for `--state`: a new volume has the rights of the folder.
    writable = [(folder, None, 0o1777) for folder in ("state", "tmp")]
    layer = tar(with_folders(root) + writable)
    compressed = packed(layer)
    config = json.dumps({
        "architecture": OCI_NAMES[arguments.architecture],
        "os": "linux",
        "config": {
            "User": f"{IMAGE_USER}:{IMAGE_USER}",
            "Entrypoint": ["/moot"],
            "Cmd": ["--help"],
            "WorkingDir": "/tmp",
            "ExposedPorts": {"4010/tcp": {}},
            "Labels": {
                "org.opencontainers.image.title": "moot",
                "org.opencontainers.image.version": arguments.version,
                "org.opencontainers.image.licenses": "MIT OR Apache-2.0",
            },
        },
        "rootfs": {"type": "layers", "diff_ids": [blob(layer)]},
    }, sort_keys=True).encode()
    describe = lambda kind, data: {
        "mediaType": f"application/vnd.oci.image.{kind}", "digest": blob(data), "size": len(data),
    }
    manifest = json.dumps({
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": describe("config.v1+json", config),
        "layers": [describe("layer.v1.tar+gzip", compressed)],
    }, sort_keys=True).encode()
    index = json.dumps({
        "schemaVersion": 2,
        "manifests": [{
            **describe("manifest.v1+json", manifest),
            "annotations": {"org.opencontainers.image.ref.name": arguments.version},
        }],
    }, sort_keys=True).encode()
    layout = {
        "oci-layout": (b'{"imageLayoutVersion": "1.0.0"}', 0o644),
        "index.json": (index, 0o644),
        **{f"blobs/sha256/{blob(data)[7:]}": (data, 0o644) for data in (config, manifest, compressed)},
    }
    return tar(with_folders(layout))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--version", required=True)
    parser.add_argument("--architecture", required=True, choices=sorted(DEBIAN_NAMES))
    parser.add_argument("--work", required=True, type=Path)
    parser.add_argument("--out", required=True, type=Path)
    arguments = parser.parse_args()
    metadata = json.loads((arguments.work / "metadata.json").read_text())
    files = {"moot": ((arguments.work / "moot").read_bytes(), 0o755)}
    for folder in ("man", "completions"):
        for file in sorted((arguments.work / folder).iterdir()):
            files[f"{folder}/{file.name}"] = (file.read_bytes(), 0o644)
    for name in ("README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"):
        files[name] = ((ROOT / name).read_bytes(), 0o644)
    files["LICENSES.txt"] = (licences(metadata), 0o644)
    name = f"moot-{arguments.version}-{arguments.architecture}-linux"
    entries = with_folders({f"{name}/{path}": entry for path, entry in files.items()})
    write = lambda file, data: (arguments.out / file).write_bytes(data)
    write(f"{name}.tar.gz", packed(tar(entries)))
    write(f"moot_{arguments.version}_{DEBIAN_NAMES[arguments.architecture]}.deb", debian(arguments, files))
    write(f"moot-{arguments.version}-oci.tar", image(arguments, files))


if __name__ == "__main__":
    main()
