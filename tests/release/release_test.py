"""What leaves the build besides the program: the SBOM, the site of the documents, and archives that depend on no clock."""
import html, json, os, pathlib, re, shutil, subprocess, sys, tempfile, unittest
from urllib.parse import unquote

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "release"))
import make, program, sbom, site_pages

SCHEMAS = ROOT / "build/release_schemas"
ALL = bool(os.environ.get("HARNESS_TEST_ALL"))


class Release(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def made_sbom(self):
        image = self.folder / "harness-0.1.0-oci.tar"
        image.write_text("an image")
        status = self.folder / "base/var/lib/dpkg/status"
        status.parent.mkdir(parents=True)
        status.write_text("Package: g++\nStatus: install ok installed\nArchitecture: amd64\nVersion: 4:12.2.0-3+b1\n"
                          "Description: a compiler\n of C++\n\nPackage: gone\nStatus: deinstall ok config-files\n"
                          "Architecture: all\nVersion: 1\n")
        return sbom.document("0.1.0", "0" * 40, 1700000000, [image], self.folder / "base")

    def test_an_sbom_names_what_is_linked_each_file_and_what_the_image_is_made_of(self):
        told = json.loads(self.made_sbom())
        self.assertEqual(told["metadata"]["timestamp"], "2023-11-14T22:13:20Z")
        *parts, image = told["components"]
        self.assertEqual(image["hashes"][0]["content"], "a5df3fde7b200c3fa2791144c7e05c5c2bced4c6ad863d3a4cf76c972c1712f9")
        self.assertEqual([(each["name"], each["purl"]) for each in image["components"]],
                         [("g++", "pkg:deb/debian/g%2B%2B@4%3A12.2.0-3%2Bb1?arch=amd64")])
        names = {each["name"] for each in parts}
        self.assertEqual(len(names), len(sbom.PARTS) + 1)
        self.assertIn("uplot", names)  # in the live page's script
        for each in parts:
            self.assertRegex(each["version"], r"^[0-9]")

    def test_every_library_that_the_program_links_is_in_the_sbom(self):
        linked = subprocess.run(["dpkg", "-S", *("*/" + each for each in (*make.STATIC, *make.BESIDE))], check=True,
                                stdout=subprocess.PIPE, text=True).stdout
        owners = {line.split(":")[0] for line in linked.splitlines()}
        source = lambda package: subprocess.run(["dpkg-query", "-W", "-f=${source:Package}", package], check=True,
                                                stdout=subprocess.PIPE, text=True).stdout
        self.assertLessEqual({source(each) for each in owners}, {source(each) for each in sbom.PARTS})

    def test_an_sbom_is_right_by_cyclonedxs_own_schema(self):
        if not (SCHEMAS / "node_modules").is_dir() or shutil.which("node") is None:
            self.skipTest("the schemas were not installed (./bootstrap test release and nightly do it by npm)")
        good, bad = self.folder / "good.json", self.folder / "bad.json"
        good.write_text(self.made_sbom())
        bad.write_text(self.made_sbom_with_a_fault())
        said = subprocess.run(["node", HERE / "schemas/validate.mjs", SCHEMAS, good, bad], text=True, stdout=subprocess.PIPE)
        self.assertNotIn("good.json", said.stdout)
        self.assertIn(f"{bad}: /serialNumber", said.stdout)

    def made_sbom_with_a_fault(self):
        shutil.rmtree(self.folder / "base")
        return self.made_sbom().replace("urn:uuid:", "urn:")

    def test_a_tar_depends_on_neither_clock_nor_order_nor_hard_links(self):
        tars = []
        for turn, names in enumerate((("a", "b", "c"), ("c", "b", "a"))):
            folder = self.folder / str(turn)
            folder.mkdir()
            for name in names:
                (folder / name).write_text("same")
            if turn:  # the same content, as another name of one file
                (folder / "b").unlink()
                os.link(folder / "c", folder / "b")
            os.utime(folder / "a", (turn, turn))
            release = make.Release.__new__(make.Release)
            release.epoch = 1700000000
            tars.append(release.tar(folder, "x/"))
        self.assertEqual(*tars)

    def test_a_file_that_needs_a_newer_c_library_than_promised_is_refused(self):
        """What RHEL 8 (glibc 2.28) rests on here, where no such machine is."""
        release = program.Program.__new__(program.Program)
        release.machine = program.X86_64
        for newest, text, needed in ((False, "puts", "2.2.5"), (True, "arc4random", "2.36")):
            file = self.folder / text
            subprocess.run(["gcc", "-w", "-x", "c", "-", "-shared", "-fPIC", "-nostartfiles", "-Wl,--no-as-needed", "-o", file],
                           input=f"int {text}(); int f() {{ return {text}(0); }}", text=True, check=True)
            self.assertIn(f"GLIBC_{needed}".encode(), file.read_bytes())
            if newest:
                with self.assertRaisesRegex(SystemExit, f"arc4random needs glibc {needed}"):
                    release.check_floor(file)
            else:
                release.check_floor(file)
        self.assertEqual(program.FLOOR, "2.27")  # below RHEL 8's 2.28; Ubuntu 18.04 has it

    def test_links_of_the_site_lead_somewhere(self):
        site = self.folder / "site"
        site_pages.main(site)
        pages = {path: path.read_text(encoding="utf-8") for path in site.rglob("*.html")}
        self.assertGreater(len(pages), 50)
        places = {path: set(re.findall(r'id="([^"]+)"', text)) for path, text in pages.items()}
        links = [(path, html.unescape(link)) for path, text in pages.items()
                 for link in re.findall(r'(?:href|src)="([^"]+)"', re.sub(r"<pre>.*?</pre>", "", text, flags=re.S))]
        parts = json.loads(re.match(r"const PARTS=(.*);\n", (site / "search.js").read_text(encoding="utf-8"))[1])
        links += [(site / "index.html", each["link"]) for each in parts]
        for path, link in links:
            if re.match(r"[a-z]+:", link):
                continue
            file, _, place = unquote(link).partition("#")
            there = pathlib.Path(os.path.normpath(path.parent / file)) if file else path
            self.assertTrue(there.is_file(), f"{path.relative_to(site)}: {link}")
            if place:
                self.assertIn(place, places[there], f"{path.relative_to(site)}: {link}")

    @unittest.skipUnless(ALL, "it starts a browser: HARNESS_TEST_ALL=1")
    def test_the_site_is_searched_without_a_server(self):
        chromium, tools = shutil.which("chromium"), ROOT / "build/page_tools"
        if chromium is None or not (tools / "node_modules").is_dir():
            self.skipTest("there is no chromium, or no playwright-core (./bootstrap nightly installs it)")
        site_pages.main(self.folder / "site")
        found = subprocess.run(["node", HERE / "site/search.mjs", tools, chromium, self.folder / "site"], text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual((found.returncode, found.stdout), (0, ""))


if __name__ == "__main__":
    unittest.main()
