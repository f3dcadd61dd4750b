"""The protocol of Kafka (https://kafka.apache.org/protocol), as far as the servers of these tests speak it: the
forms before the flexible ones."""
import struct

PRODUCE, FETCH, INIT_PRODUCER_ID, END_TXN = 0, 1, 22, 26

# The head of a batch of records: base offset, length, leader's epoch, magic, checksum, attributes, last offset
# delta, two times, producer id, its epoch, base sequence, count.
BATCH = struct.Struct('>qiibIhiqqqhii')


class Reader:
    def __init__(self, octets):
        self.octets, self.at = octets, 0

    def get(self, form):
        value, = struct.unpack_from('>' + form, self.octets, self.at)
        self.at += struct.calcsize('>' + form)
        return value

    def raw(self, length):
        self.at += max(length, 0)
        return None if length < 0 else self.octets[self.at - length:self.at]

    def text(self):
        said = self.raw(self.get('h'))
        return said if said is None else said.decode()

    def block(self):
        return self.raw(self.get('i'))

    def array(self, item):
        count = self.get('i')
        return None if count < 0 else [item() for _ in range(count)]


def text(value):
    return struct.pack('>h', -1) if value is None else struct.pack('>h', len(value.encode())) + value.encode()


def array(items):
    return struct.pack('>i', len(items)) + b''.join(items)


def block(octets):
    return struct.pack('>i', len(octets)) + octets


def receive(connection):
    """A request or an answer, without its length."""
    def octets(length):
        said = b''
        while len(said) < length:
            more = connection.recv(length - len(said))
            if not more:
                raise ConnectionError
            said += more
        return said
    return octets(*struct.unpack('>i', octets(4)))
