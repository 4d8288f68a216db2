"""The files that a lit test holds in itself, for the scripts of this folder."""
import os
import re


def parts(test, folder):
    """Writes the files that a test consists of, as split-file does, and returns their paths."""
    paths, part = [], None
    with open(test) as f:
        for line in f:
            begins = re.fullmatch(r'//--- (\S+)\n', line)
            if begins:
                if part:
                    part.close()
                paths.append(os.path.join(folder, begins[1]))
                os.makedirs(os.path.dirname(paths[-1]), exist_ok=True)
                part = open(paths[-1], 'w')
            elif part:
                part.write(line)
    if part:
        part.close()
    return paths
