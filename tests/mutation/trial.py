"""One change at a time: compiled, linked to the tests of its room, and those run in a sandbox."""
import filecmp
import glob
import os
import shlex
import shutil
import subprocess
import time

import changes


class Build:
    """What make knows: how a file is compiled, how a test is linked, of which objects."""

    def __init__(self, top, folder):
        self.top, self.folder = os.path.abspath(top), os.path.abspath(folder)
        self.compile = shlex.split(os.environ['MUTATION_COMPILE'])
        self.link = shlex.split(os.environ['MUTATION_LINK'])
        self.libraries = shlex.split(os.environ['MUTATION_LIBRARIES'])
        self.programs = self.lists('MUTATION_PROGRAMS')
        self.objects = self.lists('MUTATION_OBJECTS')

    @staticmethod
    def lists(variable):
        """Of each program what it is linked of: "PROGRAM PART...;"."""
        lists = [entry.split() for entry in os.environ[variable].split(';')]
        return {os.path.basename(words[0]): words[1:] for words in lists if words}

    def source(self, path):
        with open(os.path.join(self.top, path), encoding='utf-8') as file:
            return file.read()

    def tests(self, prefix):
        return sorted(name for name in self.objects if name.startswith(f'test_{prefix}_') or name == f'test_{prefix}')


class Sandbox:
    """A folder that a worker has for itself, and what it runs in there."""

    def __init__(self, build, name):
        self.build = build
        self.folder = os.path.join(build.folder, 'mutation', name)
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        self.object = os.path.join(self.folder, 'changed.o')
        self.originals = {}

    def call(self, command):
        return subprocess.run(command, cwd=self.build.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, check=False).returncode == 0

    def compiler(self, *arguments):
        """The changed file is before the others in all that is included."""
        first, *rest = self.build.compile
        return [first, f'-I{self.folder}/subagent', f'-I{self.folder}', *rest, '-w', '-g0', '-O1', '-c', *arguments]

    def put(self, path, text):
        path = os.path.join(self.folder, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)
        return path

    def make_object(self, path, text, to):
        return self.call(self.compiler(self.put(path, text), '-o', to))

    def original(self, path):
        """The object of the file as it is."""
        if path not in self.originals:
            to = os.path.join(self.folder, path.replace('/', '_') + '.original.o')
            if not self.make_object(path, self.build.source(path), to):
                raise RuntimeError(f'{path} does not compile')
            self.originals[path] = to
        return self.originals[path]

    def make_change(self, change):
        """None: it does not compile; False: the compiler sees no difference."""
        original = self.original(change.path)
        if not self.make_object(change.path, changes.apply(self.build.source(change.path), change), self.object):
            return None
        return not filecmp.cmp(original, self.object, shallow=False)

    def done(self, change):
        os.remove(os.path.join(self.folder, change.path))

    def link_test(self, test, path):
        """Tests that include the file itself are compiled again."""
        objects, changed = list(self.build.objects[test]), [self.object]
        source = f'tests/unit/{test}.c'
        if f'#include "{path.removeprefix("subagent/")}"' in self.build.source(source):
            objects[0], changed = os.path.join(self.folder, test + '.o'), []
            if not self.call(self.compiler(os.path.join(self.build.top, source), '-o', objects[0])):
                return None
        program = os.path.join(self.folder, test)
        return program if self.call([*self.build.link, '-o', program, *objects, *changed, *self.build.libraries]) else None

    def run(self, command, seconds, folder=None):
        """Whether it succeeds in time."""
        environment = dict(os.environ, srcdir=self.build.top, DCAMP_BUILD=folder or self.build.folder, DCAMP_TEST_SHORT='1')
        if any(word.startswith('-fsanitize') for word in self.build.compile):
            environment.update(ASAN_OPTIONS='verify_asan_link_order=0:hard_rss_limit_mb=4000', MEMORY='unlimited',
                               LSAN_OPTIONS=f'suppressions={self.build.top}/tests/lsan.suppressions:print_suppressions=0')
        for name in [name for name in environment if name.startswith(('MUTATION_', 'MAKE', 'MFLAGS'))]:
            del environment[name]
        whole = ['unshare', '--mount', '--pid', '--net', '--ipc', '--fork', '--kill-child', '--mount-proc', '/bin/sh',
                 os.path.join(self.build.top, 'tests/mutation/sandbox.sh'), self.folder, *command]
        with subprocess.Popen(whole, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as process:
            try:
                return process.wait(timeout=seconds) == 0
            except subprocess.TimeoutExpired:
                process.kill()
                return False

    def time_test(self, test):
        """How long a test takes that finds nothing; None: it does not succeed in the sandbox."""
        begun = time.monotonic()
        good = self.run([os.path.join(self.build.folder, 'tests/unit', test)], 300)
        return time.monotonic() - begun if good else None

    def time_script(self, script, limit):
        begun = time.monotonic()
        good = self.run(['bash', os.path.join(self.build.top, script)], limit)
        return time.monotonic() - begun if good else None

    def link_programs(self):
        """A build whose programs are the changed ones, those that can have the changed object."""
        folder = os.path.join(self.folder, 'build')
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        linked = {name for name, parts in self.build.programs.items()
                  if self.call([*self.build.link, '-o', os.path.join(folder, name), parts[0], self.object, *parts[1:]])}
        for entry in glob.glob(os.path.join(self.build.folder, '*')):
            if os.path.basename(entry) not in linked | {'mutation'}:
                os.symlink(entry, os.path.join(folder, os.path.basename(entry)))
        return folder if linked else None
