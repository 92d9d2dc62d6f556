# SPDX-License-Identifier: MIT OR Apache-2.0
"""Parses a layer and its recipes by BitBake's own parser; see layers-test.bash, which makes the stubs."""
import glob
import hashlib
import os

import bb
import bb.codeparser
import bb.data
import bb.data_smart
import bb.event
import bb.parse


class Layer:
    """A layer: the variables that its layer.conf sets."""

    def __init__(self, folder, stubs):
        self.folder = folder
        self.data = bb.data_smart.DataSmart()
        self.data.setVar("BBPATH", stubs + ":" + folder)
        self.data.setVar("__BBSEEN", "")
        self.data.setVar("LAYERDIR", folder)
        bb.parse.init_parser(self.data)
        self.data = bb.parse.handle(folder + "/conf/layer.conf", self.data, True)

    def name(self):
        (name,) = self.data.getVar("BBFILE_COLLECTIONS").split()
        return name

    def recipes(self):
        """The files that BBFILES names."""
        return sorted(name for pattern in self.data.getVar("BBFILES").split() for name in glob.glob(pattern))

    def recipe(self, path, **variables):
        """The variables of the recipe, with these set before as a distribution would."""
        data = self.data.createCopy()
        package, version = os.path.basename(path)[: -len(".bb")].split("_")
        for name, value in {"PN": package, "BPN": package, "PV": version, **variables}.items():
            data.setVar(name, value)
        data.setVar("__bbclasstype", "recipe")
        data.setVar("FILE", path)
        data.setVar("THISDIR", os.path.dirname(path))
        data = bb.parse.handle(path, data, True)
        bb.data.expandKeys(data)
        return data


def check_licence(data, source):
    """LIC_FILES_CHKSUM is that of the first line of the file in the folder of the source that it names."""
    address, *fields = data.getVar("LIC_FILES_CHKSUM").split(";")
    fields = dict(field.split("=") for field in fields)
    assert (fields["beginline"], fields["endline"]) == ("1", "1"), fields
    with open(os.path.join(source, address[len("file://"):]), "rb") as file:
        assert hashlib.md5(file.readline()).hexdigest() == fields["md5"], "LIC_FILES_CHKSUM"
