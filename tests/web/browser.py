#!/usr/bin/env python3
"""browser.py MAKER SERVER PAGE [PICTURES]: the page of dcamp-web in a real browser, headless Chromium, as
somebody uses it who has never seen it, by mouse, by keys alone and at the width of a phone. The history
is that of tests/web/maker. Prints TAP; pictures go into the directory PICTURES."""
import os
import re
import subprocess
import sys
import tempfile
import time

from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from chrome import Server, start_browser

MAKER, SERVER, PAGE = sys.argv[1:4]
PICTURES = sys.argv[4] if len(sys.argv) > 4 else None
n = failed = 0


def ok(name, holds, *what):
    global n, failed
    n += 1
    failed += not holds
    print(f'{"ok" if holds else "not ok"} {n} - {name}', flush=True)
    for one in what if not holds else ():
        print(f'#   {str(one)[:300]}')


def serve(directory, *options, port=0):
    return Server(SERVER, PAGE, directory, *options, port=port)


def until(what, seconds=20):
    """What a function returns once it is true; None: it never was."""
    try:
        return WebDriverWait(browser, seconds, 0.05, ignored_exceptions=(Exception,)).until(lambda _: what())
    except Exception:
        return None


def find(selector, text=''):
    """None: there is none. What is drawn anew while it is looked at is looked for again."""
    while True:
        try:
            return next((one for one in browser.find_elements(By.CSS_SELECTOR, selector) if text in one.text), None)
        except StaleElementReferenceException:
            pass


def click(selector, text=''):
    def clicked():
        find(selector, text).click()
        return True
    assert until(clicked), f'{selector} {text}'


def press(*keys):
    ActionChains(browser).send_keys(*keys).perform()


def main_text():
    return browser.find_element(By.ID, 'main').text


def focused(script):
    return browser.execute_script('return document.activeElement' + script)


def picture(name):
    if PICTURES:
        browser.save_screenshot(os.path.join(PICTURES, name))


def complaints():
    """What the browser has complained of, but for connections that the test itself has cut."""
    return [entry['message'] for entry in browser.get_log('browser')
            if entry['level'] in ('SEVERE', 'WARNING') and 'ERR_CONNECTION' not in entry['message'] and 'ERR_INCOMPLETE' not in entry['message']
            and '401' not in entry['message']]


def plots():
    return browser.find_elements(By.CSS_SELECTOR, '.plot canvas')


def is_wide():
    return browser.execute_script('return document.documentElement.scrollWidth > window.innerWidth')


def by_mouse(url):
    begun = time.monotonic()
    browser.get(url)
    ok('the first thing is what is wrong', until(lambda: 'disk.util of sda is 98 %' in main_text()), main_text())
    ok('it names how many nodes are in which state', all(find('.tiles li', word) for word in ('critical', 'silent', 'ok')))
    picture('overview.png')
    click('main a', 'disk.util of sda')
    ok('one click leads to the plot of the alarm', until(lambda: len(plots()) == 1))
    ok('what else moved then is there, the load of the same node first',
       until(lambda: 'load.1 total' in main_text()), main_text())
    click('main td a', 'node7 load.1')
    ok('a second one adds its plot', until(lambda: len(plots()) == 2))
    print(f'# from "what is wrong?" to the plot of the cause: {time.monotonic() - begun:.1f} s, 2 clicks')
    picture('cause.png')
    before = find('.plot h3', 'disk.util') is not None
    click('.plot a', 'Remove')
    ok('a plot can be taken away', before and until(lambda: len(plots()) == 1))
    browser.back()
    ok('back is where one was', until(lambda: len(plots()) == 2))
    browser.refresh()
    ok('the address is all there is to a view: it can be sent', until(lambda: len(plots()) == 2))


def by_drag():
    canvas = until(lambda: find('.plot .u-over'))
    before = browser.current_url
    ActionChains(browser).move_to_element_with_offset(canvas, -100, 0).click_and_hold().move_by_offset(150, 0).release().perform()
    ok('a part of the time is chosen by drawing over it', until(lambda: browser.current_url != before
                                                                and 'from=' in browser.current_url))
    ok('all plots show it', until(lambda: len(plots()) == 2))
    click('.plot a', 'Now')
    ok('and back to now', until(lambda: 'from=' not in browser.current_url))


def live(url):
    browser.get(url + '#view=plots&node=collector1/node4&sensor=mem.used&instance=total&last=15m')
    browser.refresh()
    number = lambda: find('.plot > header .soft').text
    first = until(number)
    ok('what is new comes by itself', until(lambda: number() != first, 10), first)


def names(url):
    browser.get(url + '#view=node&node=collector2/node5')
    browser.refresh()
    ok('names are text: markup', until(lambda: "<script>document.title='hurt'</script>" in main_text()), main_text())
    ok('an attribute', '"><img src=x onerror=alert(1)>' in main_text())
    ok('nothing of them has run', browser.title != 'hurt' and not browser.find_elements(By.CSS_SELECTOR, 'main img, main script'))
    click('main a', "'); DROP TABLE")
    ok('a series with such a name has a plot', until(lambda: plots() and 'B/s' in main_text()))
    click('aside .row', 'node5')
    click('main a', 'a/b&c=d#e%20f')
    ok('and one with the signs of an address', until(lambda: plots() and '1/s' in find('.plot > header .soft').text))


def by_keys(url):
    browser.get(url)
    until(lambda: find('#tree .row', 'node7'))
    press('/')
    ok('a key leads to the filter of the nodes', until(lambda: focused('.id') == 'filter'))
    press('node7')
    ok('it leaves those that it names', until(lambda: find('#tree .row', 'node7') and not find('#tree .row', 'node6')))
    press(Keys.TAB, Keys.END)
    ok('the list is one stop, and keys move in it',
       until(lambda: focused('.getAttribute("data-path")') == 'collector2/node7'), focused('.outerHTML'))
    press(Keys.ENTER)
    ok('a node is opened', until(lambda: 'collector2/node7' in main_text() and 'Sensors' in main_text()))
    browser.find_element(By.ID, 'filter').clear()
    press('/', Keys.BACKSPACE, Keys.TAB, Keys.HOME, Keys.ARROW_LEFT)
    ok('a branch is closed', until(lambda: not find('#tree .row', 'collector2')))
    press(Keys.ARROW_RIGHT)
    ok('and opened again', until(lambda: find('#tree .row', 'collector2')))
    press(Keys.ESCAPE)
    press('a')
    ok('a letter leads to the alarms', until(lambda: find('h1', 'Alarms')))
    for _ in range(60):
        press(Keys.TAB)
        if 'disk.util of sda' in (focused('.textContent') or '') and focused('.tagName') == 'A':
            break
    ring = browser.execute_script('return getComputedStyle(document.activeElement).outlineStyle')
    ok('an alarm is reached by Tab, and one sees where one is', focused('.tagName') == 'A' and ring != 'none', ring)
    press(Keys.ENTER)
    ok('and opened', until(lambda: plots()))
    for _ in range(80):
        press(Keys.TAB)
        if focused('.className') == 'plot':
            break
    press('-')
    ok('keys change the range', until(lambda: 'from=' in browser.current_url), browser.current_url)
    ok('which ends at 1970', until(lambda: press('-') or 'from=1&' in browser.current_url, 60), browser.current_url)
    ok('and has plots still', until(lambda: plots()) and not find('h1', 'That did not work'), main_text())
    press('?')
    ok('the keys are written down', until(lambda: find('dialog[open]', 'filter the nodes')))
    press(Keys.ESCAPE)
    ok('and put away', until(lambda: not find('dialog[open]')))


AHEAD = 0.955 # of the plot of 3 hours and a forecast of ten minutes, where these are, but for the first of them


def hover(share):
    """What the legend of the first plot says of so much of its width."""
    over = find('.plot .u-over')
    ActionChains(browser).move_to_element_with_offset(over, round((share - 0.5) * over.size['width']), 0).perform()
    return dict(browser.execute_script("""return [...document.querySelectorAll('.plot .u-series')].map(
        (row) => ['.u-label', '.u-value'].map((name) => row.querySelector(name).textContent))"""))


def painted(begin):
    """How many points of a thirtieth of the width of the first plot have the colour of curves."""
    return browser.execute_script("""
        const canvas = document.querySelector('.plot canvas'), over = document.querySelector('.plot .u-over');
        const ratio = canvas.width / canvas.clientWidth, left = over.offsetLeft + arguments[0] * over.clientWidth;
        const x = Math.round(ratio * left), width = Math.round(ratio * over.clientWidth / 30);
        const height = Math.round(ratio * over.clientHeight), copy = new OffscreenCanvas(width, height);
        const context = copy.getContext('2d', {willReadFrequently: true});
        context.drawImage(canvas, -x, 0);
        const data = context.getImageData(0, 0, width, height).data;
        const accent = getComputedStyle(document.documentElement).getPropertyValue('--accent').trim().slice(1);
        const [r, g, b] = [0, 2, 4].map((at) => parseInt(accent.slice(at, at + 2), 16));
        let found = 0;
        for (let i = 0; i < data.length; i += 4)
            found += Math.abs(data[i] - r) + Math.abs(data[i + 1] - g) + Math.abs(data[i + 2] - b) < 60;
        return found;""", begin)


def analysis(url):
    browser.get(url + '#view=plots&node=collector1/node4&sensor=proc.count&instance=total&last=3h')
    browser.refresh()
    until(plots)
    ok('the analysis is closed until it is wanted', until(lambda: find('.plot summary', 'Analysis')) and not find('.analysis h4'))
    for _ in range(80):
        press(Keys.TAB)
        if focused('.tagName') == 'SUMMARY':
            break
    ring = browser.execute_script('return getComputedStyle(document.activeElement).outlineStyle')
    ok('it is reached by Tab, and one sees where one is', focused('.tagName') == 'SUMMARY' and ring != 'none', ring)
    ok('nothing is foretold yet', 'forecast' not in find('.u-legend').text)
    press(Keys.ENTER)
    text = lambda: find('.analysis').text
    ok('a key opens it', until(lambda: all(head in text() for head in ('Distribution', 'Season', 'Autocorrelation', 'Forecast'))), text())
    ok('values may be of families', until(lambda: find('.analysis td', 'log-normal') and find('.analysis dt', '99 % are below')), text())
    ok('the season is said', re.search('Repeats itself after [0-9.]+ (min|s), which accounts for [0-9]+ %', text()), text())
    bars = browser.find_elements(By.CSS_SELECTOR, '.analysis svg .lag')
    ok('each lag has a bar, before the band of white noise', len(bars) >= 100 and find('.analysis svg .noise') is not None
       and 'white noise after' in text(), len(bars))
    ok('the plot goes on with a forecast', until(lambda: 'forecast' in find('.u-legend').text and painted(AHEAD) > 5),
       find('.u-legend').text, painted(AHEAD))
    said = hover(0.98)
    number = lambda name: float(said[name].split()[0])
    ok('where there are no values yet', '–' in said['value'] and number('forecast from') < number('forecast') < number('forecast to'), said)
    ok('which is said in words', 'It is drawn dashed' in text() and 'In its trials it was off by' in text(), text())
    latest = find('.plot > header .soft').text
    ok('and stays while values come', until(lambda: find('.plot > header .soft').text != latest) and '–' in hover(0.98)['value']
       and painted(AHEAD) > 5, hover(0.98))
    picture('analysis.png')
    fill = lambda: browser.execute_script("return getComputedStyle(document.querySelector('.lag')).fill")
    before = fill()
    browser.execute_script("""
        window.dashes = 0;
        const drawing = CanvasRenderingContext2D.prototype, setLineDash = drawing.setLineDash;
        drawing.setLineDash = function (dash) { window.dashes += dash.length > 0; setLineDash.call(this, dash); };""")
    click('#theme')
    ok('bars and forecast are there in the dark', fill() != before and until(lambda: painted(AHEAD) > 5))
    ok('it is dashed', until(lambda: browser.execute_script('return window.dashes') > 0, 3))
    browser.execute_script("document.querySelector('.analysis figure').scrollIntoView({block: 'center'})")
    picture('analysis-dark.png')
    click('#theme')
    browser.set_window_size(390, 844)
    time.sleep(0.3)
    ok('nothing of it is wider than a phone', not is_wide())
    browser.execute_script("document.querySelector('.plot details').scrollIntoView()")
    picture('analysis-phone.png')
    browser.set_window_size(1280, 1000)
    browser.execute_script("document.querySelector('.plot summary').focus()")
    press(Keys.ENTER)
    ok('closed, it takes the forecast with it', until(lambda: 'forecast' not in find('.u-legend').text))
    browser.get(url + '#view=plots&node=collector2/node5&sensor=net.rx.bytes&instance=eth0&last=15m')
    browser.refresh()
    click('.plot summary')
    ok('a unit is text', until(lambda: '<b>B</b>/s' in find('.analysis').text) and
       not browser.find_elements(By.CSS_SELECTOR, '.analysis b'), find('.analysis').text)
    ok('what is not known has its reason', until(lambda: re.search('not known: [a-z ]{10,}', text())), text())


def on_phone(url):
    browser.set_window_size(390, 844)
    for view in ('overview', 'alarms', 'top', 'node&node=collector2/node5',
                 'plots&node=collector2/node7&sensor=disk.util&instance=sda&last=1h'):
        browser.get(f'{url}#view={view}')
        browser.refresh()
        until(lambda: find('h1') is not None)
        time.sleep(0.3)
        ok(f'nothing is wider than a phone: {view.split("&")[0]}', not is_wide())
    picture('phone.png')
    browser.set_window_size(1280, 1000)


def themes(url):
    colour = lambda: browser.execute_script('return getComputedStyle(document.body).backgroundColor')
    browser.get(url + '#view=plots&node=collector2/node7&sensor=disk.util&instance=sda&last=1h')
    browser.refresh()
    until(plots)
    before = colour()
    click('#theme')
    ok('dark and light', colour() != before)
    picture('dark.png')
    browser.refresh()
    ok('what was chosen stays', until(lambda: colour() != before))
    click('#theme')


def connections(directory, server):
    browser.get(server.url)
    ok('it says that it is live', until(lambda: browser.find_element(By.ID, 'live').text == 'live'))
    server.stop()
    ok('and that the server is gone', until(lambda: browser.find_element(By.ID, 'live').text == 'not connected', 30))
    server = serve(directory, port=server.port)
    ok('and is live again by itself', until(lambda: browser.find_element(By.ID, 'live').text == 'live', 60))
    return server


def tokens(directory):
    with tempfile.NamedTemporaryFile('w', delete=False) as file:
        file.write('token open-sesame\n')
    server = serve(directory, '--token', file.name)
    browser.get(server.url)
    ok('a token is asked for', until(lambda: find('h1', 'A token is needed')))
    press('wrong', Keys.ENTER)
    ok('a wrong one does not help', until(lambda: 'not the right one' in main_text()))

    def give(token):  # again, if the page asks anew meanwhile
        field = browser.find_element(By.ID, 'token')
        field.clear()
        field.send_keys(token, Keys.ENTER)
        return True
    until(lambda: give('open-sesame'))
    ok('the right one does', until(lambda: 'What is wrong?' in main_text()))
    ok('what is live, too', until(lambda: browser.find_element(By.ID, 'live').text == 'live'))
    server.stop()
    os.unlink(file.name)


def paints(url, nodes):
    browser.get('about:blank')
    browser.get(url)
    until(lambda: len(browser.find_elements(By.CSS_SELECTOR, '#tree [role=treeitem]')) >= nodes)
    paint = browser.execute_script("return performance.getEntriesByName('first-contentful-paint')[0].startTime")
    shown = browser.execute_script('return performance.now()')
    ok(f'{nodes} nodes are in the list', len(browser.find_elements(By.CSS_SELECTOR, '#tree [role=treeitem]')) >= nodes)
    print(f'# {nodes} nodes: first paint after {paint:.0f} ms, all of them in the list within {shown:.0f} ms')


with tempfile.TemporaryDirectory() as directory, tempfile.TemporaryDirectory() as large:
    maker = subprocess.Popen([MAKER, directory, '30', '180', '--live'], stdout=subprocess.PIPE, text=True)
    maker.stdout.readline()
    subprocess.run([MAKER, large, '1003', '3'], check=True) # node9 is silent all the time
    browser = start_browser()
    server = serve(directory)
    try:
        by_mouse(server.url)
        by_drag()
        live(server.url)
        names(server.url)
        by_keys(server.url)
        analysis(server.url)
        on_phone(server.url)
        themes(server.url)
        said = complaints()
        ok('the browser complains of nothing', not said, said)
        server = connections(directory, server)
        tokens(directory)
        many = serve(large)
        paints(many.url, 1002)
        many.stop()
        said = complaints()
        ok('nor of this', not said, said)
    finally:
        browser.quit()
        server.stop()
        maker.terminate()
        maker.wait()
print(f'1..{n}')
sys.exit(1 if failed else 0)
