"""What is in a recorded crawl, and when are two spellings one URL? Shared by `record`, `label` and `score`."""

import gzip
import json
import re
from urllib.parse import quote, urldefrag, urljoin, urlsplit

UNRESERVED = re.compile(rb"[A-Za-z0-9._~-]")
OCTET = re.compile("%([0-9A-Fa-f]{2})")


def opened(path, mode="rt"):
    """A text file, packed if its name ends so. Packed files tell no time, so that the same lines give the same octets."""
    if not str(path).endswith(".gz"):
        return open(path, mode, encoding="utf-8")
    if "w" not in mode:
        return gzip.open(path, mode, encoding="utf-8")
    import io
    return io.TextIOWrapper(gzip.GzipFile(path, "wb", 6, mtime=0), encoding="utf-8")


def lines(path):
    """The JSON values of a file, in order."""
    with opened(path) as file:
        for line in file:
            if line.strip():
                yield json.loads(line)


def resolved(link, base=None):
    """`link` as a browser would send it, without its fragment; None if it leads to no page of the web."""
    try:
        url = urlsplit(urldefrag(urljoin(base, link.strip()) if base else link.strip())[0])
        host, port = url.hostname, url.port
    except ValueError:
        return None
    scheme = url.scheme.lower()
    if scheme not in ("http", "https") or not host:
        return None
    if port is not None and port != {"http": 80, "https": 443}[scheme]:
        host += f":{port}"
    path = without_dots(url.path.replace("\\", "/") or "/")
    query = "?" + quote(url.query, safe="%:/?[]@!$&()*+,;=|{}^`\\~") if url.query or link.split("#")[0].endswith("?") else ""
    return f"{scheme}://{host}" + quote(path, safe="%:/[]@!$&'()*+,;=|^\\~") + query


def without_dots(path):
    """`path` without the segments `.` and `..`."""
    if "/." not in path:
        return path
    kept = []
    segments = path.split("/")[1:]
    for segment in segments:
        if segment == "..":
            kept = kept[:-1]
        elif segment != ".":
            kept.append(segment)
    return "/" + "/".join(kept) + ("/" if segments[-1] in (".", "..") and kept else "")


def same(url):
    """One name for all spellings that reach a server as the same octets: escapes in capitals and only where needed."""
    url = resolved(url)
    return url and OCTET.sub(unescaped, quote(url, safe="%:/?[]@!$&()*+,;=~"))


def unescaped(match):
    octet = bytes.fromhex(match.group(1))
    return octet.decode() if UNRESERVED.match(octet) else "%" + match.group(1).upper()


def site(url):
    """Scheme, host and port: what a recorded crawl stays within."""
    return url.split("/", 3)[:3] if url else None


def is_labelled(record):
    """A page that has a label: it was there, and is text."""
    return record["status"] == 200 and (record["content_type"] or "").strip().lower().startswith("text/")
