"""What does an HTML page say, and where does it lead? As the crawler's own `extract` reads it, a line for each block."""

from html.parser import HTMLParser

HIDDEN = {"script", "style", "template", "noscript", "iframe", "xmp", "noembed", "noframes"}
WORDS = {"td", "th", "img", "button"}
BLOCKS = set(
    "address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset figcaption figure "
    "footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol optgroup option p pre listing section "
    "select summary table tbody textarea tfoot thead tr ul".split()
)


class Page(HTMLParser):
    """Text, title, links and `rel=canonical` of a page."""

    def __init__(self, body):
        super().__init__(convert_charrefs=True)
        self.runs, self.titles, self.links = [], [], []
        self.base = self.canonical = None
        self.hidden = self.preformatted = 0
        self.in_title = self.head_only = False
        self.feed(body)
        self.close()

    @property
    def text(self):
        return squeezed("".join(self.runs))

    @property
    def title(self):
        return " ".join("".join(self.titles).split())

    def handle_starttag(self, tag, attributes):
        if tag in HIDDEN:
            # Links of a <noscript> count, its text is an apology.
            self.hidden += 1
            if tag == "iframe":
                self.link(dict(attributes).get("src"))
            return
        if tag == "body":
            self.hidden = 0
        if tag == "title" and not self.titles:
            self.in_title = True
        elif tag in ("a", "area"):
            self.link(dict(attributes).get("href"))
        elif tag == "frame":
            self.link(dict(attributes).get("src"))
        elif tag == "link":
            self.link_element(dict(attributes))
        elif tag == "base" and self.base is None:
            self.base = dict(attributes).get("href")
        elif tag == "meta":
            self.meta(dict(attributes))
        self.preformatted += tag in ("pre", "textarea", "listing")
        self.border(tag)

    def handle_startendtag(self, tag, attributes):
        if tag not in HIDDEN:
            self.handle_starttag(tag, attributes)

    def handle_endtag(self, tag):
        if tag in HIDDEN:
            self.hidden = max(0, self.hidden - 1)
        elif tag == "title":
            self.in_title = False
        else:
            if tag in ("pre", "textarea", "listing"):
                self.preformatted = max(0, self.preformatted - 1)
            self.border(tag)

    def handle_data(self, run):
        if self.in_title:
            self.titles.append(run)
        elif not self.hidden:
            self.runs.append(run if self.preformatted else run.replace("\n", " "))

    def border(self, tag):
        if tag in BLOCKS:
            self.runs.append("\n")
        elif tag in WORDS:
            self.runs.append(" ")

    def link(self, href):
        if href is not None:
            self.links.append(href)

    def link_element(self, attributes):
        href, rel = attributes.get("href"), (attributes.get("rel") or "").lower().split()
        if href is None:
            return
        if "canonical" in rel and self.canonical is None:
            self.canonical = href
        kind = (attributes.get("type") or "text/html").strip().lower()
        is_translation = "hreflang" in attributes and kind in ("text/html", "application/xhtml+xml")
        if "next" in rel or "prev" in rel or "alternate" in rel and is_translation:
            self.links.append(href)

    def meta(self, attributes):
        if (attributes.get("http-equiv") or "").strip().lower() == "refresh":
            _, found, target = (attributes.get("content") or "").partition("=")
            if found:
                self.links.append(target.strip("'\" "))


def squeezed(text):
    """Lines without blank ones, words one space apart."""
    return "\n".join(words for line in text.split("\n") if (words := " ".join(line.split())))
