#!/usr/bin/env python3
"""page.py MAKER SERVER PAGE [--nodes N] [--starts N] [--plots N] [--seconds N]: what the page of dcamp-web takes in
headless Chromium, each line a name and a figure.

first_paint, all_shown: ms from the beginning of the navigation, of a browser that has just been started, to the first
content, and to all nodes in the list: the median and the most. page, browser, server: percent of a CPU, of the process
of the page, of all processes of Chromium, and of dcamp-web, while so many plots of an hour get a value each second, all
of them within the window."""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'web'))
from chrome import Server, start_browser # pylint: disable=wrong-import-position

HEIGHT = 340 # of a plot, with what stands above and below it
PATIENCE = 60 # s
TICKS = os.sysconf('SC_CLK_TCK')


def wait(what):
    deadline = time.monotonic() + PATIENCE
    while not what():
        if time.monotonic() > deadline:
            sys.exit('page.py: the page does not show what it must')
        time.sleep(0.02)


# As soon as the page has so many nodes in its list.
NOTE_SHOWN = """new MutationObserver(() => {
    if (!window.shown && document.querySelectorAll('#tree [role=treeitem]').length >= %d)
        window.shown = performance.now();
}).observe(document, {childList: true, subtree: true})"""


def measure_paint(url, nodes):
    """Both times, of one start."""
    browser = start_browser()
    try:
        browser.execute_cdp_cmd('Page.addScriptToEvaluateOnNewDocument', {'source': NOTE_SHOWN % nodes})
        browser.get(url)
        wait(lambda: browser.execute_script('return window.shown'))
        return browser.execute_script("""return [performance.getEntriesByName('first-contentful-paint')[0].startTime,
            window.shown]""")
    finally:
        browser.quit()


def tell_paint(maker, serve, nodes, starts):
    with tempfile.TemporaryDirectory() as directory:
        subprocess.run([maker, directory, str(nodes), '10'], check=True)
        server = serve(directory)
        try:
            found = [measure_paint(server.url, nodes - 1) for _ in range(starts)] # node9 is silent
        finally:
            server.stop()
    for name, times in zip(('first_paint', 'all_shown'), zip(*found)):
        print(name, round(statistics.median(times)), round(max(times)))


# -- CPU time -------------------------------------------------------------------------------------

def processes():
    """The parent, the ticks and the command line of each."""
    found = {}
    for name in filter(str.isdigit, os.listdir('/proc')):
        try:
            with open(f'/proc/{name}/stat', encoding='utf-8', errors='replace') as file:
                words = file.read().rsplit(')', 1)[1].split()
            with open(f'/proc/{name}/cmdline', encoding='utf-8', errors='replace') as file:
                found[int(name)] = (int(words[1]), int(words[11]) + int(words[12]), file.read())
        except (OSError, IndexError):
            pass # it has ended
    return found


def below(found, ancestor):
    """Those that a process has started, and these, but not itself."""
    mine, grown = {ancestor}, True
    while grown:
        more = {pid for pid, (parent, _, _) in found.items() if parent in mine} - mine
        mine |= more
        grown = bool(more)
    return mine - {ancestor}


def taken(before, after, driver, server):
    """Ticks of the process of the page, of all of the browser, and of the server. Other pages are of the browser's
    own, and idle."""
    mine = below(after, driver)
    took = {pid: after[pid][1] - (before[pid][1] if pid in before else 0) for pid in mine | {server}}
    pages = [pid for pid in mine if '--type=renderer' in after[pid][2]]
    return max(took[pid] for pid in pages), sum(took[pid] for pid in mine), took[server]


def address_of(url, plots):
    """Each node has cpu.busy and mem.used."""
    asked = [('view', 'plots'), ('last', '1h')]
    for place in range(plots):
        number = place // 2 + 20
        asked += [('node', f'collector{1 + number % 2}/node{number}'), ('sensor', ('cpu.busy', 'mem.used')[place % 2]),
                  ('instance', 'total')]
    return url + '#' + urllib.parse.urlencode(asked)


NEWEST = "return [...document.querySelectorAll('.plot > header .soft')].map((one) => one.textContent)"


def measure_live(browser, server, plots, seconds):
    browser.get(address_of(server.url, plots))
    wait(lambda: len(browser.execute_script(NEWEST)) == plots)
    time.sleep(10) # what is only at the beginning
    before, values, begun = processes(), browser.execute_script(NEWEST), time.monotonic()
    time.sleep(seconds)
    after, seconds = processes(), time.monotonic() - begun
    if any(old == new for old, new in zip(values, browser.execute_script(NEWEST))):
        sys.exit('page.py: there is a plot that is not live')
    ticks = taken(before, after, browser.service.process.pid, server.process.pid)
    for name, took in zip(('page', 'browser', 'server'), ticks):
        print(name, f'{took / TICKS / seconds * 100:.2f}')


def tell_live(maker, serve, plots, seconds):
    with tempfile.TemporaryDirectory() as directory:
        told = subprocess.Popen([maker, directory, '60', '60', '--live'], stdout=subprocess.PIPE, text=True)
        told.stdout.readline()
        server = serve(directory)
        browser = start_browser(height=plots * HEIGHT)
        try:
            measure_live(browser, server, plots, seconds)
        finally:
            browser.quit()
            server.stop()
            told.terminate()
            told.wait()


def main():
    parser = argparse.ArgumentParser()
    for name in ('maker', 'server', 'page'):
        parser.add_argument(name)
    for name, number in (('nodes', 1000), ('starts', 5), ('plots', 20), ('seconds', 60)):
        parser.add_argument('--' + name, type=int, default=number)
    options = parser.parse_args()

    def serve(directory):
        return Server(options.server, options.page, directory)

    tell_paint(options.maker, serve, options.nodes, options.starts)
    tell_live(options.maker, serve, options.plots, options.seconds)


main()
