package dcamp;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * The file of a segment: created, locked, and allocated on the disk before it is used.
 *
 * <p>The lock is a POSIX lock, which goes with the first descriptor of the file that the process closes. So
 * nothing here opens the file twice, and nothing works on its channel but what opens it: a channel is closed
 * when a thread that uses it is interrupted. What grows the file is a write of a RandomAccessFile, which no
 * interrupt reaches; and all addresses that the file may ever have are mapped at once.
 */
final class SegmentFile {
    /** Which file this JVM has: classes of this package may be loaded more than once. */
    private static final String CLAIM = "dcamp.segment";

    /** Names of files of earlier images of a process: NAME.1 and so on. */
    private static final int ASIDE_MAX = 9;

    /** How often opening is begun anew that an interrupt has ended. */
    private static final int ATTEMPTS = 100;

    private static final Set<PosixFilePermission> MODE = PosixFilePermissions.fromString("rw-r-----");

    private static final byte[] ZEROS = new byte[Layout.EXTENT];

    final long pid;
    final long startTime;
    final ByteBuffer octets; // of which those in the file may be used
    private final Path path;
    private final RandomAccessFile file;
    private int size; // of the file

    private SegmentFile(Path directory) throws IOException, Refused {
        String stat = readStat();
        pid = Long.parseLong(stat.substring(0, stat.indexOf(' ')));
        startTime = startTimeOf(stat);
        path = directory.resolve(pid + "." + startTime);
        if (System.getProperties().putIfAbsent(CLAIM, path.toString()) != null)
            throw new Refused("is that of another copy of these classes in this process", null);
        RandomAccessFile opened = null;
        boolean isDone = false;
        try {
            createNew(path);
            opened = new RandomAccessFile(path.toFile(), "rw");
            octets = fill(opened, path);
            file = opened;
            size = Layout.EXTENT;
            isDone = true;
        } finally {
            if (!isDone)
                undo(opened);
        }
    }

    /** What could not be done with the file, for people. */
    static final class Refused extends Exception {
        private static final long serialVersionUID = 1;

        Refused(String step, IOException cause) {
            super(cause == null ? step : step + ": " + reason(cause), cause, false, false);
        }
    }

    /** Creates the file of this process in the directory, with one extent, and maps it. */
    static SegmentFile create(Path directory) throws Refused {
        boolean isInterrupted = Thread.interrupted();
        try {
            for (int attempt = 1;; attempt++) {
                try {
                    return new SegmentFile(directory);
                } catch (ClosedByInterruptException e) {
                    isInterrupted = true;
                    Thread.interrupted();
                    if (attempt == ATTEMPTS)
                        throw new Refused("cannot be created", e);
                } catch (IOException e) {
                    throw new Refused("cannot be created", e);
                }
            }
        } finally {
            if (isInterrupted)
                Thread.currentThread().interrupt();
        }
    }

    /** Field 22 of the text of /proc/PID/stat. The name of the program may hold blanks and parentheses. */
    static long startTimeOf(String stat) {
        String[] fields = stat.substring(stat.lastIndexOf(')') + 1).trim().split(" ");
        return Long.parseLong(fields[22 - 3]);
    }

    /** Of this process, as it sees itself. */
    private static String readStat() throws Refused {
        try (InputStream stat = new FileInputStream("/proc/self/stat")) {
            return new String(stat.readAllBytes(), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw new Refused("has no /proc/self/stat to take its name from", null);
        }
    }

    private static void createNew(Path path) throws IOException {
        try {
            Files.createFile(path, PosixFilePermissions.asFileAttribute(MODE));
        } catch (FileAlreadyExistsException e) {
            setAside(path);
            Files.createFile(path, PosixFilePermissions.asFileAttribute(MODE));
        }
    }

    /**
     * This process has had another image, which has left its file. The reader is to see that once more; if
     * there are too many of them, nobody reads.
     */
    private static void setAside(Path path) throws IOException {
        if (isAlive(path))
            throw new FileAlreadyExistsException(path.toString());
        for (int n = 1; n <= ASIDE_MAX; n++) {
            try {
                Files.move(path, path.resolveSibling(path.getFileName() + "." + n));
                return;
            } catch (FileAlreadyExistsException e) {
                continue;
            }
        }
        Files.delete(path);
    }

    private static boolean isAlive(Path path) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
            return channel.tryLock() == null;
        } catch (OverlappingFileLockException e) {
            return true;
        }
    }

    /** The umask must not take anything of the mode: dcampd reads the file as its group. */
    private static ByteBuffer fill(RandomAccessFile file, Path path) throws IOException, Refused {
        FileLock lock = file.getChannel().tryLock();
        if (lock == null)
            throw new Refused("cannot be locked", null);
        Files.setPosixFilePermissions(path, MODE);
        try {
            file.write(ZEROS);
        } catch (IOException e) {
            throw new Refused("cannot be allocated", e);
        }
        return map(file);
    }

    /**
     * As many addresses as the file may ever have: mapping them makes it as long, but takes no room on the
     * disk, and it is cut again. There are fewer of them where a limit of the process says so.
     */
    private static ByteBuffer map(RandomAccessFile file) throws IOException, Refused {
        for (int limit = Layout.SIZE_MAX;; limit /= 2) {
            try {
                ByteBuffer octets = file.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, limit);
                file.setLength(Layout.EXTENT);
                return octets;
            } catch (ClosedByInterruptException e) {
                throw e;
            } catch (IOException e) {
                if (limit == Layout.EXTENT)
                    throw new Refused("cannot be mapped", e);
            }
        }
    }

    private void undo(RandomAccessFile opened) {
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            // Then it stays, without a magic number, and dcampd removes it.
        }
        close(opened);
    }

    private static void close(RandomAccessFile file) {
        System.getProperties().remove(CLAIM);
        try {
            if (file != null)
                file.close();
        } catch (IOException e) {
            // The lock is gone all the same.
        }
    }

    int size() {
        return size;
    }

    /**
     * Allocates another extent. Its zeros are written, since Java has no other way to be sure that there is
     * room for them. One thread at a time.
     */
    boolean grow() {
        if (size + Layout.EXTENT > octets.capacity())
            return false;
        try {
            file.seek(size);
            file.write(ZEROS);
            size += Layout.EXTENT;
            return true;
        } catch (IOException e) {
            cut();
            return false;
        }
    }

    /** What a disk that is full has taken of an extent goes back. */
    private void cut() {
        try {
            file.setLength(size);
        } catch (IOException e) {
            // It is longer than it says then, by zeros, which are no panels.
        }
    }

    /** Gives the lock back. What is still written to the addresses is not looked at. */
    void close() {
        close(file);
    }

    /** Nobody is to see it. */
    void remove() {
        undo(file);
    }

    private static String reason(IOException e) {
        if (e instanceof NoSuchFileException)
            return "No such file or directory";
        if (e instanceof AccessDeniedException)
            return "Permission denied";
        if (e instanceof FileAlreadyExistsException)
            return "File exists";
        if (e instanceof FileSystemException && ((FileSystemException) e).getReason() != null)
            return ((FileSystemException) e).getReason();
        return String.valueOf(e.getMessage());
    }
}
