"""Write in.zip: a recording, links to it and to nothing, and ordinary files."""
import sys
import zipfile

with open(sys.argv[1], "rb") as file, zipfile.ZipFile("in.zip", "w") as archive:
    archive.writestr("rec/shop.oemp", file.read())
    for name, target in (("rec/same.oemp", "shop.oemp"), ("rec/by.oemp", "../rec/same.oemp"),
                         ("rec/gone.oemp", "nowhere"), ("latest", "rec/last.prf"), ("notes", "nowhere.md")):
        link = zipfile.ZipInfo(name)
        link.create_system = 3  # Unix, whose modes are in the upper half
        link.external_attr = 0o120777 << 16
        archive.writestr(link, target)
