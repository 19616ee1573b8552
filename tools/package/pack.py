#!/usr/bin/env python3
"""Makes the packages of one static binary: a .deb, a tar.gz, a manifest for krew, a bill of materials, and their hashes.
The binary is one for amd64.

Usage: tools/package/pack.py BINARY VERSION REVISION FOLDER     (in the image of tools/package.Dockerfile)

SOURCE_DATE_EPOCH is the time of everything in them, and their owner is root: two runs give the same bytes. BASE_URL is
where the tar.gz will be found, for krew.
"""
import gzip
import hashlib
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import urllib.parse

EPOCH = int(os.environ["SOURCE_DATE_EPOCH"])
BASE_URL = os.environ.get("BASE_URL", "https://example.com/winnow")

# What is linked in, by Debian's package, and its licence by SPDX's names.
LINKED = {
    "libyaml-cpp-dev": "MIT", "rapidjson-dev": "MIT", "libspdlog-dev": "MIT", "libfmt-dev": "MIT",
    "libcli11-dev": "BSD-3-Clause", "libcpp-httplib-dev": "MIT", "prometheus-cpp-dev": "MIT", "libssl-dev": "Apache-2.0",
    "libre2-dev": "BSD-3-Clause", "libabsl-dev": "Apache-2.0",
    "libbrotli-dev": "MIT", "libzstd-dev": "BSD-3-Clause OR GPL-2.0-only", "zlib1g-dev": "Zlib",
    "libc6-dev": "LGPL-2.1-or-later", "libstdc++-14-dev": "GPL-3.0-or-later WITH GCC-exception-3.1",
}


def help_of(*command):
    return subprocess.run([*command, "--help"], check=True, capture_output=True, text=True).stdout


def commands_of(text):
    """The sub-commands that a help lists."""
    return re.findall(r"^  ([a-z]+) ", text.split("\nSubcommands:\n", 1)[1], re.M)


def third_party():
    """The licences of what is linked in, as Debian's packages have them."""
    texts = []
    for name in sorted(LINKED):
        text = pathlib.Path(f"/usr/share/doc/{name}/copyright").read_text(encoding="utf-8")
        texts.append(f"{'=' * 80}\n{name}\n{'=' * 80}\n{text}")
    return "".join(texts).encode()


def man_page(name, text, version):
    """The help as a manual page of section 1."""
    about, *rest = text.splitlines()
    escape = lambda line: line.replace("\\", "\\\\").replace("-", "\\-")  # noqa: E731
    body = "\n".join("\\&" + escape(line) for line in rest)
    day = time.strftime("%Y-%m-%d", time.gmtime(EPOCH))
    return (f'.TH {name.upper()} 1 "{day}" "winnow {version}"\n.SH NAME\n{escape(name)} \\- {escape(about.rstrip("."))}\n'
            f".SH DESCRIPTION\n.nf\n{body}\n.fi\n")


def man_pages(binary, version):
    """{file: text}, from what the program says."""
    with tempfile.TemporaryDirectory() as folder:
        plugin = os.path.join(folder, "kubectl-winnow")
        os.symlink(os.path.abspath(binary), plugin)
        pages = {}
        for name, program in (("winnow", binary), ("kubectl-winnow", plugin)):
            text = help_of(program)
            pages[f"{name}.1"] = man_page(name, text, version)
            for command in commands_of(text):
                pages[f"{name}-{command}.1"] = man_page(f"{name}-{command}", help_of(program, command), version)
    return pages


def zipped(data):
    out = io.BytesIO()
    with gzip.GzipFile(fileobj=out, mode="wb", mtime=EPOCH, compresslevel=9) as file:
        file.write(data)
    return out.getvalue()


def make_tar(path, top, files):
    """files: {name: (bytes, mode)}. There are no links in it: krew refuses them."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name in sorted(files):
            info = tarfile.TarInfo(f"{top}/{name}")
            info.mtime, info.uname, info.gname = EPOCH, "root", "root"
            data, info.mode = files[name]
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    path.write_bytes(zipped(out.getvalue()))


def make_deb(path, version, files, pages):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder) / "root"
        placed = {f"usr/bin/{name}": files[name] for name in ("winnow", "kubectl_complete-winnow")}
        placed["usr/bin/kubectl-winnow"] = "winnow"  # A link.
        placed |= {f"usr/share/man/man1/{name}.gz": (zipped(text.encode()), 0o644) for name, text in pages.items()}
        placed["usr/share/doc/winnow/copyright"] = (files["LICENSE"][0] + files["THIRD-PARTY"][0], 0o644)
        size = sum(len(what[0]) for what in placed.values() if not isinstance(what, str)) // 1024
        placed["DEBIAN/control"] = (
            f"Package: winnow\nVersion: {version}\nArchitecture: amd64\nMaintainer: The Winnow authors <winnow@example.com>\n"
            f"Installed-Size: {size}\nSection: admin\nPriority: optional\nHomepage: {BASE_URL}\n"
            "Description: scheduler extender for Kubernetes, and a plugin for kubectl\n"
            " Answers which nodes can run a pod and which are best, and says why.\n".encode(), 0o644)
        for name, what in placed.items():
            target = root / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(what, str):
                os.symlink(what, target)
            else:
                target.write_bytes(what[0])
                target.chmod(what[1])
        for entry in [root, *root.rglob("*")]:
            if entry.is_dir() and not entry.is_symlink():
                entry.chmod(0o755)
            os.utime(entry, (EPOCH, EPOCH), follow_symlinks=False)
        subprocess.run(["dpkg-deb", "--root-owner-group", "-Zgzip", "--build", str(root), str(path)], check=True,
                       stdout=subprocess.DEVNULL)


def package_url(name, version):
    quoted = [urllib.parse.quote(text, safe=":") for text in (name, version)]
    return f"pkg:deb/debian/{quoted[0]}@{quoted[1]}?arch=amd64"


def bill_of_materials(version, revision, binary):
    digest = hashlib.sha256(binary).hexdigest()
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(EPOCH))
    no = {"downloadLocation": "NOASSERTION", "filesAnalyzed": False, "copyrightText": "NOASSERTION"}
    packages = [{"SPDXID": "SPDXRef-winnow", "name": "winnow", "versionInfo": f"{version} ({revision})",
                 "licenseConcluded": "Apache-2.0", "licenseDeclared": "Apache-2.0", **no,
                 "checksums": [{"algorithm": "SHA256", "checksumValue": digest}]}]
    relations = [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-winnow"}]
    for name, licence in sorted(LINKED.items()):
        found = subprocess.run(["dpkg-query", "-W", "-f", "${source:Package} ${Version}", name], check=True, capture_output=True,
                               text=True).stdout.split()
        reference = "SPDXRef-" + name.replace("+", "-")
        packages.append({"SPDXID": reference, "name": found[0], "versionInfo": found[1], "supplier": "Organization: Debian",
                         "licenseConcluded": licence, "licenseDeclared": licence, **no,
                         "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                                           "referenceLocator": package_url(name, found[1])}]})
        relations.append({"spdxElementId": "SPDXRef-winnow", "relationshipType": "STATIC_LINK", "relatedSpdxElement": reference})
    return json.dumps({"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
                       "name": f"winnow-{version}", "documentNamespace": f"{BASE_URL}/spdx/winnow-{version}-{digest}",
                       "creationInfo": {"created": created, "creators": ["Tool: winnow-pack"]},
                       "packages": packages, "relationships": relations}, indent=1) + "\n"


def krew_manifest(version, tar, top):
    # krew gives a file another name only where `from` has no wildcard. Otherwise `to` is a folder.
    return f"""apiVersion: krew.googlecontainertools.github.com/v1alpha2
kind: Plugin
metadata:
  name: winnow
spec:
  version: v{version}
  homepage: {BASE_URL}
  shortDescription: Say why pods wait, and where they fit
  description: |
    Shows every scheduling rule's verdict and score for every node, why a pod waits, and what nodes have free. Asks a
    Winnow that runs in the cluster, or reads the cluster itself.
  platforms:
  - selector:
      matchLabels:
        os: linux
        arch: amd64
    uri: {BASE_URL}/{tar.name}
    sha256: {hashlib.sha256(tar.read_bytes()).hexdigest()}
    files:
    - from: {top}/winnow
      to: kubectl-winnow
    - from: {top}/LICENSE
      to: .
    - from: {top}/THIRD-PARTY
      to: .
    bin: kubectl-winnow
"""


def main():
    machine = subprocess.run(["dpkg", "--print-architecture"], check=True, capture_output=True, text=True).stdout.strip()
    if machine != "amd64":
        sys.exit(f"pack.py: this machine is {machine}, and the packages say amd64")
    binary, version, revision = sys.argv[1], sys.argv[2], sys.argv[3]
    out = pathlib.Path(sys.argv[4])
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    data = pathlib.Path(binary).read_bytes()
    pages = man_pages(binary, version)
    files = {"winnow": (data, 0o755), "LICENSE": (pathlib.Path("LICENSE").read_bytes(), 0o644), "THIRD-PARTY": (third_party(), 0o644),
             "kubectl_complete-winnow": (pathlib.Path("tools/package/kubectl_complete-winnow").read_bytes(), 0o755)}
    top = f"winnow-{version}-linux-amd64"
    tar = out / f"{top}.tar.gz"
    make_tar(tar, top, files | {f"man/{name}": (text.encode(), 0o644) for name, text in pages.items()})
    make_deb(out / f"winnow_{version}_amd64.deb", version, files, pages)
    (out / "winnow.krew.yaml").write_text(krew_manifest(version, tar, top), encoding="utf-8")
    (out / f"winnow-{version}.spdx.json").write_text(bill_of_materials(version, revision, data), encoding="utf-8")
    sums = "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in sorted(out.iterdir()))
    (out / "SHA256SUMS").write_text(sums, encoding="utf-8")
    print(sums, end="")


main()
