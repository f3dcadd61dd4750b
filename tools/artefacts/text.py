"""What the files have in common: names for people, their heads, YAML."""
import re

import yaml

WORDS = {'Cpu': 'CPU', 'Id': 'ID', 'Std': 'standard', 'Dev': 'deviation'}


def words(name, prefix='dcamp'):
    """dcampSelfCpuTime -> 'self CPU time'."""
    parts = re.findall(r'[A-Z][a-z]*[0-9]*|[a-z]+', name.removeprefix(prefix))
    return ' '.join(WORDS.get(part, part.lower() if not part[1:].isdigit() else part)
                    for part in parts)


def banner(text, start='# ', end=''):
    """The comment at the head of a generated file."""
    lines = ['Made by "make artefacts" from DCAMP-MIB.txt: change tools/artefacts, not this file.']
    lines += text.splitlines()
    return ''.join(f'{start}{line}{end}'.rstrip() + '\n' for line in lines)


class Dumper(yaml.SafeDumper):
    """Block style throughout, text of several lines as such, nothing by reference."""

    def ignore_aliases(self, data):
        return True

    def increase_indent(self, flow=False, indentless=False):
        return super().increase_indent(flow, False)


def represent_text(dumper, text):
    style = '|' if '\n' in text else None
    return dumper.represent_scalar('tag:yaml.org,2002:str', text, style=style)


Dumper.add_representer(str, represent_text)


def yaml_text(data, indent=2):
    return yaml.dump(data, Dumper=Dumper, sort_keys=False, width=10000, allow_unicode=True,
                     indent=indent)
