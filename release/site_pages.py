#!/usr/bin/env python3
"""Makes the documents pages of a site: release/site_pages.py OUT. Open OUT/index.html: it needs no server and no network.

Understands the Markdown that the documents use: headings, paragraphs, lists, tables, code, links, images, emphasis.
"""
import html, json, os, pathlib, re, shutil, sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ["docs", "gpus", "harness", "kernels", "models", "playbook", "release", "strategies"]
STYLE = """body{margin:0;font:16px/1.55 system-ui,sans-serif;color:#1c1e21;background:#fff}
main{max-width:52rem;margin:0 auto;padding:1rem}
nav{border-bottom:1px solid #ccd;background:#f6f7f9}nav div{max-width:52rem;margin:0 auto;padding:.6rem 1rem;display:flex;gap:1rem}
nav input{flex:1;min-width:0;font:inherit;padding:.2rem .5rem}a{color:#0b57b7}pre{background:#f3f4f6;padding:.7rem;overflow:auto}
code{font:.9em ui-monospace,monospace;background:#f3f4f6}pre code{background:none}
table{border-collapse:collapse;display:block;overflow:auto}td,th{border:1px solid #ccd;padding:.25rem .5rem;text-align:left;vertical-align:top}
img{max-width:100%}#found{list-style:none;padding:0}#found small{color:#555;display:block}
@media (prefers-color-scheme:dark){body{background:#15171a;color:#e4e6ea}nav,pre,code{background:#1f2227}a{color:#7fb4ff}
td,th,nav{border-color:#3a3f47}nav input{background:#15171a;color:inherit;border:1px solid #3a3f47}img{background:#fff}}"""
SEARCH = """const box=document.getElementById('search'),found=document.getElementById('found');
const RANKED=20,PASSAGE=160;
function count(text,word){return text.split(word).length-1}
function score(part,words){   // 0 where a word is missing; a title counts more than a text, a short text more than a long one
const title=part.title.toLowerCase(),page=part.of.toLowerCase(),text=part.text.toLowerCase();let sum=0;
for(const word of words){const here=count(text,word)/(1+text.length/2000)+(title.includes(word)?20:0)+(page.includes(word)?10:0);
if(!here)return 0;sum+=here}return sum}
function passage(text,words){const lower=text.toLowerCase();let at=-1;
for(const word of words){at=lower.indexOf(word);if(at>=0)break}
at=Math.max(0,at-60);if(at)at=text.indexOf(' ',at)+1;return (at?'… ':'')+text.slice(at,at+PASSAGE)+(at+PASSAGE<text.length?' …':'')}
box.addEventListener('input',()=>{const words=box.value.toLowerCase().split(/\\s+/).filter(Boolean);found.textContent='';
if(!words.length)return;const hits=PARTS.map(part=>[score(part,words),part]).filter(hit=>hit[0]>0).sort((a,b)=>b[0]-a[0]);
for(const [,part] of hits.slice(0,RANKED)){const item=document.createElement('li'),
link=document.createElement('a'),small=document.createElement('small');link.href=UP+part.link;
link.textContent=part.of===part.title?part.title:part.of+': '+part.title;
small.textContent=passage(part.text,words);
item.append(link,small);found.append(item)}
if(hits.length>RANKED)found.append(`${hits.length-RANKED} more: a further word narrows it`);
if(!hits.length)found.textContent='nothing was found'});"""


def anchor(title):
    return "".join("-" if c in " -" else c.lower() if c.isalnum() or c == "_" else "" for c in title)


def page_name(path):
    return path.with_suffix(".html") if path != pathlib.Path("README.md") else pathlib.Path("index.html")


class Page:
    def __init__(self, path, pages):
        self.path, self.pages = path, pages
        self.parts = []  # of the search: a heading with the text below it
        self.title = str(path)
        self.held = []
        self.body = self.blocks((ROOT / path).read_text(encoding="utf-8").split("\n"))

    def target(self, link):
        """Where a link leads on the site: pages to pages, other files of the checkout to nothing."""
        file, mark, place = link.partition("#")
        if re.match(r"[a-z]+:", link) or not file:
            return link
        there = pathlib.Path(os.path.normpath(self.path.parent / file))
        if there not in self.pages:
            return None if there.suffix not in (".svg", ".png") else os.path.relpath(there, self.path.parent)
        return os.path.relpath(page_name(there), page_name(self.path).parent) + mark + place

    def inline(self, text):
        def hold(made):  # so that nothing further is read into it
            self.held.append(made)
            return f"\0{len(self.held) - 1}\0"

        def link(match):
            where = self.target(match[3].replace("\n", ""))
            words = self.inline(match[2])
            if match[1]:
                return hold(f'<img alt="{html.escape(match[2])}" src="{html.escape(where or "")}">')
            return hold(words if where is None else f'<a href="{html.escape(where)}">{words}</a>')

        text = re.sub(r"``? ?(.+?) ?``?(?!`)", lambda m: hold(f"<code>{html.escape(m[1])}</code>"), text)
        text = re.sub(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)]+)\)", link, text)
        text = html.escape(text, quote=False)
        text = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", text)
        text = re.sub(r"(?<![\w*])\*([^*\s][^*]*?)\*(?!\w)", r"<em>\1</em>", text)
        while "\0" in text:
            text = re.sub("\0(\\d+)\0", lambda m: self.held[int(m[1])], text)
        return text

    def told(self, text):
        if self.parts:
            plain = re.sub(r"[`*|]|\]\([^)]*\)", " ", text).replace("[", "")
            self.parts[-1][1].append(re.sub(r"\s+", " ", re.sub(r"(?<= )-{3,}:?(?= |$)", "", plain)).strip())

    def heading(self, line):
        level, words = re.match(r"(#+) (.*)", line).groups()
        plain = re.sub(r"[`*]", "", words)
        if len(level) == 1:
            self.title = plain
        self.parts.append((plain, [], anchor(plain)))
        return f'<h{len(level)} id="{anchor(plain)}">{self.inline(words)}</h{len(level)}>'

    def table(self, rows):
        cells = [[each.replace("\0", "|").strip() for each in row.strip().strip("|").replace("\\|", "\0").split("|")]
                 for row in rows]
        made = "<tr>" + "".join(f"<th>{self.inline(each)}</th>" for each in cells[0]) + "</tr>"
        for row in cells[2:]:
            made += "<tr>" + "".join(f"<td>{self.inline(each)}</td>" for each in row) + "</tr>"
        return f"<table>{made}</table>"

    def list(self, lines):
        kind = "ol" if re.match(r"\d", lines[0]) else "ul"
        items = []
        for line in lines:
            start = re.match(r"(?:[-*]|\d+\.) (.*)", line)
            if start:
                items.append([start[1]])
            else:
                items[-1].append(line)
        made = ""
        for item in items:
            inner = [re.sub(r"^ {2,3}", "", each) for each in item[1:]]
            nested = next((at for at, each in enumerate(inner) if re.match(r"([-*]|\d+\.) |```|$", each)), len(inner))
            made += f"<li>{self.inline(' '.join([item[0], *inner[:nested]]))}{self.blocks(inner[nested:])}</li>"
        return f"<{kind}>{made}</{kind}>"

    def blocks(self, lines):
        made, at = [], 0

        def while_(holds):
            nonlocal at
            begin = at
            while at < len(lines) and holds(lines[at]):
                at += 1
            return lines[begin:at]

        while at < len(lines):
            line = lines[at]
            if not line.strip() or line.startswith("<!--"):
                at += 1
            elif line.lstrip().startswith("```"):
                at += 1
                code = while_(lambda each: not each.lstrip().startswith("```"))
                at += 1
                self.told(" ".join(code))
                made.append(f"<pre><code>{html.escape(chr(10).join(code))}</code></pre>")
            elif re.match(r"#+ ", line):
                made.append(self.heading(line))
                at += 1
            elif line.startswith("|"):
                rows = while_(lambda each: each.startswith("|"))
                self.told(" ".join(rows))
                made.append(self.table(rows))
            elif re.match(r"([-*]|\d+\.) ", line):
                items = while_(lambda each: re.match(r"([-*]|\d+\.) | {2}\S| {3,}", each) is not None)
                self.told(" ".join(items))
                made.append(self.list(items))
            else:
                text = while_(lambda each: each.strip() and not re.match(r"#+ |\||```|([-*]|\d+\.) ", each))
                if not text:  # it looked like the begin of something else
                    text, at = [line], at + 1
                self.told(" ".join(text))
                made.append(f"<p>{self.inline(' '.join(text))}</p>")
        return "\n".join(made)

    def write(self, out):
        name = page_name(self.path)
        up = os.path.relpath(".", name.parent) + "/"
        home = os.path.relpath("index.html", name.parent)
        index = os.path.relpath("docs/README.html", name.parent)
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_text(f"""<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1"><title>{html.escape(self.title)}</title>
<style>{STYLE}</style><nav><div><a href="{home}">harness</a><a href="{index}">documents</a>
<input id="search" type="search" placeholder="search" aria-label="search"></div></nav>
<main><ul id="found"></ul>
{self.body}
</main><script>const UP={json.dumps(up)}</script><script src="{up}search.js"></script></html>
""", encoding="utf-8")


def main(out):
    out = pathlib.Path(out)
    shutil.rmtree(out, ignore_errors=True)
    paths = [pathlib.Path(each.name) for each in ROOT.glob("*.md")]
    for folder in FOLDERS:
        paths += [each.relative_to(ROOT) for each in (ROOT / folder).rglob("*.md")]
    paths.sort()
    pages = [Page(each, set(paths)) for each in paths]
    parts = []
    for page in pages:
        page.write(out)
        parts += [{"title": title, "of": page.title, "text": " ".join(text), "link": f"{page_name(page.path)}#{place}"}
                  for title, text, place in page.parts]
    (out / "search.js").write_text(f"const PARTS={json.dumps(parts, ensure_ascii=False)};\n{SEARCH}\n", encoding="utf-8")
    for kind in ("svg", "png"):
        for picture in (ROOT / "docs").rglob(f"*.{kind}"):
            there = out / picture.relative_to(ROOT)
            there.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(picture, there)
    print(f"{out / 'index.html'}: {len(pages)} pages, {len(parts)} parts to search")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    main(sys.argv[1])
