"""What drives the page of dcamp-web: the server, and headless Chromium."""
import re
import subprocess

from selenium import webdriver


class Server:
    """dcamp-web on a port that is free, or on the one that it had before."""

    def __init__(self, program, page, directory, *options, port=0):
        self.process = subprocess.Popen(
            [program, '--directory', directory, '--page', page, '--listen', f'127.0.0.1:{port}', *options],
            stderr=subprocess.PIPE, text=True)
        self.url = re.search(r'http://[^ ]*\d', self.process.stderr.readline()).group()
        self.port = self.url.rsplit(':', 1)[1]

    def stop(self):
        self.process.terminate()
        self.process.wait()


def start_browser(width=1280, height=1000):
    options = webdriver.ChromeOptions()
    for argument in ('--headless=new', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', '--lang=en'):
        options.add_argument(argument)
    options.set_capability('goog:loggingPrefs', {'browser': 'ALL'})
    browser = webdriver.Chrome(options=options)
    browser.set_window_size(width, height)
    return browser
